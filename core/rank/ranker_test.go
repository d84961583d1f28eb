package rank

import (
	"testing"
)

// Scratch space outlives snapshots, whose targets it must not keep alive.
func TestOrderLetsGoOfEveryTarget(t *testing.T) {
	for _, c := range benchCases() {
		f, g, _ := benchSetup(t, c, 8)
		g = group("g", c.Strategy, append(g.Members, nested(group("inner", c.Strategy, g.Members[:3]...), 1, 0))...)
		g.Latency.Selection = c.Selection
		f.view.Trace = new(Trace) // so that every strategy looks at everything
		var o *ordering
		for o == nil { // a pool drops some under the race detector
			f.ranker.Order(nil, g, f.view)
			o, _ = f.ranker.scratch.Get().(*ordering)
		}
		for i, u := range o.units[:cap(o.units)] {
			if u.member != nil {
				t.Errorf("%s: unit %d of %d holds %s", c.name, i, cap(o.units), u.name())
			}
		}
		for i, l := range o.leaves[:cap(o.leaves)] {
			if l.target != nil {
				t.Errorf("%s: leaf %d of %d holds %s", c.name, i, cap(o.leaves), l.target.Model)
			}
		}
		for i, s := range o.speakers[:cap(o.speakers)] {
			if s != nil {
				t.Errorf("%s: speaker %d of %d holds %s", c.name, i, cap(o.speakers), s.Model)
			}
		}
		if o.view.Board != nil || o.dst != nil || o.ranker != nil || o.told.path != nil {
			t.Errorf("%s: the view, the order, the ranker or the trace is still there", c.name)
		}
	}
}
