package schemas

import (
	"encoding/json"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// faults returns what the finding means for the writer of the resource.
func (f finding) faults() []Fault {
	switch f.keyword {
	case "required":
		return f.missing()
	case "dependentRequired":
		return f.missingPartner()
	case "additionalProperties":
		return f.unknown()
	case "uniqueItems":
		return f.repeated()
	}
	return []Fault{f.fault(f.at, f.sentence())}
}

// fault returns a fault of the field at p; predicate goes on after the field's name.
func (f finding) fault(p pointer, predicate string) Fault {
	return Fault{p.String(), f.rule(), p.field(f.resource) + " " + predicate}
}

func (f finding) missing() []Fault {
	have, _ := f.value.(map[string]any)
	predicate := "is required"
	if _, message := f.own(); f.node["patternProperties"] == nil && message != "" {
		predicate = message
	}
	var out []Fault
	for _, name := range strs(f.node["required"]) {
		if _, ok := have[name]; !ok {
			out = append(out, f.fault(f.at.child(name), predicate))
		}
	}
	return out
}

func (f finding) missingPartner() []Fault {
	all, _ := f.node["dependentRequired"].(map[string]any)
	name, _ := pointer{f.argument, f.index}.find(all).(string)
	return []Fault{f.fault(f.at.child(name), "is required when "+plain(f.argument)+" is given")}
}

func (f finding) unknown() []Fault {
	have, _ := f.value.(map[string]any)
	properties, _ := f.node["properties"].(map[string]any)
	predicate := "is not a known field; known are " + strings.Join(slices.Sorted(maps.Keys(properties)), ", ")
	patterns := f.patterns()
	if len(patterns) > 0 {
		predicate = f.words()
	}
	var out []Fault
	for name := range have {
		matches := func(p *regexp.Regexp) bool { return p.MatchString(name) }
		if _, known := properties[name]; !known && !slices.ContainsFunc(patterns, matches) {
			out = append(out, f.fault(f.at.child(name), predicate))
		}
	}
	return out
}

func (f finding) patterns() []*regexp.Regexp {
	all, _ := f.node["patternProperties"].(map[string]any)
	var out []*regexp.Regexp
	for pattern := range all {
		if p, err := regexp.Compile(pattern); err == nil {
			out = append(out, p)
		}
	}
	return out
}

func (f finding) repeated() []Fault {
	items, _ := f.value.([]any)
	first := make(map[string]int, len(items))
	var out []Fault
	for i, item := range items {
		text, err := json.Marshal(item)
		if err != nil {
			continue
		}
		if j, twice := first[string(text)]; twice {
			out = append(out, f.fault(f.at.child(strconv.Itoa(i)), "is the same as "+f.at.child(strconv.Itoa(j)).field(f.resource)))
			continue
		}
		first[string(text)] = i
	}
	if out == nil {
		return []Fault{f.fault(f.at, "must not hold the same item twice")}
	}
	return out
}
