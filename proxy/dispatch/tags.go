package dispatch

import (
	"net/textproto"
	"slices"
	"strconv"
	"strings"

	"github.com/sluice-gateway/sluice/core"
	"github.com/sluice-gateway/sluice/proxy/apierror"
)

// maxTags bounds what one request may ask for: as many as one target may bear.
const maxTags = 16

var tagsHeader = textproto.CanonicalMIMEHeaderKey(apierror.TagsHeader)

// tags reads the tags that a request names, separated by commas in one header or several. Empty places are none.
func (x *exchange) tags() ([]string, *fault) {
	var out []string
	for _, line := range x.r.Header[tagsHeader] {
		for tag := range strings.SplitSeq(line, ",") {
			tag = strings.Trim(tag, " \t")
			switch {
			case tag == "" || slices.Contains(out, tag):
			case !core.ValidTag(tag):
				return nil, badTags("holds a tag that is not made of letters, digits, dots, underscores, colons and hyphens, at most 64 of them.")
			case len(out) == maxTags:
				return nil, badTags("holds more than " + strconv.Itoa(maxTags) + " tags.")
			default:
				out = append(out, tag)
			}
		}
	}
	return out, nil
}

func badTags(what string) *fault {
	return &fault{slug: slugRefused, public: apierror.BadTags("The header " + apierror.TagsHeader + " " + what)}
}
