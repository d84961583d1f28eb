package schemas

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"testing"
)

func FuzzFaultsPointIntoTheResource(f *testing.F) {
	s := set(f)
	for _, kind := range Kinds() {
		for _, example := range s.schemas[kind].root["examples"].([]any) {
			raw, err := json.Marshal(example)
			if err != nil {
				f.Fatal(err)
			}
			f.Add(kind, raw)
		}
	}
	for _, in := range []string{`{"labels":{"":1,"/":{},"~":"x","%2F":1}}`, `{"headers":{"":"","%":1,"a/b":"c"},"auth":{"query":1,"header":2}}`, `{"targets":[[],{},{"":""},{},{}],"":{}}`} {
		f.Add("provider", []byte(in))
		f.Add("routing", []byte(in))
	}
	f.Fuzz(func(t *testing.T, kind string, raw []byte) {
		faults := s.Validate(kind, raw)
		if !slices.IsSortedFunc(faults, compareFaults) && len(CheckSyntax(raw)) == 0 && len(faults) <= maxFaults {
			t.Errorf("Validate(%s, %q) is not sorted: %v", kind, raw, faults)
		}
		if !slices.Contains(Kinds(), kind) || len(CheckSyntax(raw)) > 0 {
			if len(faults) == 0 {
				t.Errorf("Validate(%s, %q) passes", kind, raw)
			}
			return
		}
		var resource any
		if err := json.Unmarshal(raw, &resource); err != nil {
			t.Fatalf("Validate(%s, %q) lets through what does not decode: %v", kind, raw, err)
		}
		for _, fault := range faults {
			if !pointsInto(resource, fault) {
				t.Errorf("Validate(%s, %q): %+v points nowhere", kind, raw, fault)
			}
		}
	})
}

// pointsInto reports whether the fault is at a value of the resource or, for a missing field, in an object of it.
func pointsInto(resource any, fault Fault) bool {
	if fault.Pointer == "" {
		return true
	}
	var p pointer
	for token := range strings.SplitSeq(fault.Pointer[1:], "/") {
		p = append(p, strings.NewReplacer("~1", "/", "~0", "~").Replace(token))
	}
	last := len(p) - 1
	switch parent := p[:last].find(resource).(type) {
	case map[string]any:
		_, there := parent[p[last]]
		return there != (fault.Rule == "required")
	case []any:
		i, err := strconv.Atoi(p[last])
		return err == nil && i < len(parent) && fault.Rule != "required"
	}
	return false
}
