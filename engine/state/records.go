package state

import "cairn/engine/ledger"

// The records of work as they enter the state hash: canonical objects whose
// names vault/FORMAT.md lists. No seq, time, who, attempt or total is in them.

type taskRecord struct {
	Acceptance  []string `json:"acceptance,omitempty"`
	Constraints []string `json:"constraints,omitempty"`
	Goal        string   `json:"goal,omitempty"`
	ID          string   `json:"id"`
	Title       string   `json:"title,omitempty"`
}

type settingsRecord struct {
	Budget     int64  `json:"budget,omitempty"`
	Context    int64  `json:"context,omitempty"`
	Depth      string `json:"depth,omitempty"`
	Digest     string `json:"digest,omitempty"`
	ID         string `json:"id"`
	Model      string `json:"model,omitempty"`
	Predict    int64  `json:"predict,omitempty"`
	ReadRate   int64  `json:"read_rate,omitempty"`
	TokenBytes int64  `json:"token_bytes,omitempty"`
	Trial      bool   `json:"trial,omitempty"`
	WriteRate  int64  `json:"write_rate,omitempty"`
}

type sourceRecord struct {
	Aside     string `json:"aside,omitempty"`
	Body      string `json:"body,omitempty"`
	Bytes     int64  `json:"bytes,omitempty"`
	Extractor string `json:"extractor,omitempty"`
	File      string `json:"file,omitempty"`
	ID        string `json:"id"`
	Media     string `json:"media,omitempty"`
	Missing   string `json:"missing,omitempty"`
	Name      string `json:"name,omitempty"`
	Newer     string `json:"newer,omitempty"`
	Parent    string `json:"parent,omitempty"`
	Reason    string `json:"reason,omitempty"`
	Sentences int64  `json:"sentences,omitempty"`
	Table     string `json:"table,omitempty"`
	Title     string `json:"title,omitempty"`
}

type questionRecord struct {
	Answer string   `json:"answer,omitempty"`
	By     string   `json:"by"`
	Claims []string `json:"claims,omitempty"`
	ID     string   `json:"id"`
	LastBy string   `json:"last_by"`
	Parent string   `json:"parent,omitempty"`
	Person bool     `json:"person,omitempty"`
	Reason string   `json:"reason,omitempty"`
	Stale  bool     `json:"stale,omitempty"`
	Status string   `json:"status"`
	Text   string   `json:"text"`
}

type evidenceRecord struct {
	By       string `json:"by"`
	From     int64  `json:"from"`
	ID       string `json:"id"`
	Level    int64  `json:"level,omitempty"`
	Reported bool   `json:"reported,omitempty"`
	Source   string `json:"source"`
	Stance   string `json:"stance"`
	Text     string `json:"text"`
	To       int64  `json:"to"`
}

type verdictRecord struct {
	By       string `json:"by"`
	How      string `json:"how"`
	Reason   string `json:"reason,omitempty"`
	Reported bool   `json:"reported,omitempty"`
	Verdict  string `json:"verdict"`
}

type claimRecord struct {
	Accepted  bool             `json:"accepted,omitempty"`
	Basis     []string         `json:"basis,omitempty"`
	By        string           `json:"by"`
	Checks    []verdictRecord  `json:"checks,omitempty"`
	Contested bool             `json:"contested,omitempty"`
	Evidence  []evidenceRecord `json:"evidence,omitempty"`
	Flags     []string         `json:"flags,omitempty"`
	ID        string           `json:"id"`
	Into      string           `json:"into,omitempty"`
	LastBy    string           `json:"last_by"`
	Merged    bool             `json:"merged,omitempty"`
	Person    bool             `json:"person,omitempty"`
	Question  string           `json:"question,omitempty"`
	Reason    string           `json:"reason,omitempty"`
	Reported  bool             `json:"reported,omitempty"`
	Stale     bool             `json:"stale,omitempty"`
	Standing  string           `json:"standing"`
	Text      string           `json:"text,omitempty"` // absent: the claim is its quote
	Trust     int64            `json:"trust"`
}

type assumptionRecord struct {
	By       string `json:"by"`
	Checked  bool   `json:"checked,omitempty"`
	ID       string `json:"id"`
	Into     string `json:"into,omitempty"`
	LastBy   string `json:"last_by"`
	Person   bool   `json:"person,omitempty"`
	Question string `json:"question,omitempty"`
	Reason   string `json:"reason,omitempty"`
	Standing string `json:"standing"`
	Text     string `json:"text"`
}

