package dto

// VaultState is what Cairn's records take on disk, in bytes, and what was said about
// them when they were opened.
type VaultState struct {
	Folder    string        `json:"folder"`
	Histories int64         `json:"histories"`
	Lines     int64         `json:"lines"`
	Store     int64         `json:"store"`
	Journals  int64         `json:"journals"`
	Aside     int64         `json:"aside"` // set aside by repairs, never deleted by itself
	Drafts    int64         `json:"drafts"`
	Free      int64         `json:"free"`
	ReadOnly  bool          `json:"read_only"` // a sync failed; the next start copies to new files
	Backups   []VaultBackup `json:"backups"`   // in Cairn's folder, newest first
	// Notices are sentences for the person: what opening mended, moved or lost, and
	// where the folder stands that is not safe for records.
	Notices []string `json:"notices"`
}

// VaultFault is one thing that a check found wrong.
type VaultFault struct {
	File   string `json:"file"`   // in Cairn's folder
	Record string `json:"record"` // in that file
	What   string `json:"what"`   // a sentence
}

// VaultCheck is what a check read and found.
type VaultCheck struct {
	Sound     bool         `json:"sound"`
	Sentence  string       `json:"sentence"`
	Do        string       `json:"do"`      // what helps, "" when sound
	Records   int64        `json:"records"` // of the store
	Texts     int64        `json:"texts"`
	Histories int64        `json:"histories"`
	Lines     int64        `json:"lines"`   // of the journals, compared with the store
	Audited   int64        `json:"audited"` // tasks whose lines were folded and audited
	Backups   int64        `json:"backups"`
	Mends     bool         `json:"mends"` // the next opening, or a repair, mends what was found
	Faults    []VaultFault `json:"faults"`
}

// VaultCompact says what writing the store anew gave back, in bytes.
type VaultCompact struct {
	Before   int64  `json:"before"`
	After    int64  `json:"after"`
	Dropped  int64  `json:"dropped"` // texts that no line named
	Sentence string `json:"sentence"`
}

// VaultBackup is one backup. The numbers of what is in it are 0 where it was not read.
type VaultBackup struct {
	Path      string   `json:"path"`
	At        int64    `json:"at"` // Unix ms
	Bytes     int64    `json:"bytes"`
	Records   int64    `json:"records"`
	Histories int64    `json:"histories"`
	Lines     int64    `json:"lines"`
	Removed   []string `json:"removed"` // older backups that made room
	Sentence  string   `json:"sentence"`
}

// VaultRepair says what a repair found and did.
type VaultRepair struct {
	Sound    bool         `json:"sound"` // nothing is wrong any more
	Sentence string       `json:"sentence"`
	Found    []VaultFault `json:"found"`
	Done     []string     `json:"done"` // sentences
	Left     []VaultFault `json:"left"` // what no repair can mend
}

// VaultRestore says what was put in place.
type VaultRestore struct {
	Backup   VaultBackup `json:"backup"`
	Aside    string      `json:"aside"` // where the records from before are now, "" for none
	Sentence string      `json:"sentence"`
}
