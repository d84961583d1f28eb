package budget_test

import (
	"sync"
	"testing"

	"github.com/sluice-gateway/sluice/proxy/budget"
)

func TestNoMoreIsTakenThanThereIs(t *testing.T) {
	b := budget.New(100)
	if !b.Take(60) || b.Take(41) || !b.Take(40) || b.Take(1) {
		t.Fatal("60 and 40 of 100 can be taken, and nothing beside them")
	}
	b.Give(60)
	if !b.Take(60) {
		t.Error("what was given back cannot be taken again")
	}
}

func TestConcurrentTakersNeverHoldMoreThanTheLimit(t *testing.T) {
	b := budget.New(10)
	var wg sync.WaitGroup
	for range 50 {
		wg.Go(func() {
			for range 1000 {
				if b.Take(3) {
					b.Give(3)
				}
			}
		})
	}
	wg.Wait()
	if b.Taken() != 0 {
		t.Errorf("%d bytes are still held", b.Taken())
	}
}
