package ledger

// class of an op: does it change work, is it log, or does it frame the ledger.
type class byte

const (
	classWork class = iota
	classLog
	classFrame
)

// opKind is what the ledger knows about one op besides its fields.
type opKind struct {
	make    func() Op
	class   class
	by      string // letters of the authors: p person, g program, m model, e engine
	propose bool   // a model may propose it
}

// kinds is the closed list of ops of format version 1.
var kinds = map[string]opKind{
	"task":   {func() Op { return new(Task) }, classWork, "pg", false},
	"amend":  {func() Op { return new(Amend) }, classWork, "p", false},
	"set":    {func() Op { return new(Set) }, classWork, "pe", false},
	"source": {func() Op { return new(Source) }, classWork, "e", false},
	// A source's text that is not here, and a person's choice of sources.
	"missing": {func() Op { return new(Missing) }, classWork, "e", false},
	"scope":   {func() Op { return new(Scope) }, classWork, "p", false},

	"question":  {func() Op { return new(Question) }, classWork, "pgme", true},
	"close":     {func() Op { return new(Close) }, classWork, "pgme", true},
	"drop":      {func() Op { return new(Drop) }, classWork, "p", false},
	"park":      {func() Op { return new(Park) }, classWork, "e", false},
	"reopen":    {func() Op { return new(Reopen) }, classWork, "pe", false},
	"claim":     {func() Op { return new(Claim) }, classWork, "pgme", true},
	"quote":     {func() Op { return new(Quote) }, classWork, "pgme", true},
	"retract":   {func() Op { return new(Retract) }, classWork, "pgme", true},
	"supersede": {func() Op { return new(Supersede) }, classWork, "pgme", true},
	"merge":     {func() Op { return new(Merge) }, classWork, "pgme", true},
	"renew":     {func() Op { return new(Renew) }, classWork, "pgme", false},
	"assume":    {func() Op { return new(Assume) }, classWork, "pgme", true},
	"tried":     {func() Op { return new(Tried) }, classWork, "pgme", true},
	"answer":    {func() Op { return new(Answer) }, classWork, "pgme", true},
	"report":    {func() Op { return new(Report) }, classWork, "pe", false},

	"plan":     {func() Op { return new(Plan) }, classWork, "pgme", true},
	"finish":   {func() Op { return new(Finish) }, classWork, "e", false},
	"found":    {func() Op { return new(Found) }, classWork, "e", false},
	"read":     {func() Op { return new(Read) }, classWork, "e", false},
	"check":    {func() Op { return new(Check) }, classWork, "pge", false},
	"override": {func() Op { return new(Override) }, classWork, "p", false},
	"note":     {func() Op { return new(Note) }, classWork, "pgme", true},
	"undo":     {func() Op { return new(Undo) }, classWork, "pe", false},
	"erase":    {func() Op { return new(Erase) }, classWork, "p", false},
	"accept":   {func() Op { return new(Accept) }, classWork, "p", false},

	"start":   {func() Op { return new(Start) }, classLog, "e", false},
	"call":    {func() Op { return new(Call) }, classLog, "e", false},
	"refuse":  {func() Op { return new(Refuse) }, classLog, "e", false},
	"account": {func() Op { return new(Account) }, classLog, "me", false},
	"pause":   {func() Op { return new(Pause) }, classLog, "pe", false},
	"wake":    {func() Op { return new(Wake) }, classLog, "pe", false},
	"name":    {func() Op { return new(Name) }, classLog, "pe", false},

	"checkpoint": {func() Op { return new(Checkpoint) }, classFrame, "e", false},
	"fork":       {func() Op { return new(Fork) }, classFrame, "pe", false},
	"join":       {func() Op { return new(Join) }, classFrame, "pe", false},
	"import":     {func() Op { return new(Import) }, classFrame, "pe", false},
	"root":       {func() Op { return new(Root) }, classFrame, "pe", false},
	"end":        {func() Op { return new(End) }, classFrame, "pe", false},
}