type triedRecord struct {
	Approach string `json:"approach"`
	By       string `json:"by"`
	ID       string `json:"id"`
	Into     string `json:"into,omitempty"`
	LastBy   string `json:"last_by"`
	Outcome  string `json:"outcome"`
	Person   bool   `json:"person,omitempty"`
	Question string `json:"question,omitempty"`
	Reason   string `json:"reason,omitempty"`
	Standing string `json:"standing"`
	Why      string `json:"why,omitempty"`
}

type sentenceRecord struct {
	Claims []string `json:"claims,omitempty"`
	Flags  []string `json:"flags,omitempty"`
	Text   string   `json:"text"`
}

type answerRecord struct {
	By        string           `json:"by"`
	ID        string           `json:"id"`
	Into      string           `json:"into,omitempty"`
	LastBy    string           `json:"last_by"`
	Partial   bool             `json:"partial,omitempty"`
	Person    bool             `json:"person,omitempty"`
	Question  string           `json:"question"`
	Reason    string           `json:"reason,omitempty"`
	Sentences []sentenceRecord `json:"sentences,omitempty"`
	Standing  string           `json:"standing"`
}

type reportRecord struct {
	Answers  []string         `json:"answers,omitempty"`
	By       string           `json:"by"`
	ID       string           `json:"id"`
	Into     string           `json:"into,omitempty"`
	LastBy   string           `json:"last_by"`
	Opening  []sentenceRecord `json:"opening,omitempty"`
	Person   bool             `json:"person,omitempty"`
	Reason   string           `json:"reason,omitempty"`
	Standing string           `json:"standing"`
}

type itemRecord struct {
	Args    []string `json:"args,omitempty"`
	By      string   `json:"by"`
	ID      string   `json:"id"`
	Kind    string   `json:"kind"`
	Parked  string   `json:"parked,omitempty"`
	Person  bool     `json:"person,omitempty"`
	Removed bool     `json:"removed,omitempty"`
	Serves  string   `json:"serves,omitempty"`
}

type orderRecord struct {
	ID    string   `json:"id"`
	Order []string `json:"order,omitempty"`
	Stale bool     `json:"stale,omitempty"`
}

type stepRecord struct {
	Args    []string `json:"args,omitempty"`
	ID      string   `json:"id"`
	Inputs  string   `json:"inputs"`
	Kind    string   `json:"kind"`
	Outcome string   `json:"outcome"`
	Reason  string   `json:"reason,omitempty"`
	Serves  string   `json:"serves,omitempty"`
}

type noteRecord struct {
	By       string `json:"by"`
	Due      string `json:"due,omitempty"`
	For      string `json:"for,omitempty"`
	ID       string `json:"id"`
	Into     string `json:"into,omitempty"`
	LastBy   string `json:"last_by"`
	On       string `json:"on,omitempty"`
	Person   bool   `json:"person,omitempty"`
	Reason   string `json:"reason,omitempty"`
	Standing string `json:"standing"`
	Text     string `json:"text"`
}

type listRecord struct {
	ID   string   `json:"id"`
	List []string `json:"list,omitempty"`
}

type wordRecord struct {
	ID   string `json:"id"`
	Word string `json:"word,omitempty"`
}

type countRecord struct {
	Count int64  `json:"count"`
	ID    string `json:"id"`
}

// recordID is the id under which a record enters the hash.
func (k key) recordID() string {
	switch k.kind {
	case kTask:
		return "task"
	case kSettings:
		return "settings"
	case kPlan:
		return "plan"
	case kFound:
		return "found/" + k.id
	case kRead:
		return "read/" + k.id
	case kOverride:
		return "override/" + k.id
	case kPassed:
		return "passed/" + k.id
	case kBarren:
		return "barren/" + k.id
	}
	return k.id
}

