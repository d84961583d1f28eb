package inspect_test

import "testing"

func TestTheTokensOfTheQuestionMakeThePriceAndFillTheWindow(t *testing.T) {
	n := newNode(t)
	for _, c := range []struct {
		facts, order string
		price        float64
	}{
		{`{"input_tokens":2000,"max_tokens":500}`, "priced a", 2000*3e-6 + 500*6e-6},
		{`{"input_tokens":2000}`, "priced a", 2000*3e-6 + 2000./3*6e-6},
		{`{"input_tokens":4000,"max_tokens":500}`, "priced a", 4000*3e-6 + 500*6e-6},
		{`{"input_tokens":8000,"max_tokens":500}`, "a", 0},
	} {
		e := n.explain(`{"routing":{"strategy":"least_cost","targets":[{"model":"priced"},{"model":"a"}]},"facts":` + c.facts + `}`)
		got := 0.
		for _, x := range e.Ranking.Candidates {
			if x.Price != nil {
				got = *x.Price
			}
		}
		if order(e.Plan) != c.order || got < c.price*0.999999 || got > c.price*1.000001 {
			t.Errorf("%s: got %s at the price %v, want %s at %v", c.facts, order(e.Plan), got, c.order, c.price)
		}
	}
}
