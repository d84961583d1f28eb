package scenario

import (
	"fmt"
	"time"
)

// All returns every scenario in the order of SIGNALS.md §7. S8 to S12 differ in what happens to the routing, the
// fleet and the store.
func All() []*Scenario {
	return []*Scenario{
		steady(), steadyOf(2), steadyOf(8), slowed(), limited(50), limited(75), limited(90), limited(95), limitedOf(2), limitedOf(8), lost(),
		failing(10), failing(50), failing(90), failing(100), refusing(),
		scarce(), sequential(), fresh(), edited(), renamed(),
		killed("S9-one", "one of ten nodes dies", 0.1), killed("S9-half", "half of the nodes die", 0.5), killed("S9-all", "all nodes die", 1),
		outage(), revoked(), dethroned(), skewed(), suspended(), garbage(),
		collapsed("S18-10", "elastic, 20 callers who wait, the best 10 times slower for two minutes", 20, 10, bases()...),
		collapsed("S18-far", "elastic, 20 callers who wait, targets of 50 and 250 ms, the first 10 times slower for two minutes", 20, 10, 0.05, 0.25),
		collapsed("S18-hang", "elastic, 20 callers who wait, targets of 50 and 250 ms, the first 400 times slower for two minutes", 20, 400, 0.05, 0.25),
		wave(), bursts(), mixed(), leaving(), sticky(),
	}
}

// Find returns the scenario of that id.
func Find(id string) (*Scenario, error) {
	for _, s := range All() {
		if s.ID == id {
			return s, nil
		}
	}
	return nil, fmt.Errorf("no scenario is called %q", id)
}

// minute keeps the tables short.
const minute = time.Minute

// Limits of SIGNALS.md §7 and issue 4.
const (
	meanLimit    = 1.10
	elasticLimit = 1.02             // of the mean, where nothing queues
	scarceLimit  = 1.20             // of the mean, at one request a second
	stickyLimit  = 1.25 * meanLimit // a session keeps a target that is up to a quarter worse
	p99Limit     = 1.25
	calmLimit    = 0.02
	leaveLimit   = 6
	returnLimit  = 90
	sizeLimit    = 1.05
	failingLimit = 0.02
	quietLimit   = 0.01
	staleLimit   = 0.10
	keptLimit    = 0.70 // what is drawn anew each time stays by chance only, at 0.4
)
