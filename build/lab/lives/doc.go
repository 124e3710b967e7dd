// Package lives lives the lives of tasks: seeded random sequences of steps of a
// model, edits of a person, alternatives, joins, files that travel, deletions,
// crashes and sleeps, on a fake clock, disk and model. After every op all
// invariants are looked at. A life is repeated by its seed, and one that fails is
// made as short as it can be.
package lives
