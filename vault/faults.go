package vault

// fault is something that the vault would do wrong, for the laboratories.
type fault string

// The faults that can be planted in a program with the build tag `lab`, by the
// environment variable PlantedEnv.
const (
	faultNoSync          fault = "no-sync"            // the store's transactions are not synced
	faultNoJournalSync   fault = "no-journal-sync"    // the journal is not synced
	faultBlobAfterLine   fault = "blob-after-line"    // texts are written after the lines that name them
	faultTornGroup       fault = "torn-group-applied" // part of a group is taken over from a journal
	faultUnchecked       fault = "envelope-unchecked" // records and texts are believed as they are
	faultJournalIgnored  fault = "journal-unchecked"  // the check does not look at journals
	faultMissingIsAbsent fault = "missing-is-absent"  // a lost text counts as one that never was
	faultIgnoredSync     fault = "sync-error-ignored" // a failed sync counts as a good one
	faultNoFloor         fault = "space-unwatched"    // memtables are not given their blocks
	faultNoRoom          fault = "floor-ignored"      // free space is not looked at before saving
	faultFullIsError     fault = "full-is-error"      // a full disk is told as some error
)

// PlantedEnv names the planted fault in a program built with the tag `lab`.
const PlantedEnv = "CAIRN_PLANTED"
