package core

import (
	"regexp"
	"slices"
)

// TagDefault is the reserved tag of the targets that serve a request for which nothing better is there.
const TagDefault = "default"

// TagPattern is the grammar of tags.
const TagPattern = "^[A-Za-z0-9][A-Za-z0-9._:-]{0,63}$"

var tagPattern = regexp.MustCompile(TagPattern)

// ValidTag reports whether s may be a tag.
func ValidTag(s string) bool { return tagPattern.MatchString(s) }

// tags returns the tags as a snapshot holds them, and the index of the first that is none, or -1.
func tags(list []string) (sorted []string, bad int) {
	if bad = slices.IndexFunc(list, func(t string) bool { return !ValidTag(t) }); bad >= 0 || len(list) == 0 {
		return nil, bad
	}
	return slices.Compact(slices.Sorted(slices.Values(list))), -1
}
