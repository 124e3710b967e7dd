package stage

import (
	"context"
	"sync"
	"time"

	"cairn/engine/clock"
)

// tick is how often a running stage is shown.
const tick = time.Second

// Progress is how a running stage says where it is. Its methods may be called
// from any goroutine.
type Progress struct {
	mu     sync.Mutex
	out    Output
	clock  clock.Real
	stage  Stage
	begun  time.Time
	own    time.Duration // estimate for this stage
	rest   time.Duration // estimate for the stages after it
	note   string
	result string
	done   int64
	total  int64
	watch  []func(State)

	cancel context.CancelFunc
	ended  chan struct{}
}

// State is a running stage at one moment.
type State struct {
	Stage Stage
	Note  string        // what is being done now
	Spent time.Duration // so far
	Left  time.Duration // of this stage; 0 when the estimate has run out
	After time.Duration // of the stages that follow
	Done  int64         // counted work, when Total > 0
	Total int64
}

func newProgress(out Output, c clock.Real, s Stage, begun time.Time, own, rest time.Duration) *Progress {
	ctx, cancel := context.WithCancel(context.Background())
	p := &Progress{out: out, clock: c, stage: s, begun: begun, own: own, rest: rest, cancel: cancel, ended: make(chan struct{})}
	go p.show(ctx)
	return p
}

// Note says what is being done now, in a few words.
func (p *Progress) Note(text string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.note = text
}

// Result is a few words that stand behind the stage when it has ended.
func (p *Progress) Result(text string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.result = text
}

// Count says how much of the counted work is done. The time left is then taken
// from the pace so far, once a tenth is done, instead of from the estimate.
func (p *Progress) Count(done, total int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.done, p.total = done, total
}

// Watch calls fn about once a second with the state, until the stage ends.
func (p *Progress) Watch(fn func(State)) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.watch = append(p.watch, fn)
}

// Print writes a whole line of output, above the progress line where there is one.
func (p *Progress) Print(line string) { p.out.Line(line) }

func (p *Progress) lastResult() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.result
}

func (p *Progress) state() State {
	p.mu.Lock()
	defer p.mu.Unlock()
	spent := p.clock.Now().Sub(p.begun)
	return State{
		Stage: p.stage, Note: p.note, Spent: spent, After: p.rest, Done: p.done, Total: p.total,
		Left: left(spent, p.own, p.done, p.total),
	}
}

// left estimates the remaining time of a stage.
func left(spent, own time.Duration, done, total int64) time.Duration {
	if total > 0 && done*10 >= total && done > 0 {
		return time.Duration(float64(spent) * float64(total-done) / float64(done))
	}
	return max(own-spent, 0)
}

func (p *Progress) show(ctx context.Context) {
	defer close(p.ended)
	for p.clock.Sleep(ctx, tick) == nil {
		s := p.state()
		p.out.Tick(s)
		p.mu.Lock()
		watch := p.watch
		p.mu.Unlock()
		for _, fn := range watch {
			fn(s)
		}
	}
}

func (p *Progress) stop() {
	p.cancel()
	<-p.ended
}
