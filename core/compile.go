package core

import (
	"crypto/sha256"
	"maps"
	"slices"
	"strconv"
)

// Compile builds the snapshot of a document. It never fails as a whole: a resource that cannot be served
// is left out, and every fault is returned, sorted.
func Compile(doc *Document, site Site) (*Snapshot, []Fault) {
	c := &compiler{
		doc:       doc,
		site:      site,
		upstreams: make(map[string]*Upstream, len(doc.Providers)),
		targets:   make(map[string]*Target, len(doc.Models)),
		groups:    make(map[string]*Group, len(doc.Models)+len(doc.Routings)),
		scores:    make(map[string]*ScorePolicy, len(doc.Profiles)),
		routings:  make(map[string]*Group, len(doc.Routings)),
	}
	for _, id := range sortedKeys(doc.Providers) {
		c.provider(doc.Providers[id])
	}
	for _, id := range sortedKeys(doc.Models) {
		c.model(doc.Models[id])
	}
	for _, id := range sortedKeys(doc.Profiles) {
		c.profile(doc.Profiles[id])
	}
	for _, id := range sortedKeys(doc.Routings) {
		c.routing(id, nil)
	}
	callers := c.callers()
	sortFaults(c.faults)
	return c.snapshot(callers), c.faults
}

type compiler struct {
	doc       *Document
	site      Site
	upstreams map[string]*Upstream
	targets   map[string]*Target
	groups    map[string]*Group
	scores    map[string]*ScorePolicy
	unscored  *ScorePolicy      // the defaults, for scored routings without a profile; nil until the first
	routings  map[string]*Group // compiled so far; nil: refused
	faults    []Fault
}

func (c *compiler) snapshot(callers map[[sha256.Size]byte]*Caller) *Snapshot {
	s := &Snapshot{groups: c.groups, callers: callers, names: sortedKeys(c.groups)}
	for _, id := range sortedKeys(c.targets) {
		s.targets = append(s.targets, c.targets[id])
	}
	return s
}

func (c *compiler) fault(ref Ref, severity Severity, pointer, rule, message string) {
	c.faults = append(c.faults, Fault{ref, pointer, rule, message, severity})
}

// checker collects the faults of one resource that make it unusable.
type checker struct {
	c   *compiler
	ref Ref
	ok  bool
}

func (c *compiler) check(ref Ref) *checker { return &checker{c, ref, true} }

// require reports a rejecting fault unless ok, and returns ok.
func (k *checker) require(ok bool, pointer, rule, message string) bool {
	if !ok {
		k.c.fault(k.ref, SeverityReject, pointer, rule, message)
		k.ok = false
	}
	return ok
}

// NewFaults returns the faults of after that are not in before: what a change has made worse. Both must
// be sorted, as Compile returns them.
func NewFaults(before, after []Fault) []Fault {
	old := make(map[Fault]bool, len(before))
	for _, f := range before {
		old[f] = true
	}
	var out []Fault
	for _, f := range after {
		if !old[f] {
			out = append(out, f)
		}
	}
	return out
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

func sortFaults(fs []Fault) { slices.SortFunc(fs, Fault.Compare) }

func targetPointer(i int, field string) string {
	return "/targets/" + strconv.Itoa(i) + "/" + field
}
