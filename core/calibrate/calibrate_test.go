package calibrate_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/sluice-gateway/sluice/core/calibrate"
	"github.com/sluice-gateway/sluice/core/vector"
)

var (
	none = math.Inf(-1)
	nan  = math.NaN()
)

func members(bars ...float64) (out []calibrate.Member) {
	for i, bar := range bars {
		out = append(out, calibrate.Member{Name: string(rune('a' + i)), Examples: 1, Threshold: bar})
	}
	return out
}

func sample(belongs int, scores ...float64) calibrate.Sample {
	return calibrate.Sample{Belongs: belongs, Scores: scores}
}

func cells(r calibrate.Result) map[string]int {
	out := map[string]int{}
	for _, c := range r.Confusion {
		out[c.Belongs+">"+c.Goes] = c.Prompts
	}
	return out
}

func TestPromptsGoWhereARequestWould(t *testing.T) {
	for _, c := range []struct {
		name     string
		bars     []float64
		fallback int
		scores   []float64
		want     string
	}{
		{"the best of those that clear", []float64{0.5, 0.5}, 0, []float64{0.6, 0.7}, "b"},
		{"the best does not clear its own bar", []float64{0.5, 0.8}, 1, []float64{0.6, 0.7}, "a"},
		{"none clears", []float64{0.5, 0.5}, 1, []float64{0.4, 0.3}, "b"},
		{"no bars at all", []float64{none, none}, 0, []float64{-0.9, -0.8}, "b"},
		{"equals go to the first", []float64{none, none}, 1, []float64{0.5, 0.5}, "a"},
		{"no examples", []float64{none, none}, 1, []float64{0.1, nan}, "a"},
		{"no text", []float64{none, none}, 1, []float64{nan, nan}, "b"},
		{"what rounding takes away", []float64{0.7, none}, 1, []float64{0.69999998, nan}, "a"},
	} {
		r := calibrate.Judge(members(c.bars...), c.fallback, []calibrate.Sample{sample(0, c.scores...)})
		if got := cells(r); got["a>"+c.want] != 1 || len(got) != 1 {
			t.Errorf("%s: got %v, want it to go to %s", c.name, got, c.want)
		}
	}
}

func TestASuggestionTellsATargetsPromptsFromTheOthers(t *testing.T) {
	samples := []calibrate.Sample{
		sample(0, 0.9, 0.1), sample(0, 0.8, 0.3), sample(0, 0.4, 0.2),
		sample(1, 0.5, 0.9), sample(1, 0.1, 0.6),
		sample(2, 0.45, 0.35), sample(2, 0.2, 0.1),
	}
	r := calibrate.Judge(append(members(none, none), calibrate.Member{Name: "c", Threshold: none}), 2, withThird(samples))
	a, b, c := r.Targets[0], r.Targets[1], r.Targets[2]
	if a.Suggested == nil || math.Abs(*a.Suggested-0.65) > 1e-9 || math.Abs(*a.Youden-2.0/3) > 1e-9 || *a.FalsePositives != 0 || a.Prompts != 3 {
		t.Errorf("a: got %+v, want a bar of 0.65, which two of its three prompts clear and no other", show(a))
	}
	if b.Suggested == nil || math.Abs(*b.Suggested-0.475) > 1e-9 || *b.Youden != 1 {
		t.Errorf("b: got %v, want the middle of 0.35 and 0.6", show(b))
	}
	if c.Suggested != nil || !c.Fallback || c.Threshold != nil {
		t.Errorf("the fallback, without examples: got %v", show(c))
	}
	if math.Abs(r.Accuracy-5.0/7) > 1e-9 || math.Abs(r.AccuracySuggested-6.0/7) > 1e-9 {
		t.Errorf("accuracy: got %v, then %v", r.Accuracy, r.AccuracySuggested)
	}
	if got := cells(r); got["a>a"] != 3 || got["b>b"] != 2 || got["c>a"] != 2 {
		t.Errorf("confusion: got %v", got)
	}
	if len(r.Wrong) != 2 || r.Wrong[0].Prompt != 5 || *r.Wrong[0].Best != 0.45 || r.Wrong[0].Own != nil || r.Wrong[0].Belongs != "c" || r.Wrong[0].Goes != "a" {
		t.Errorf("wrong: got %+v", r.Wrong)
	}
}

func show(t calibrate.Target) string {
	s := fmt.Sprintf("%+v", t)
	if t.Suggested != nil {
		s += fmt.Sprint(" suggested ", *t.Suggested, " youden ", *t.Youden)
	}
	return s
}