// record gives the canonical object of a record, nil where there is none (now).
func (s *State) record(k key, id string) any {
	switch k.kind {
	case kTask:
		if s.Task.ID == "" {
			return nil
		}
		return &taskRecord{s.Task.Acceptance, s.Task.Constraints, s.Task.Goal, s.Task.ID, s.Task.Title}
	case kSettings:
		v := s.Settings
		return &settingsRecord{v.Budget, v.Context, v.Depth, v.Digest, id, v.Model, v.Predict, v.ReadRate, v.TokenBytes, v.Trial, v.WriteRate}
	case kPlan:
		return &orderRecord{id, s.PlanIDs, s.PlanStale}
	case kSource:
		if r := s.Sources[k.id]; r != nil {
			return &sourceRecord{r.Aside, r.Body, r.Bytes, r.Extractor, r.File, id, r.Media, r.Missing, r.Name, r.Newer, r.Parent,
				r.Reason, r.Sentences, r.Table, r.Title}
		}
	case kQuestion:
		if r := s.Questions[k.id]; r != nil {
			return &questionRecord{r.Answer, string(r.By), r.Claims, id, string(r.LastBy), r.Parent, r.Person, r.Reason,
				r.Stale, string(r.Status), r.Text}
		}
	case kClaim:
		if r := s.Claims[k.id]; r != nil {
			return r.record()
		}
	case kAssumption:
		if r := s.Assumptions[k.id]; r != nil {
			return &assumptionRecord{string(r.By), r.Checked, id, r.Into, string(r.LastBy), r.Person, r.Question, r.Reason,
				string(r.Standing), r.Text}
		}
	case kTried:
		if r := s.Tried[k.id]; r != nil {
			return &triedRecord{r.Approach, string(r.By), id, r.Into, string(r.LastBy), r.Outcome, r.Person, r.Question, r.Reason,
				string(r.Standing), r.Why}
		}
	case kAnswer:
		if r := s.Answers[k.id]; r != nil {
			return &answerRecord{string(r.By), id, r.Into, string(r.LastBy), r.Partial, r.Person, r.Question, r.Reason,
				sentenceRecords(r.Sentences), string(r.Standing)}
		}
	case kReport:
		if r := s.Reports[k.id]; r != nil {
			return &reportRecord{r.Answers, string(r.By), id, r.Into, string(r.LastBy), sentenceRecords(r.Opening), r.Person,
				r.Reason, string(r.Standing)}
		}
	case kItem:
		if r := s.Plan[k.id]; r != nil {
			return &itemRecord{r.Args, string(r.By), id, r.Kind, r.Parked, r.Person, r.Removed, r.Serves}
		}
	case kStep:
		if r := s.Finished[k.id]; r != nil {
			return &stepRecord{r.Args, id, r.Inputs, r.Kind, r.Outcome, r.Reason, r.Serves}
		}
	case kNote:
		if r := s.Notes[k.id]; r != nil {
			return &noteRecord{string(r.By), r.Due, r.For, id, r.Into, string(r.LastBy), r.On, r.Person, r.Reason, string(r.Standing), r.Text}
		}
	}
	return s.plainRecord(k, id)
}

// plainRecord is record for the maps of plain values.
func (s *State) plainRecord(k key, id string) any {
	switch k.kind {
	case kFound:
		if ranges, ok := s.Found[k.id]; ok {
			list := make([]string, len(ranges))
			for i, r := range ranges {
				list[i] = ledger.Ref(r.Source, r.From, r.To)
			}
			return &listRecord{id, list}
		}
	case kRead:
		source, question := splitRead(k.id)
		if spans, ok := s.Read[source][question]; ok {
			list := make([]string, len(spans))
			for i, r := range spans {
				list[i] = ledger.Span(r.From, r.To)
			}
			return &listRecord{id, list}
		}
	case kOverride:
		if w, ok := s.Overrides[k.id]; ok {
			return &wordRecord{id, w}
		}
	case kPassed:
		if w, ok := s.Passed[k.id]; ok {
			return &wordRecord{id, w}
		}
	case kBarren:
		if n, ok := s.Barren[k.id]; ok {
			return &countRecord{n, id}
		}
	}
	return nil
}

func (c *Claim) record() *claimRecord {
	standing := c.Standing
	if c.Live() {
		standing = Active // the marks stand beside it
	}
	r := &claimRecord{Accepted: c.Accepted, Basis: c.Basis, By: string(c.By), Contested: c.IsContested, Flags: c.Flags, ID: c.ID,
		Into: c.Into, LastBy: string(c.LastBy), Merged: c.Merged, Person: c.Person, Question: c.Question, Reason: c.Reason,
		Reported: c.Reported, Stale: c.IsStale, Standing: string(standing), Trust: int64(c.Trust)}
	if !c.IsQuote {
		r.Text = c.Text
	}
	if len(c.Evidence) > 0 {
		r.Evidence = make([]evidenceRecord, len(c.Evidence))
		for i := range c.Evidence {
			e := &c.Evidence[i]
			r.Evidence[i] = evidenceRecord{string(e.By), e.Slice.From, e.ID, e.Slice.Level, e.Reported, e.Slice.Source, e.Stance,
				e.Slice.Text, e.Slice.To}
		}
	}
	if len(c.Checks) > 0 {
		r.Checks = make([]verdictRecord, len(c.Checks))
		for i, v := range c.Checks {
			r.Checks[i] = verdictRecord{string(v.By), v.How, v.Reason, v.Reported, v.Verdict}
		}
	}
	return r
}

func sentenceRecords(list []ledger.Sentence) []sentenceRecord {
	out := make([]sentenceRecord, len(list))
	for i, s := range list {
		out[i] = sentenceRecord{s.Claims, s.Flags, s.Text}
	}
	return out
}
