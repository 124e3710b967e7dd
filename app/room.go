package app

import (
	"context"
	"time"

	"cairn/engine"
)

// roomEvery is how often a task that a full disk stopped looks whether there is room.
const roomEvery = 10 * time.Second

// waitForRoom goes on with a task that a full disk stopped, once there is room
// again, unless somebody started or stopped it meanwhile.
func (h *handle) waitForRoom() {
	s := h.s
	if s.cfg.Short || s.cfg.Vault == nil {
		return
	}
	h.mu.Lock()
	stopped := h.failed
	h.mu.Unlock()
	s.spawn(func(ctx context.Context) {
		for s.cfg.Clock.Sleep(ctx, roomEvery) == nil {
			h.mu.Lock()
			mine := !h.running && h.failed == stopped
			h.mu.Unlock()
			if !mine || !s.wasRunning(ctx, h.id) {
				return
			}
			if s.cfg.Vault.Room() != nil {
				continue
			}
			if err := s.Run(ctx, h.id); err != nil && engine.KindOf(err) != engine.KindDiskFull {
				s.report(err)
			}
			return // a run that finds the disk full again waits again
		}
	})
}
