package task

import (
	"context"
	"fmt"
	"sync"

	"cairn/engine"
	"cairn/engine/ledger"
	"cairn/engine/planner"
	"cairn/engine/search"
	"cairn/engine/source"
	"cairn/engine/state"
)

// cached bounds the texts that are kept in memory; passages and the search index stay.
const cached = 64 << 20

// Library gives the stored texts of a task's sources. Texts are named by their
// hash, so what it returns never changes. Safe for concurrent use.
type Library struct {
	blobs engine.Blobs
	task  *Task

	mu       sync.Mutex
	texts    map[string]*Text // by source id
	order    []string         // oldest first
	bytes    int64
	passages map[string][]planner.Passage
	index    *search.Index
	indexed  string // digest of the sources in the index
}

// Text is one source's stored text and sentence table.
type Text struct {
	Body  []byte
	Table source.Table
}

// Slice cuts sentences from..to, byte for byte.
func (t *Text) Slice(from, to int64) string { return t.Table.Slice(t.Body, from, to) }

func newLibrary(blobs engine.Blobs, t *Task) *Library {
	return &Library{blobs: blobs, task: t, texts: map[string]*Text{}, passages: map[string][]planner.Passage{}}
}

// Text reads and checks a source's text. Errors: KindNotFound when the source
// has no text here, KindDamaged when its bytes don't fit their hash.
func (l *Library) Text(ctx context.Context, s *state.Source) (*Text, error) {
	l.mu.Lock()
	t, ok := l.texts[s.ID]
	l.mu.Unlock()
	if ok {
		return t, nil
	}
	if s.Body == "" {
		return nil, &engine.Error{Kind: engine.KindNotFound, What: fmt.Sprintf("“%s” has no text.", s.Name)}
	}
	body, err := l.blob(ctx, s.Body)
	if err != nil {
		return nil, fmt.Errorf("read the text of %q: %w", s.Name, err)
	}
	raw, err := l.blob(ctx, s.Table)
	if err != nil {
		return nil, fmt.Errorf("read the sentences of %q: %w", s.Name, err)
	}
	table, err := source.DecodeTable(raw)
	if err == nil {
		err = table.Check(body)
	}
	if err != nil {
		return nil, &engine.Error{Kind: engine.KindDamaged, What: fmt.Sprintf("The sentences of “%s” can't be read.", s.Name), Err: err}
	}
	t = &Text{Body: body, Table: table}
	l.keep(s.ID, t)
	return t, nil
}

func (l *Library) blob(ctx context.Context, hash string) ([]byte, error) {
	h, err := ledger.ParseHash(hash)
	if err != nil {
		return nil, err
	}
	return l.blobs.Blob(ctx, h)
}

func (l *Library) keep(id string, t *Text) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if _, ok := l.texts[id]; ok {
		return
	}
	l.texts[id] = t
	l.order = append(l.order, id)
	l.bytes += int64(len(t.Body))
	for l.bytes > cached && len(l.order) > 1 {
		old := l.order[0]
		l.order = l.order[1:]
		l.bytes -= int64(len(l.texts[old].Body))
		delete(l.texts, old)
	}
}

// Passages implements planner.Library: the one way in which a source is cut for showing.
func (l *Library) Passages(id string) ([]planner.Passage, error) {
	l.mu.Lock()
	p, ok := l.passages[id]
	l.mu.Unlock()
	if ok {
		return p, nil
	}
	s := l.task.state.Sources[id]
	if s == nil {
		return nil, fmt.Errorf("passages: there is no source %s", id)
	}
	t, err := l.Text(context.Background(), s)
	if engine.KindOf(err) == engine.KindNotFound && err != nil {
		return nil, nil // lost with the store; the next intake reads it again or says so
	}
	if err != nil {
		return nil, err
	}
	for _, cut := range search.Passages(&t.Table, t.Body) {
		p = append(p, planner.Passage{From: cut.From, To: cut.To, Bytes: int64(len(t.Slice(cut.From, cut.To)))})
	}
	l.mu.Lock()
	l.passages[id] = p
	l.mu.Unlock()
	return p, nil
}

// Index gives the search index over the sources that can be read now. It is
// derived and may be built anew at any time.
func (l *Library) Index(ctx context.Context, sources []*state.Source) (*search.Index, error) {
	var key []byte
	for _, s := range sources {
		key = append(append(key, s.ID...), s.Table...)
	}
	digest := ledger.HashOf(key).String()
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.index != nil && l.indexed == digest {
		return l.index, nil
	}
	docs := make([]search.Doc, 0, len(sources))
	for _, s := range sources {
		l.mu.Unlock()
		t, err := l.Text(ctx, s)
		l.mu.Lock()
		if err != nil {
			return nil, err
		}
		docs = append(docs, search.Doc{Source: s.ID, Title: s.Title, Body: t.Body, Table: &t.Table})
	}
	l.index, l.indexed = search.New(docs), digest
	return l.index, nil
}
