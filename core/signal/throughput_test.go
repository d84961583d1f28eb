package signal

import (
	"testing"
	"time"
)

func TestThroughputIsTheTokensOverTheSecondsOfAllStreams(t *testing.T) {
	b := wanting()
	b.Produced(1, TTFT, 100, time.Second, start)
	b.Produced(1, TTFT, 300, 9*time.Second, start)
	b.Produced(1, Total, 10, 10*time.Second, start) // there are streams
	b.Produced(2, Total, 90, 3*time.Second, start)
	b.Produced(3, TTFT, 0, time.Second, start) // the upstream did not count
	for k, want := range map[Key][2]float64{1: {40, 2}, 2: {30, 1}, 3: {}, 9: {}} {
		speed, answers := b.Throughput(k, start)
		if !near(speed, want[0], 1e-9) || !near(answers, want[1], 1e-9) {
			t.Errorf("key %d: got %v tokens a second of %v answers, want %v", k, speed, answers, want)
		}
	}
}

// An answer that was held up on its way and arrives in one piece has not been made in no time.
func TestThroughputIsBounded(t *testing.T) {
	b := wanting()
	for _, in := range []time.Duration{0, 1, -time.Second} {
		b.Produced(1, TTFT, 1<<40, in, start)
		b.Produced(2, TTFT, 1, in, start)
	}
	b.Produced(3, TTFT, 1, 1e6*time.Hour, start)
	for k := range Key(4) {
		if speed, _ := b.Throughput(k, start); !(speed >= 0 && speed <= maxSpeed*1.001) {
			t.Errorf("key %d: got %v tokens a second, want at most %v", k, speed, maxSpeed)
		}
	}
	send(t, b, start) // nothing of it is rejected
}
