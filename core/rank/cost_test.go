package rank

import (
	"math"
	"testing"

	"github.com/sluice-gateway/sluice/core"
)

// priced makes a target of that list price; a negative one is not known.
func priced(name string, in, out float64) *core.Target {
	t := target(name)
	if in >= 0 {
		t.Cost, t.Priced = core.Cost{InputPer1M: in, OutputPer1M: out}, true
	}
	return t
}

func TestCheapestComesFirst(t *testing.T) {
	f := newFixture(t)
	a, b, c := priced("a", 3, 15), priced("b", 1, 5), priced("c", 4, 6)
	free, unknown := priced("free", 0, 0), priced("unknown", -1, -1)
	cheap := func(id string, s core.Strategy, ts ...*core.Target) *core.Group {
		var ms []core.Member
		for _, x := range ts {
			ms = append(ms, member(x, 1, 0))
		}
		return group(id, s, ms...)
	}
	f.want(cheap("g", core.StrategyLeastCost, a, b, c), "b c a", "list prices")
	f.want(cheap("g", core.StrategyLeastCost, unknown, a, free, b), "free b a unknown", "what costs nothing is known, what has no price is last")
	f.want(cheap("g", core.StrategyLeastCost, priced("x", 1, 1), priced("y", 1, 1), priced("w", 1, 1)), "x y w", "equal prices")
	g := cheap("g", core.StrategyLeastCost, c, a)
	g.Members = append(g.Members, nested(cheap("inner", core.StrategyFailover, unknown, a, b), 1, 0))
	g.Depth++
	f.want(g, "unknown a b c", "a routing costs what its cheapest target does")
}

func TestPriceOfTheRequestGoesBeforeTheListPrice(t *testing.T) {
	f := newFixture(t)
	g := group("g", core.StrategyLeastCost, member(priced("a", 1, 100), 1, 0), member(priced("b", 2, 2), 1, 0), member(priced("c", 0, 0), 1, 0))
	f.want(g, "c b a", "list prices")
	f.view.Price = func(t *core.Target) (float64, bool) { return t.Cost.InputPer1M, t.Model != "c" }
	f.want(g, "a b c", "a request without output, and c is not known")
}

func TestPriceThatIsNoNumberIsNotKnown(t *testing.T) {
	f := newFixture(t)
	g := group("g", core.StrategyLeastCost, member(priced("nan", 1, 1), 1, 0), member(priced("a", 1, 1), 1, 0), member(priced("inf", 1, 1), 1, 0))
	f.view.Price = func(t *core.Target) (float64, bool) {
		return map[string]float64{"nan": math.NaN(), "a": 1, "inf": math.Inf(1)}[t.Model], true
	}
	f.want(g, "a nan inf", "NaN and infinity")
}
