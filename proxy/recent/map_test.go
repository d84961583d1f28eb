package recent

import (
	"sync"
	"testing"
	"time"
)

var start = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

func TestWhatIsTouchedStaysAndTheRestGoes(t *testing.T) {
	m := New[string, int](100, time.Hour)
	m.Set("kept", 1, start)
	m.Set("left", 2, start)
	for minutes := range 300 {
		now := start.Add(time.Duration(minutes) * time.Minute)
		if v, known := m.Get("kept", now); !known || v != 1 {
			t.Fatalf("after %d minutes of constant use: got %d, %t", minutes, v, known)
		}
		if _, known := m.find("left"); minutes < 60 && !known || minutes >= 120 && known {
			t.Fatalf("untouched for %d minutes: known %t; want it known for one hour and not after two", minutes, known)
		}
	}
}

func TestWhatWasNotTouchedForTwoTurnsIsGoneHoweverQuietItWas(t *testing.T) {
	for wait, want := range map[time.Duration]bool{59 * time.Minute: true, 2 * time.Hour: false, 1000 * time.Hour: false} {
		m := New[string, int](100, time.Hour)
		m.Set("a", 1, start)
		if _, known := m.Get("a", start.Add(wait)); known != want {
			t.Errorf("after %v: known %t, want %t", wait, known, want)
		}
	}
}

func TestMemoryIsBoundedAndTheLatestStay(t *testing.T) {
	const size = 100
	m := New[int, int](size, time.Hour)
	for i := range 10_000 {
		m.Set(i, i, start)
		if n := len(m.young) + len(m.old); n > 2*size {
			t.Fatalf("after %d entries the map holds %d, want at most %d", i+1, n, 2*size)
		}
		for _, j := range []int{i, max(0, i-size+1)} {
			if v, known := m.find(j); !known || v != j {
				t.Fatalf("of the latest %d entries, number %d is %d, known %t", size, i-j, v, known)
			}
		}
	}
}

func TestUpdatesOfOneEntryAreAllMade(t *testing.T) {
	m := New[string, int](10, time.Hour)
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 1000 {
				m.Update("n", start, func(n int) int { return n + 1 })
				m.Get("other", start)
			}
		})
	}
	wg.Wait()
	if n, _ := m.Get("n", start); n != 8000 {
		t.Errorf("counted to %d, want 8000", n)
	}
}
