package httpapi

import (
	"net/http"
	"regexp"
	"strconv"
	"strings"

	"github.com/sluice-gateway/sluice/admin/catalog"
)

// etag returns the entity tag of a resource whose last change is that revision.
func etag(modified int64) string { return `"` + strconv.FormatInt(modified, 10) + `"` }

// condition reads If-Match and If-None-Match (RFC 9110 §13.1).
func condition(h http.Header) (catalog.Condition, error) {
	var c catalog.Condition
	if h.Values("If-Match") != nil {
		match, err := entityTags(h, "If-Match")
		if err != nil {
			return c, err
		}
		c.Exists = true
		if !match.any {
			c.Revisions = match.strong
		}
	}
	if h.Values("If-None-Match") != nil {
		none, err := entityTags(h, "If-None-Match")
		if err != nil {
			return c, err
		}
		c.Absent, c.Not = none.any, append(none.strong, none.weak...)
	}
	return c, nil
}

// tagList is the value of a precondition: "*", or tags. Tags that name no revision match nothing and are
// left out; strong is not nil.
type tagList struct {
	any          bool
	strong, weak []int64
}

var entityTag = regexp.MustCompile(`^(W/)?"([!#-~]*)"$`)

func entityTags(h http.Header, name string) (tagList, error) {
	l := tagList{strong: []int64{}}
	value := strings.TrimSpace(strings.Join(h.Values(name), ","))
	if value == "*" {
		l.any = true
		return l, nil
	}
	for tag := range strings.SplitSeq(value, ",") {
		m := entityTag.FindStringSubmatch(strings.TrimSpace(tag))
		if m == nil {
			return l, badRequest("", "etag", name+` must be * or entity tags in double quotes, such as "57"`)
		}
		revision, err := strconv.ParseInt(m[2], 10, 64)
		switch {
		case err != nil || strconv.FormatInt(revision, 10) != m[2]:
		case m[1] == "":
			l.strong = append(l.strong, revision)
		default:
			l.weak = append(l.weak, revision)
		}
	}
	return l, nil
}
