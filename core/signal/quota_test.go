package signal

import (
	"math"
	"testing"
	"time"
)

func TestQuotaIsWhatRemainsOfTheTightestLimit(t *testing.T) {
	minute := time.Minute
	for _, tc := range []struct {
		name  string
		said  Quota
		after time.Duration
		want  float64
		known bool
	}{
		{"nothing used", Quota{}, 0, 1, true},
		{"requests", Quota{Limit{0.75, minute}, Limit{0.5, minute}}, 0, 0.25, true},
		{"tokens", Quota{Limit{0.25, minute}, Limit{0.5, minute}}, 0, 0.5, true},
		{"used up", Quota{Limit{1, minute}, Limit{}}, 59 * time.Second, 0, true},
		{"the tightest has been reset", Quota{Limit{0.9, time.Second}, Limit{0.5, minute}}, 2 * time.Second, 0.5, true},
		{"all have been reset", Quota{Limit{0.9, time.Second}, Limit{0.5, minute}}, 2 * minute, 1, true},
		{"just not forgotten", Quota{Limit{0.9, minute}, Limit{}}, quotaMemory, 1, true},
		{"forgotten", Quota{Limit{0.9, minute}, Limit{}}, quotaMemory + 1, 1, false},
		{"a limit by the day", Quota{Limit{1, 5 * time.Hour}, Limit{}}, 4 * time.Hour, 0, true},
		{"more than a day", Quota{Limit{1, 1e6 * time.Hour}, Limit{}}, 25 * time.Hour, 1, false},
		{"more than all", Quota{Limit{7, minute}, Limit{-3, -minute}}, 0, 0, true},
		{"not a number", Quota{Limit{math.NaN(), minute}, Limit{math.Inf(-1), minute}}, 0, 1, true},
	} {
		own, reader := NewBoard(), NewBoard()
		own.Limited(1, tc.said, start)
		reader.SetPeer("a", send(t, own, start))
		reader.Fold(start)
		for who, b := range map[string]*Board{"own": own, "peer": reader} {
			got, known := b.Quota(1, start.Add(tc.after))
			if math.Abs(got-tc.want) > 1e-4 || known != tc.known {
				t.Errorf("%s, %s: got %v, %v; want %v, %v", tc.name, who, got, known, tc.want, tc.known)
			}
		}
	}
	if _, known := NewBoard().Quota(1, start); known {
		t.Error("a quota of which nothing was said is known")
	}
}

// The last word holds whoever heard it, and however late it arrives.
func TestNewestQuotaWins(t *testing.T) {
	say := func(used, at float64) *Board {
		b := NewBoard()
		b.Limited(1, Quota{Requests: Limit{used, time.Minute}}, start.Add(time.Duration(at*float64(time.Second))))
		return b
	}
	older, newer := send(t, say(0.2, 0), at(1)), send(t, say(0.6, 2), at(5))
	for name, peers := range map[string][]*Peer{"in order": {older, newer}, "out of order": {newer, older}, "twice": {newer, older, older, newer}} {
		own := say(0.4, 1)
		for i, p := range peers {
			own.SetPeer(string(rune('a'+i)), p)
		}
		own.Fold(at(5))
		if got, _ := own.Quota(1, at(5)); math.Abs(got-0.4) > 1e-4 {
			t.Errorf("%s: got %v, want the newest, 0.4", name, got)
		}
		own.Limited(1, Quota{Requests: Limit{0.9, time.Minute}}, at(4))
		own.Limited(1, Quota{Requests: Limit{0.1, time.Minute}}, at(3)) // its answer has been overtaken
		if got, _ := own.Quota(1, at(5)); math.Abs(got-0.1) > 1e-9 {
			t.Errorf("%s, then heard here: got %v, want 0.1", name, got)
		}
	}
}

func TestQuotaAgesByTheReadersClockByWayOfARoot(t *testing.T) {
	b := NewBoard()
	b.Limited(1, Quota{Tokens: Limit{0.8, 10 * time.Second}}, at(0))
	root := aggregate(t, map[string]*Peer{"a": send(t, b, at(4))}, at(6))
	reader := NewBoard()
	reader.SetRoot(root, nil)
	reader.Fold(at(7))
	for after, want := range map[float64]float64{7: 0.2, 9.9: 0.2, 10.1: 1} {
		if got, known := reader.Quota(1, at(after)); math.Abs(got-want) > 1e-4 || !known {
			t.Errorf("at %v s: got %v, %v; want %v", after, got, known, want)
		}
	}
}
