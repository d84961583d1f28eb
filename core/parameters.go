package core

import (
	"bytes"
	"encoding/json"
	"slices"
	"strconv"
	"strings"
)

// ownParameters belong to the gateway: it reads and writes them itself.
var ownParameters = []string{"model", "stream", "stream_options"}

// owned reports whether a member belongs to the gateway, or would to an upstream that reads names without
// regard to case, as encoding/json does.
func owned(name string) bool {
	return slices.ContainsFunc(ownParameters, func(own string) bool { return strings.EqualFold(own, name) })
}

// parameters returns the changes in order of their names.
func (k *checker) parameters(p *Parameters) []Change {
	if p == nil {
		return nil
	}
	var out []Change
	for _, name := range sortedKeys(p.Set) {
		pointer := "/parameters/set/" + strings.NewReplacer("~", "~0", "/", "~1").Replace(name)
		k.require(!owned(name), pointer, "reserved", strconv.Quote(name)+" is the gateway's own")
		var value bytes.Buffer
		k.require(json.Compact(&value, p.Set[name]) == nil, pointer, "json", "not a JSON value")
		out = append(out, Change{name, value.Bytes()})
	}
	for i, name := range p.Remove {
		pointer := "/parameters/remove/" + strconv.Itoa(i)
		k.require(!owned(name), pointer, "reserved", strconv.Quote(name)+" is the gateway's own")
		_, set := p.Set[name]
		k.require(!set, pointer, "exclusive", strconv.Quote(name)+" is both set and removed")
		out = append(out, Change{Name: name})
	}
	slices.SortFunc(out, func(a, b Change) int { return strings.Compare(a.Name, b.Name) })
	return out
}
