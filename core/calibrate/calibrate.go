package calibrate

import (
	"cmp"
	"math"
	"slices"

	"github.com/sluice-gateway/sluice/core/vector"
)

// Member is what a target of the routing goes by.
type Member struct {
	Name     string
	Examples int
	// Threshold is its bar; -Inf: every score clears.
	Threshold float64
}

// Sample is a prompt that was compared.
type Sample struct {
	// Belongs is the index of the member where it belongs.
	Belongs int
	// Scores has the cosine of each member's best example; NaN: it has none, or the prompt no text.
	Scores []float64
}

// Judge holds the samples against the members, of which fallback serves what clears no bar. Node, Routing, Close and
// the pairs are left to the caller.
func Judge(members []Member, fallback int, samples []Sample) Result {
	r := Result{Prompts: len(samples), Criterion: "youden", Confusion: []Cell{}, Wrong: []Wrong{}, ClosePairs: []Pair{}}
	now := make([]float64, len(members))
	for i, m := range members {
		now[i] = m.Threshold
	}
	suggested := slices.Clone(now)
	for i, m := range members {
		t := Target{Target: m.Name, Examples: m.Examples, Fallback: i == fallback}
		if m.Examples > 0 {
			t.Threshold = finite(m.Threshold)
		}
		for _, s := range samples {
			if s.Belongs == i {
				t.Prompts++
			}
		}
		if b, ok := best(i, samples); ok {
			t.Suggested, t.Youden, t.TruePositives, t.FalsePositives = &b.bar, &b.youden, &b.own, &b.others
			suggested[i] = b.bar
		}
		r.Targets = append(r.Targets, t)
	}
	r.Accuracy = accuracy(samples, now, fallback)
	r.AccuracySuggested = accuracy(samples, suggested, fallback)
	r.confuse(members, samples, now, fallback)
	return r
}

// route returns the member that serves a sample: of those that clear their bars the one of the highest score, the first
// among equals.
func route(s Sample, bars []float64, fallback int) int {
	at := -1
	for i, score := range s.Scores {
		if clears(score, bars[i]) && (at < 0 || score > s.Scores[at]) {
			at = i
		}
	}
	if at < 0 {
		return fallback
	}
	return at
}

// clears is the rule of vector.Match: NaN clears nothing.
func clears(score, bar float64) bool { return score >= bar-vector.Tolerance }

func accuracy(samples []Sample, bars []float64, fallback int) float64 {
	if len(samples) == 0 {
		return 0
	}
	right := 0
	for _, s := range samples {
		if route(s, bars, fallback) == s.Belongs {
			right++
		}
	}
	return float64(right) / float64(len(samples))
}

// bar is a threshold and what it comes to.
type bar struct {
	bar                 float64
	youden, own, others float64
	gap                 float64 // between the scores on both of its sides
}

// best returns the bar of a member that tells its own samples best from the others. It is not ok where there is
// nothing to tell apart.
func best(member int, samples []Sample) (b bar, ok bool) {
	var own, others []float64
	for _, s := range samples {
		switch score := s.Scores[member]; {
		case math.IsNaN(score):
		case s.Belongs == member:
			own = append(own, score)
		default:
			others = append(others, score)
		}
	}
	if len(own) == 0 || len(others) == 0 {
		return b, false
	}
	slices.Sort(own)
	slices.Sort(others)
	b.youden = math.Inf(-1)
	for _, c := range candidates(own, others) {
		c.own, c.others = above(own, c.bar), above(others, c.bar)
		c.youden = c.own - c.others
		if c.youden > b.youden || c.youden == b.youden && c.gap > b.gap {
			b = c
		}
	}
	return b, true
}

// candidates returns the middles between neighbouring scores, and a bar that every score clears.
func candidates(own, others []float64) []bar {
	all := slices.Concat(own, others)
	slices.Sort(all)
	all = slices.Compact(all)
	out := []bar{{bar: all[0]}}
	for i := range all[:len(all)-1] {
		out = append(out, bar{bar: (all[i] + all[i+1]) / 2, gap: all[i+1] - all[i]})
	}
	return out
}

// above returns the share of sorted scores that clear a bar.
func above(sorted []float64, bar float64) float64 {
	at, _ := slices.BinarySearchFunc(sorted, bar, func(score, bar float64) int {
		if clears(score, bar) {
			return 1
		}
		return -1
	})
	return float64(len(sorted)-at) / float64(len(sorted))
}

// confuse counts where the samples go, and lists those that go wrong.
func (r *Result) confuse(members []Member, samples []Sample, bars []float64, fallback int) {
	counts := map[[2]int]int{}
	for i, s := range samples {
		goes := route(s, bars, fallback)
		counts[[2]int{s.Belongs, goes}]++
		switch {
		case goes == s.Belongs:
		case len(r.Wrong) == MaxWrong:
			r.MoreWrong++
		default:
			r.Wrong = append(r.Wrong, Wrong{i, members[s.Belongs].Name, members[goes].Name, finite(s.Scores[s.Belongs]), finite(s.Scores[goes])})
		}
	}
	for belongs := range members {
		for goes := range members {
			if n := counts[[2]int{belongs, goes}]; n > 0 {
				r.Confusion = append(r.Confusion, Cell{members[belongs].Name, members[goes].Name, n})
			}
		}
	}
}

// Pairs returns the pairs of examples of different targets whose cosine is at least close, the closest first and at most
// MaxPairs, and how many more there are.
func Pairs(s *vector.Set, close float64, pointer func(target, example int) string) (pairs []Pair, more int) {
	pairs = []Pair{}
	for t := range s.Targets() {
		for i := range s.Examples(t) {
			for u := t + 1; u < s.Targets(); u++ {
				for j := range s.Examples(u) {
					if c, err := vector.Cosine(s.Example(t, i), s.Example(u, j)); err == nil && c >= close-vector.Tolerance {
						pairs = append(pairs, Pair{pointer(t, i), pointer(u, j), c})
					}
				}
			}
		}
	}
	slices.SortStableFunc(pairs, func(a, b Pair) int { return cmp.Compare(b.Cosine, a.Cosine) })
	kept := min(len(pairs), MaxPairs)
	return slices.Clip(pairs[:kept]), len(pairs) - kept
}

func finite(x float64) *float64 {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return nil
	}
	return &x
}
