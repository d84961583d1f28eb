package report_test

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"math"
	"strings"
	"testing"

	"github.com/sluice-gateway/sluice/tests/sim/measure"
	"github.com/sluice-gateway/sluice/tests/sim/optimum"
	"github.com/sluice-gateway/sluice/tests/sim/policy"
	"github.com/sluice-gateway/sluice/tests/sim/report"
	"github.com/sluice-gateway/sluice/tests/sim/scenario"
)

// results are made-up ones in which the default has that mean and the best split 1 s.
func results(s *scenario.Scenario, mean float64) *report.Results {
	r := &report.Results{Scenario: s, Sizes: []int{10}, Split: []float64{1}, Best: report.NewRow(policy.Fixed(optimum.Name, []float64{1}), 1, 1)}
	r.Best.Seeds[0] = measure.Summary{Mean: 1, P99: 1, Degraded: 1}
	row := r.Add(policy.All()[0], 10, 1)
	row.Seeds[0] = measure.Summary{Mean: mean, P99: mean, Degraded: mean, Best: 1, Kept: 1}
	return r
}

func TestEveryGateIsAboutAMetricThatIsMeasured(t *testing.T) {
	for _, s := range scenario.All() {
		if misses := results(s, 1).Misses("adaptive"); len(misses) > 0 {
			t.Errorf("as good as the best split misses %v", misses)
		}
		if misses := results(s, 9).Misses("adaptive"); len(misses) == 0 {
			t.Errorf("%s: nine times the best split's mean passes", s.ID)
		}
	}
}

func TestAMissIsShownAndCounted(t *testing.T) {
	s, err := scenario.Find("S3-90")
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if missed := report.Gates(&b, results(s, 2)); missed != 2 || strings.Count(b.String(), "MISS") != 2 {
		t.Errorf("%d missed of mean and p99:\n%s", missed, b.String())
	}
	b.Reset()
	report.Table(&b, results(s, 2))
	if !strings.Contains(b.String(), "2.000") || !strings.Contains(b.String(), optimum.Name) {
		t.Errorf("the table lacks the ratio or the best split:\n%s", b.String())
	}
}

func TestWhatNeverComesMissesItsGate(t *testing.T) {
	s, err := scenario.Find("S2")
	if err != nil {
		t.Fatal(err)
	}
	r := results(s, 1)
	r.Rows[0].Seeds[0].Return = math.Inf(1)
	misses := r.Misses("adaptive")
	if len(misses) != 1 || !strings.Contains(misses[0], "never") {
		t.Errorf("misses %v, want that it never returns", misses)
	}
}

func TestAChartIsWellFormed(t *testing.T) {
	c := report.Chart{
		Title: `a <title> & "more"`, X: "x", Y: "y", Left: 1, Right: 100, Top: 1, Log: true, Parts: 2, Marks: []float64{10},
		Lines: []report.Line{{Name: "l", X: []float64{1, 10, 50, 1000}, Y: []float64{0, math.NaN(), 1, 1}}},
	}
	var b bytes.Buffer
	if err := c.WriteSVG(&b); err != nil {
		t.Fatal(err)
	}
	if strings.Contains(b.String(), "NaN") {
		t.Error("a point that is no number was drawn")
	}
	for d := xml.NewDecoder(&b); ; {
		if _, err := d.Token(); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
	}
}
