// Package vault keeps Cairn's ledgers and texts: a plain-text journal for each
// branch, which is the record, and a Badger store built from it and used for
// everything else. It is the only package that imports Badger.
//
// Every group is written in one order: the texts it names, then the journal and
// its sync, then one synced transaction of the store. Only then Append returns,
// and the group is saved. Opening compares both places and mends what a crash
// left between them; FORMAT.md has the bytes.
//
// What people should know: whoever can read the folder can read everything in
// it. Deleting a task rewrites the store without it; blocks that the disk has
// freed, copies made by backup programs and exported files are out of reach.
package vault
