package dto

// Removal says what deleting for good takes away or took, what stays, and what it
// can't reach. Each list has one sentence, or the name of a thing, an item.
type Removal struct {
	Task     string   `json:"task"`     // the task, or the alternative
	Title    string   `json:"title"`    // of it
	Source   string   `json:"source"`   // the document, "" when the whole task goes
	Name     string   `json:"name"`     // of the document
	Question string   `json:"question"` // what the person confirms
	Removed  []string `json:"removed"`
	Yours    []string `json:"yours"`  // what the person wrote and goes too, in its words
	Stays    []string `json:"stays"`  // what stays in Cairn's folder, and why
	Beyond   []string `json:"beyond"` // what it can't reach
	Now      string   `json:"now"`    // done with a document: the task that stands in its place
	Sentence string   `json:"sentence"`
	Done     bool     `json:"done"`
}
