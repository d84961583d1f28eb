package dev

import (
	"context"
	"errors"
	"fmt"
	"slices"
)

// stack runs parts that need each other: started one after the other, stopped in reverse, each only once those
// above it have ended.
type stack struct {
	fail  context.CancelCauseFunc
	parts []running
}

type running struct {
	stop  context.CancelFunc
	ended <-chan error
}

// newStack returns an empty stack and a context that ends with ctx and as soon as a part ends by itself.
func newStack(ctx context.Context) (*stack, context.Context) {
	whole, fail := context.WithCancelCause(ctx)
	return &stack{fail: fail}, whole
}

// start runs a part until stop, which ends the part's context; the end of ctx does not.
func (s *stack) start(ctx context.Context, name string, run func(context.Context) error) {
	ctx, stop := context.WithCancel(context.WithoutCancel(ctx))
	ended := make(chan error, 1)
	s.parts = append(s.parts, running{stop, ended})
	go func() {
		err := run(ctx)
		if err != nil {
			err = fmt.Errorf("%s: %w", name, err)
		} else if ctx.Err() == nil {
			err = fmt.Errorf("%s ended", name)
		}
		if ctx.Err() == nil {
			s.fail(err)
		}
		ended <- err
	}()
}

// stop ends every part and returns what went wrong with them, before or at their end.
func (s *stack) stop() error {
	var faults []error
	for _, p := range slices.Backward(s.parts) {
		p.stop()
		faults = append(faults, <-p.ended)
	}
	s.fail(nil)
	return errors.Join(faults...)
}