// withThird adds a target without examples.
func withThird(samples []calibrate.Sample) (out []calibrate.Sample) {
	for _, s := range samples {
		out = append(out, sample(s.Belongs, append(s.Scores, nan)...))
	}
	return out
}

func TestNothingIsSuggestedWhereThereIsNothingToTellApart(t *testing.T) {
	for name, samples := range map[string][]calibrate.Sample{
		"no prompts":            nil,
		"only its own":          {sample(0, 0.5, nan)},
		"only others":           {sample(1, 0.5, nan)},
		"its own are not known": {sample(0, nan, nan), sample(1, 0.5, nan)},
	} {
		r := calibrate.Judge(members(0.3, none), 1, samples)
		if r.Targets[0].Suggested != nil || *r.Targets[0].Threshold != 0.3 || r.Accuracy != r.AccuracySuggested {
			t.Errorf("%s: got %+v", name, r.Targets[0])
		}
	}
}

// No bar tells better than the one that is suggested.
func TestASuggestionIsTheBestThereIs(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for round := range 500 {
		var samples []calibrate.Sample
		for range 2 + r.IntN(30) {
			score := math.Round(r.Float64()*20)/10 - 1 // with equals among them
			samples = append(samples, sample(r.IntN(2), score, nan))
		}
		got := calibrate.Judge(members(none, none), 1, samples).Targets[0]
		if got.Suggested == nil {
			continue
		}
		youden := func(bar float64) float64 {
			own, others, ownAbove, othersAbove := 0.0, 0.0, 0.0, 0.0
			for _, s := range samples {
				above := 0.0
				if s.Scores[0] >= bar {
					above = 1
				}
				if s.Belongs == 0 {
					own, ownAbove = own+1, ownAbove+above
				} else {
					others, othersAbove = others+1, othersAbove+above
				}
			}
			return ownAbove/own - othersAbove/others
		}
		if math.Abs(youden(*got.Suggested)-*got.Youden) > 1e-9 {
			t.Fatalf("round %d: %v comes to %v, not to %v", round, *got.Suggested, youden(*got.Suggested), *got.Youden)
		}
		for bar := -1.05; bar <= 1.05; bar += 0.05 {
			if youden(bar) > *got.Youden+1e-9 {
				t.Fatalf("round %d: %v comes to %v, the suggested %v only to %v", round, bar, youden(bar), *got.Suggested, *got.Youden)
			}
		}
	}
}

func TestListsAreBounded(t *testing.T) {
	var samples []calibrate.Sample
	for range calibrate.MaxWrong + 5 {
		samples = append(samples, sample(1, 0.9, 0.1))
	}
	if r := calibrate.Judge(members(none, none), 0, samples); len(r.Wrong) != calibrate.MaxWrong || r.MoreWrong != 5 || r.Accuracy != 0 {
		t.Errorf("got %d wrong and %d more", len(r.Wrong), r.MoreWrong)
	}
}

func units(t *testing.T, angles ...float64) (out []vector.Unit) {
	t.Helper()
	for _, a := range angles {
		u, err := vector.Normalise([]float32{float32(math.Cos(a)), float32(math.Sin(a))})
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, u)
	}
	return out
}

func TestExamplesOfTwoTargetsThatLieTooCloseAreFound(t *testing.T) {
	s, err := vector.NewSet([][]vector.Unit{units(t, 0, 1), nil, units(t, 0.1, 3), units(t, 1.05)})
	if err != nil {
		t.Fatal(err)
	}
	at := func(target, example int) string { return fmt.Sprint(target, ".", example) }
	pairs, more := calibrate.Pairs(s, 0.99, at)
	if len(pairs) != 2 || more != 0 || pairs[0].A != "0.1" || pairs[0].B != "3.0" || pairs[1].A != "0.0" || pairs[1].B != "2.0" {
		t.Errorf("got %+v and %d more, want 0.1 and 3.0, then 0.0 and 2.0", pairs, more)
	}
	if math.Abs(pairs[0].Cosine-math.Cos(0.05)) > 1e-6 {
		t.Errorf("got %v, want %v", pairs[0].Cosine, math.Cos(0.05))
	}
	if pairs, more := calibrate.Pairs(s, -1, at); len(pairs)+more != 8 {
		t.Errorf("got %d and %d more, want all 8 pairs of different targets", len(pairs), more)
	}
}
