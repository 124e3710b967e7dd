package vault

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sort"

	badger "github.com/dgraph-io/badger/v4"

	"cairn/engine/ledger"
)

// Fault is one thing that a check found wrong.
type Fault struct {
	File   string // in Cairn's folder: "vault/000003.sst", "journal/….jsonl"
	Record string // in that file: "text …", "lines of history … from 17"
	What   string // a sentence
}

// Report is what a check read and found.
type Report struct {
	Records, Texts, Histories, Lines, Backups int64
	Faults                                    []Fault
	// Mends: the next opening mends what was found, or some of it.
	Mends bool
}

// Progress is called now and then by what takes long: what is being done, how far
// it is, and of how much, 0 where that is not known.
type Progress func(doing string, done, total int64)

// say is Progress for every n-th of many small things.
func (p Progress) say(doing string, done, total int64) {
	if p != nil && (done%500 == 0 || done == total) {
		p(doing, done, total)
	}
}

// Check is Examine for whoever wants the sentences only.
func (s *Store) Check(ctx context.Context) ([]string, error) {
	r, err := s.Examine(ctx, nil)
	var out []string
	for _, f := range r.Faults {
		out = append(out, f.What)
	}
	return out, err
}

// Examine reads everything: every record against its sum, every text against its
// hash, every branch's chain, every journal against the store, every backup in the
// folder. It takes as long as reading the folder. It changes nothing: what an
// opening can mend is noted, and the next one mends it (Mends).
func (s *Store) Examine(ctx context.Context, tell Progress) (Report, error) {
	kv, err := s.store(ctx)
	if err != nil {
		return Report{}, err
	}
	e := &examination{s: s, kv: kv, tell: tell}
	for _, part := range []func(context.Context) error{e.records, e.texts, e.histories, e.backups} {
		if err := part(ctx); err != nil {
			return e.Report, err
		}
	}
	if e.compare {
		err = writeUnsynced(s.home.compare(), []byte("journal\n"), false)
	}
	if e.repair {
		err = errors.Join(err, writeUnsynced(s.home.repair(), []byte("damage\n"), false))
	}
	e.Mends = s.Mends()
	return e.Report, err
}

// Mends tells whether the next opening has something to mend that Check or a read
// has found: a journal is then written again from the store where they differ, a
// store with damaged records is built again from the journals.
func (s *Store) Mends() bool { return exists(s.home.compare()) || exists(s.home.repair()) }

// examination is one check under way.
type examination struct {
	Report
	s    *Store
	kv   *kv
	tell Progress

	parts, held     []ledger.Hash
	repair, compare bool
}

func (e *examination) fault(file, record, format string, args ...any) {
	e.Faults = append(e.Faults, Fault{file, record, fmt.Sprintf(format, args...)})
}

// records reads every record against its own sum, and has Badger check its tables.
func (e *examination) records(ctx context.Context) error {
	err := e.kv.each(nil, nil, func(key, env []byte) (bool, error) {
		if err := alive(ctx); err != nil {
			return false, err
		}
		e.Records++
		e.tell.say("reading records", e.Records, 0)
		k := kindOfKey(key)
		if _, err := unseal(k, key, env); err != nil {
			e.repair = true
			e.fault(e.kv.where(key), recordName(key), "A record of kind %d fails its check: %v.", k, err)
			return true, nil
		}
		switch h := hashOfKey(key); {
		case k == kindHeld:
			e.held = append(e.held, h)
		case k == kindPart && (len(e.parts) == 0 || e.parts[len(e.parts)-1] != h):
			e.parts = append(e.parts, h) // also where its first part is gone
		}
		return true, nil
	})
	if err != nil {
		return err
	}
	// An iterator passes over a block that it can't read without a word.
	if err := e.kv.verifyTables(); err != nil {
		e.repair = true
		e.fault("vault", "table", "A table of the store fails its check: %v.", err)
	}
	return nil
}

// texts reads every text against its hash, and looks for those that should be here.
func (e *examination) texts(ctx context.Context) error {
	total := int64(len(e.parts))
	lost := map[ledger.Hash]bool{}
	gone := func(h ledger.Hash) {
		if !planted(faultMissingIsAbsent) && !lost[h] {
			lost[h] = true
			e.fault("vault", "text "+h.String(), "Text %s is lost.", h)
		}
	}
	for _, h := range e.parts {
		if err := alive(ctx); err != nil {
			return err
		}
		e.Texts++
		e.tell.say("reading texts", e.Texts, total)
		_, err := readBlob(e.kv, h)
		switch {
		case errors.Is(err, badger.ErrKeyNotFound):
			e.repair = true // half of it is here
			gone(h)
		case err != nil:
			e.repair = e.repair || errors.Is(err, errDamaged)
			e.fault(e.kv.where(partKey(h, 0)), "text "+h.String(), "Text %s: %v.", h, err)
		}
	}
	for _, h := range e.held {
		if here, err := e.kv.has(partKey(h, 0)); err != nil || !here {
			gone(h)
		}
	}
	return nil
}