// IsWork reports whether op belongs to the part of the ledger that going on depends on.
func IsWork(op string) bool { k, ok := kinds[op]; return ok && k.class == classWork }

// IsLog reports whether op is a log op: salted, and may be withheld from an export.
func IsLog(op string) bool { k, ok := kinds[op]; return ok && k.class == classLog }

// IsFrame reports whether op frames the ledger: checkpoint, fork, join, import, root, end.
func IsFrame(op string) bool { k, ok := kinds[op]; return ok && k.class == classFrame }

// MayWrite reports whether an author of class by may write op. How a check was
// made restricts it further (rules.go).
func MayWrite(op string, by By) bool {
	k, ok := kinds[op]
	if !ok {
		return false
	}
	var letter byte
	switch by {
	case Person:
		letter = 'p'
	case Program:
		letter = 'g'
	case Model:
		letter = 'm'
	case Engine:
		letter = 'e'
	default:
		return false
	}
	for i := 0; i < len(k.by); i++ {
		if k.by[i] == letter {
			return true
		}
	}
	return false
}

// MayPropose reports whether a model (or a program) may propose op.
func MayPropose(op string) bool { return kinds[op].propose }

// Ops gives the names of all ops in no particular order.
func Ops() []string {
	names := make([]string, 0, len(kinds))
	for name := range kinds {
		names = append(names, name)
	}
	return names
}

// NewOp gives an empty op of that name, nil for an unknown name.
func NewOp(op string) Op {
	k, ok := kinds[op]
	if !ok {
		return nil
	}
	return k.make()
}

// OpName is the value of the line's "op" field.
func (*Task) OpName() string       { return "task" }
func (*Amend) OpName() string      { return "amend" }
func (*Set) OpName() string        { return "set" }
func (*Source) OpName() string     { return "source" }
func (*Missing) OpName() string    { return "missing" }
func (*Scope) OpName() string      { return "scope" }
func (*Question) OpName() string   { return "question" }
func (*Close) OpName() string      { return "close" }
func (*Drop) OpName() string       { return "drop" }
func (*Park) OpName() string       { return "park" }
func (*Reopen) OpName() string     { return "reopen" }
func (*Claim) OpName() string      { return "claim" }
func (*Quote) OpName() string      { return "quote" }
func (*Retract) OpName() string    { return "retract" }
func (*Supersede) OpName() string  { return "supersede" }
func (*Merge) OpName() string      { return "merge" }
func (*Renew) OpName() string      { return "renew" }
func (*Assume) OpName() string     { return "assume" }
func (*Tried) OpName() string      { return "tried" }
func (*Answer) OpName() string     { return "answer" }
func (*Report) OpName() string     { return "report" }
func (*Plan) OpName() string       { return "plan" }
func (*Finish) OpName() string     { return "finish" }
func (*Found) OpName() string      { return "found" }
func (*Read) OpName() string       { return "read" }
func (*Check) OpName() string      { return "check" }
func (*Override) OpName() string   { return "override" }
func (*Note) OpName() string       { return "note" }
func (*Undo) OpName() string       { return "undo" }
func (*Erase) OpName() string      { return "erase" }
func (*Accept) OpName() string     { return "accept" }
func (*Start) OpName() string      { return "start" }
func (*Call) OpName() string       { return "call" }
func (*Refuse) OpName() string     { return "refuse" }
func (*Account) OpName() string    { return "account" }
func (*Pause) OpName() string      { return "pause" }
func (*Wake) OpName() string       { return "wake" }
func (*Name) OpName() string       { return "name" }
func (*Checkpoint) OpName() string { return "checkpoint" }
func (*Fork) OpName() string       { return "fork" }
func (*Join) OpName() string       { return "join" }
func (*Import) OpName() string     { return "import" }
func (*Root) OpName() string       { return "root" }
func (*End) OpName() string        { return "end" }
