package vault

import (
	"context"
	"errors"
)

// Repaired says what a repair found and did.
type Repaired struct {
	Found []Fault  // by the first check
	Done  []string // what opening mended, moved or lost, before and after it
	Left  []Fault  // what is still wrong
}

// Repair opens the records of a folder whose lock this process holds, checks them
// whole, opens them again if that mends something, and checks again. The vault is
// closed when it returns. What is set aside is kept.
func Repair(ctx context.Context, home Home, lock *HomeLock, o Options, tell Progress) (Repaired, error) {
	var out Repaired
	left, mends, err := openAndCheck(ctx, home, lock, o, tell, &out)
	if err != nil {
		return out, err
	}
	out.Found, out.Left = left, left
	// One opening may bring to light what the next one mends: a store that was built
	// again is compared with journals that were damaged too.
	for range 2 {
		if !mends {
			break
		}
		if out.Left, mends, err = openAndCheck(ctx, home, lock, o, tell, &out); err != nil {
			return out, err
		}
	}
	return out, nil
}

func openAndCheck(ctx context.Context, home Home, lock *HomeLock, o Options, tell Progress, out *Repaired) ([]Fault, bool, error) {
	s, opened, err := Open(home, lock, o)
	if err != nil {
		return nil, false, err
	}
	out.Done = append(out.Done, opened.Report...)
	r, err := s.Examine(ctx, tell)
	return r.Faults, r.Mends, errors.Join(err, s.Close())
}

// Room gives KindDiskFull while there is too little free space to save a group, or
// so little more that the next ones would fill it.
func (s *Store) Room() error { return s.room(s.o.Floor + s.o.Floor/8) }
