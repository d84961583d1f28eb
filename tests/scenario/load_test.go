package scenario

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
)

// workers is how many requests a load keeps in flight.
const workers = 4

// load is clients that chat in a closed loop until it is stopped, streaming and not in turn.
type load struct {
	cancel context.CancelFunc
	done   sync.WaitGroup

	mu       sync.Mutex
	answered int
	failures []error
}

// startLoad begins to ask for model. streams says whether every second request is a stream.
func startLoad(t *testing.T, c caller, model string, streams bool) *load {
	ctx, cancel := context.WithCancel(t.Context())
	l := &load{cancel: cancel}
	for worker := range workers {
		l.done.Go(func() {
			for n := worker; ctx.Err() == nil; n++ {
				_, err := c.chat(context.WithoutCancel(ctx), model, streams && n%2 == 0)
				l.note(err)
			}
		})
	}
	t.Cleanup(func() { cancel(); l.done.Wait() })
	return l
}

func (l *load) note(err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if err == nil {
		l.answered++
		return
	}
	l.failures = append(l.failures, err)
}

func (l *load) count() (answered int, failures error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.answered, errors.Join(l.failures...)
}

// more waits until that many further requests were answered; a failed one ends the test.
func (l *load) more(t *testing.T, n int) {
	t.Helper()
	before, _ := l.count()
	eventually(t, patience, func() error {
		answered, failures := l.count()
		if failures != nil {
			t.Fatalf("requests failed: %v", failures)
		}
		if answered < before+n {
			return fmt.Errorf("%d requests were answered, want %d", answered-before, n)
		}
		return nil
	})
}

// stop ends the load and fails the test when any request failed.
func (l *load) stop(t *testing.T) {
	t.Helper()
	l.cancel()
	l.done.Wait()
	answered, failures := l.count()
	if failures != nil {
		t.Errorf("requests failed beside %d that did not: %v", answered, failures)
	}
	if answered == 0 {
		t.Error("the load made no request")
	}
}
