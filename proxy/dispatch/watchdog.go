package dispatch

import (
	"context"
	"errors"
	"sync/atomic"
	"time"
)

// Causes with which an attempt's context ends.
var (
	errFirstToken = errors.New("no first token in time")
	errIdle       = errors.New("stream went idle")
	errAttempt    = errors.New("attempt took too long")
	errDeadline   = errors.New("request deadline exceeded")
)

// watchdog ends an attempt's context when one of its limits passes. It costs one timer: progress only
// stores a moment, and the timer looks at that when it fires.
type watchdog struct {
	cancel context.CancelCauseFunc
	timer  *time.Timer
	start  time.Time

	// The soft limit counts from the last progress, in nanoseconds since start.
	progress atomic.Int64
	soft     atomic.Int64 // 0: none
	idle     atomic.Bool  // soft limit is the idle one

	hard      atomic.Int64 // nanoseconds since start; 0: none
	hardCause error
	stopped   atomic.Bool
}

// watch starts a watchdog. first limits the wait until calm is called (0: none); hard ends it all (zero:
// never) with that cause.
func watch(cancel context.CancelCauseFunc, start time.Time, first time.Duration, hard time.Time, cause error) *watchdog {
	w := &watchdog{cancel: cancel, start: start, hardCause: cause}
	w.soft.Store(int64(first))
	if !hard.IsZero() {
		w.hard.Store(max(int64(hard.Sub(start)), 1))
	}
	w.arm()
	return w
}

// never is set before the real time so that fire, on its own goroutine, finds timer assigned.
const never = 1 << 62

func (w *watchdog) arm() {
	next, _ := w.next()
	if next == 0 {
		return
	}
	if w.timer == nil {
		w.timer = time.AfterFunc(never, w.fire)
	}
	w.timer.Reset(next - time.Since(w.start))
}

// next returns when the next limit passes, since start, and what that means; 0 when there is none.
func (w *watchdog) next() (time.Duration, error) {
	hard, soft := w.hard.Load(), w.soft.Load()
	if soft == 0 {
		return time.Duration(hard), w.hardCause
	}
	at := w.progress.Load() + soft
	if hard > 0 && hard < at {
		return time.Duration(hard), w.hardCause
	}
	if w.idle.Load() {
		return time.Duration(at), errIdle
	}
	return time.Duration(at), errFirstToken
}

func (w *watchdog) fire() {
	if w.stopped.Load() {
		return
	}
	next, cause := w.next()
	if next == 0 {
		return
	}
	if wait := next - time.Since(w.start); wait > 0 {
		w.timer.Reset(wait)
		return
	}
	w.cancel(cause)
}

// calm replaces the first limit by the idle one.
func (w *watchdog) calm(now time.Time, idle time.Duration) {
	w.tick(now)
	w.idle.Store(true)
	w.soft.Store(int64(idle))
	w.arm()
}

// tick notes progress.
func (w *watchdog) tick(now time.Time) { w.progress.Store(int64(now.Sub(w.start))) }

// limit ends everything at that moment, or sooner if a limit passes sooner.
func (w *watchdog) limit(at time.Time) {
	w.soft.Store(0)
	end := max(int64(at.Sub(w.start)), 1)
	if hard := w.hard.Load(); hard == 0 || end < hard {
		w.hard.Store(end)
	}
	w.arm()
}

func (w *watchdog) stop() {
	w.stopped.Store(true)
	if w.timer != nil {
		w.timer.Stop()
	}
}
