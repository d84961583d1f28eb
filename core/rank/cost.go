package rank

import (
	"math"

	"github.com/sluice-gateway/sluice/core"
)

// leastCost puts the cheapest first and what has no price last: one that is not known could be any. A group costs
// what its cheapest target does. Equals keep the order of declaration.
func (o *ordering) leastCost(t *tier) {
	places := o.places[t.base:]
	for i := range places {
		places[i].key = o.price(&o.units[t.base+i], t)
	}
	sortPlaces(places)
	o.tellKeys(t, places, func(c *Candidate, key float64) { c.Price = o.number(key) })
}

// price returns the lowest price of the unit's targets, infinite if none is known.
func (o *ordering) price(u *unit, t *tier) float64 {
	if target := u.member.Target; target != nil {
		return o.priceOf(target)
	}
	least := math.Inf(1)
	for _, target := range o.speak(u, t) {
		least = min(least, o.priceOf(target))
	}
	return least
}

func (o *ordering) priceOf(t *core.Target) float64 {
	price := o.view.Price
	if price == nil {
		price = listPrice
	}
	if usd, known := price(t); known && usd < math.Inf(1) {
		return usd
	}
	return math.Inf(1)
}

// listPrice is the price of a million tokens of which three in four are input, about as in a chat.
func listPrice(t *core.Target) (usd float64, known bool) {
	return (3*t.Cost.InputPer1M + t.Cost.OutputPer1M) / 4, t.Priced
}