// histories follows every branch's chain and compares its journal.
func (e *examination) histories(ctx context.Context) error {
	s := e.s
	s.w.Lock()
	defer s.w.Unlock()
	s.mu.RLock()
	records := make([]*branchRecord, 0, len(s.branches))
	for _, r := range s.branches {
		records = append(records, r)
	}
	s.mu.RUnlock()
	sort.Slice(records, func(i, j int) bool { return bytes.Compare(records[i].id[:], records[j].id[:]) < 0 })
	for _, r := range records {
		if err := alive(ctx); err != nil {
			return err
		}
		file := s.asideName(s.home.Journal(r.id.String()))
		if r.damage != "" {
			e.fault(file, "history "+r.id.String(), "History %s: %s.", r.id, r.damage)
		}
		line, err := s.checkJournal(r, func() {
			e.Lines++
			e.tell.say("reading lines", e.Lines, 0)
		})
		if err != nil {
			e.repair = e.repair || errors.Is(err, errDamaged)
			e.compare = e.compare || errors.Is(err, errJournal)
			if !errors.Is(err, errJournal) {
				file = e.kv.where(linesKey(r.id, line))
			}
			e.fault(file, fmt.Sprintf("line %d", line), "History %s: %v.", r.id, err)
		}
		e.Histories++
	}
	return nil
}

// backups reads the backups in Cairn's folder.
func (e *examination) backups(ctx context.Context) error {
	list, err := Backups(e.s.home.Backups())
	if err != nil {
		return err
	}
	for _, b := range list {
		if _, err := VerifyBackup(ctx, b.Path, e.tell); err != nil {
			if ctx.Err() != nil {
				return err
			}
			e.fault(e.s.asideName(b.Path), "backup", "The backup %s can't be used: %v", filepath.Base(b.Path), err)
			continue
		}
		e.Backups++
	}
	return nil
}

// errJournal: a journal does not say what the store says.
var errJournal = errors.New("journal and store differ")

// checkJournal compares a branch's journal, line for line, with the store. It gives
// the line at which they part; read is called for each.
func (s *Store) checkJournal(r *branchRecord, read func()) (line int64, err error) {
	if r.head.Seq < r.from || planted(faultJournalIgnored) {
		return 0, nil
	}
	lines, torn, err := readJournal(s.home.Journal(r.id.String()))
	if errors.Is(err, os.ErrNotExist) {
		return r.from, fmt.Errorf("%w: the journal is missing", errJournal)
	}
	if err != nil {
		return r.from, err
	}
	n := 0
	err = s.ownLines(r, func(line []byte) error {
		if n >= len(lines) || string(lines[n]) != string(line) {
			return fmt.Errorf("%w: line %d of the journal is not the saved one", errJournal, r.from+int64(n))
		}
		n++
		read()
		return nil
	})
	if err == nil && (n != len(lines) || len(torn) > 0) {
		err = fmt.Errorf("%w: the journal goes on after line %d", errJournal, r.head.Seq)
	}
	return r.from + int64(n), err
}

// recordName says in words what a key names.
func recordName(key []byte) string {
	k := kindOfKey(key)
	if n := k.keyLen(); n != 0 && n != len(key) {
		return fmt.Sprintf("key %x", key)
	}
	switch k {
	case kindMeta:
		return "the record “" + string(key[1:]) + "” of the store"
	case kindBranch:
		return "history " + branchOfKey(key).String()
	case kindLines:
		return fmt.Sprintf("lines of history %s from %d", branchOfKey(key), seqOfKey(key))
	case kindPart, kindHeld:
		return "text " + hashOfKey(key).String()
	case kindLocal:
		return fmt.Sprintf("local record %q", bytes.ReplaceAll(key[1:], []byte{0}, []byte(" ")))
	}
	return fmt.Sprintf("key %x", key)
}

// where names the file of the store that holds a key, as well as can be told: a
// table whose range it lies in, else the log.
func (s *kv) where(key []byte) (file string) {
	file = "vault"
	defer func() { _ = recover() }() // Badger, asked about a damaged store
	s.mu.RLock()
	defer s.mu.RUnlock()
	if s.closed {
		return file
	}
	for _, t := range s.db.Tables() {
		if bytes.Compare(t.Left, key) <= 0 && bytes.Compare(key, t.Right) <= 0 {
			return fmt.Sprintf("vault/%06d.sst", t.ID)
		}
	}
	return file
}
