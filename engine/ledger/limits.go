package ledger

// The one table of limits of the format (vault/FORMAT.md repeats it).
const (
	MaxLine       = 64 << 10  // bytes of a line without LF
	MaxDepth      = 16        // nested objects and lists, the line itself counted
	MaxGroupLines = 256       // lines of a group
	MaxGroupBytes = 512 << 10 // bytes of a group, LFs counted
	MaxStepOps    = 200       // accepted ops of a step
	MaxText       = 8192      // bytes of a person's or model's text
	MaxSlice      = 16384     // bytes of one quoted slice
	MaxShort      = 1024      // bytes of a short text: names, reasons of the engine, titles
	MaxWho        = 160       // bytes of who
	maxWord       = 64        // characters of a word
	MaxSumIDs     = 256       // ids in a checkpoint's sum
	MaxOpen       = 20        // open items in a checkpoint
)
