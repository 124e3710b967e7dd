package ledger

// checkHead holds for every line, beyond the form of its fields.
func checkHead(h *Head, op string) error {
	if h.Seq < 1 || h.Group < 1 || h.At < 0 {
		return errForm("seq and g start at 1, at at 0")
	}
	if h.N < 0 || h.N > MaxGroupLines {
		return errForm("n: a group has 1 to %d lines", MaxGroupLines)
	}
	if !MayWrite(op, h.By) {
		return errForm("%s may not be written by %q", op, h.By)
	}
	if h.Who != "" {
		if err := checkWho(h.Who); err != nil {
			return err
		}
	}
	switch isLog := IsLog(op); {
	case isLog && (len(h.Salt) != 32 || !isHex(h.Salt)):
		return errForm("a log line needs a salt of 32 hex digits")
	case !isLog && h.Salt != "":
		return errForm("only log lines carry a salt")
	}
	if (h.Origin != nil || h.Reported) && !IsWork(op) {
		return errForm("only work lines are re-issued")
	}
	if h.Reported && h.Origin == nil {
		return errForm("reported belongs to a re-issued line")
	}
	return nil
}

// checkOp holds the rules between the fields of one op.
func checkOp(op Op, by By) error {
	switch o := op.(type) {
	case *Amend:
		isList := o.Field == "constraints" || o.Field == "acceptance"
		if isList && o.Text != "" || !isList && len(o.List) > 0 || o.Field == "goal" && o.Text == "" {
			return errForm("amend: %s has another kind of value", o.Field)
		}
	case *Set:
		if *o == (Set{}) || o.Budget < -1 || o.Trial && o.Model == "" {
			return errForm("set: nothing to set, or a value that makes no sense")
		}
	case *Source:
		readable := o.Body != ""
		if readable && (o.Reason != "" || o.Table == "" || o.File == "" || o.Sentences == 0) ||
			!readable && (o.Reason == "" || o.Table != "" || o.Sentences != 0 || o.Bytes != 0) {
			return errForm("source: either body, file, table and sentences, or a reason")
		}
	case *Close:
		if len(o.Claims) == 0 && (o.Reason == "" || by != Person && by != Engine) {
			return errForm("close: without claims only a person or the engine closes, with a reason")
		}
	case *Claim:
		return checkClaim(o)
	case *Quote:
		if o.From > o.To {
			return errForm("quote: from is after to")
		}
	case *Supersede:
		if o.ID == o.Into || o.ID[0] != o.Into[0] {
			return errForm("supersede: id and into must be two objects of one kind")
		}
	case *Merge:
		if o.ID == o.Into {
			return errForm("merge: id and into are the same")
		}
	case *Report:
		if len(o.Answers) == 0 && len(o.Opening) == 0 {
			return errForm("report: nothing in it")
		}
	case *Plan:
		if len(o.Add)+len(o.Order)+len(o.Remove) == 0 {
			return errForm("plan: nothing to change")
		}
	case *Check:
		ok := false
		switch o.How {
		case "person":
			ok = by == Person
		case "program":
			ok = by == Program || by == Engine
		default:
			ok = by == Engine
		}
		if !ok {
			return errCode(CodeAuthor, "check: %q can't check how=%s", by, o.How)
		}
	}
	return nil
}

// checkClaim: the slices are those of the references in the basis, in order.
func checkClaim(c *Claim) error {
	if c.Text == "" && len(c.Quotes) == 0 {
		return errForm("claim: neither a text nor a quote")
	}
	i := 0
	for _, b := range c.Basis {
		p, ok := ParseRef(b)
		if !ok {
			continue
		}
		if i >= len(c.Quotes) || c.Quotes[i].Source != p.Source || c.Quotes[i].From != p.From || c.Quotes[i].To != p.To {
			return errForm("claim: the quotes are not the slices of its basis, in order")
		}
		i++
	}
	if i != len(c.Quotes) {
		return errForm("claim: a quote that its basis does not name")
	}
	return nil
}
