package metrics_test

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil/promlint"

	"github.com/sluice-gateway/sluice/proxy/metrics"
)

// recorder is a registry that notes what is described to it.
type recorder struct {
	prometheus.Registerer
	described map[string]description
}

type description struct {
	help   string
	labels []string
}

var shown = regexp.MustCompile(`^Desc\{fqName: "([^"]+)", help: "([^"]*)", unit: "[^"]*", constLabels: \{\}, variableLabels: \{([^}]*)\}`)

// MustRegister notes the descriptions of all collectors.
func (r recorder) MustRegister(collectors ...prometheus.Collector) {
	for _, c := range collectors {
		all := make(chan *prometheus.Desc, 100)
		c.Describe(all)
		close(all)
		for d := range all {
			m := shown.FindStringSubmatch(d.String())
			if m == nil {
				panic("a description of another form: " + d.String())
			}
			var labels []string
			if m[3] != "" {
				labels = strings.Split(m[3], ",")
			}
			slices.Sort(labels)
			r.described[m[1]] = description{m[2], labels}
		}
	}
	r.Registerer.MustRegister(collectors...)
}

// described returns every metric of a node that is Sluice's own.
func described(t *testing.T) map[string]description {
	t.Helper()
	r := recorder{prometheus.NewRegistry(), map[string]description{}}
	metrics.New(r)
	r.MustRegister(metrics.NewCollector(func(time.Time) metrics.Reading { return metrics.Reading{} }))
	if len(r.described) < 20 {
		t.Fatalf("only %d metrics are described", len(r.described))
	}
	return r.described
}

func read(t *testing.T, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func TestEveryMetricHasHelpAndIsDocumentedWithItsLabels(t *testing.T) {
	rows := map[string][]string{}
	for _, m := range regexp.MustCompile("(?m)^\\| `(sluice_[a-z0-9_]+)` \\| (\\w+) \\| ([^|]*) ?\\| ?([^|]+)").FindAllStringSubmatch(read(t, "../../docs/metrics.md"), -1) {
		var labels []string
		for _, l := range strings.Split(m[3], ",") {
			if l = strings.TrimSpace(l); l != "" {
				labels = append(labels, l)
			}
		}
		slices.Sort(labels)
		rows[m[1]] = labels
	}
	all := described(t)
	for name, d := range all {
		if d.help == "" {
			t.Errorf("%s has no help", name)
		}
		if labels, ok := rows[name]; !ok || !slices.Equal(labels, d.labels) {
			t.Errorf("docs/metrics.md has %s with labels %v (%v), the node %v", name, labels, ok, d.labels)
		}
	}
	for name := range rows {
		if _, ok := all[name]; !ok {
			t.Errorf("docs/metrics.md has %s, which no node has", name)
		}
	}
}

func TestMetricsKeepTheRulesOfPrometheus(t *testing.T) {
	families, err := gathered().Gather()
	if err != nil {
		t.Fatal(err)
	}
	problems, err := promlint.NewWithMetricFamilies(families).Lint()
	for _, p := range problems {
		t.Errorf("%s: %s", p.Metric, p.Text)
	}
	if err != nil {
		t.Error(err)
	}
}

// TestWhatOperatorsAreGivenNamesMetricsThatExist guards dashboards and pages against a metric that was renamed.
func TestWhatOperatorsAreGivenNamesMetricsThatExist(t *testing.T) {
	all := described(t)
	paths, err := filepath.Glob("../../deploy/observe/*/*")
	if err != nil {
		t.Fatal(err)
	}
	found := 0
	for _, path := range append(paths, "../../docs/signals.md", "../../docs/metrics.md", "../../README.md") {
		if info, err := os.Stat(path); err != nil || info.IsDir() {
			continue
		}
		for _, name := range regexp.MustCompile(`sluice_[a-z0-9_]*[a-z0-9]`).FindAllString(read(t, path), -1) {
			found++
			for _, part := range []string{"_bucket", "_sum", "_count"} {
				if _, ok := all[strings.TrimSuffix(name, part)]; ok {
					name = strings.TrimSuffix(name, part)
				}
			}
			if _, ok := all[name]; !ok {
				t.Errorf("%s names %s, which no node has", path, name)
			}
		}
	}
	if found == 0 {
		t.Error("no metric is named anywhere")
	}
}
