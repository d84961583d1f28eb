package provider

import (
	"net/http"
	"strings"
)

// via is how the gateway names itself to the next hop (RFC 9110, section 7.6.3).
const via = "1.1 sluice"

// MaxHops is how often a request may have come through a gateway of this kind: an edge before a regional
// gateway before a team's own is two.
const MaxHops = 4

// Hops returns how many gateways of this kind a request has come through. More than MaxHops of them are
// counted no further.
func Hops(h http.Header) int {
	n := 0
	for _, line := range h["Via"] {
		for hop := range strings.SplitSeq(line, ",") {
			if strings.TrimSpace(hop) == via {
				n++
			}
			if n > MaxHops {
				return n
			}
		}
	}
	return n
}

// nextVia counts this gateway in and leaves out the caller's own proxies.
func nextVia(caller http.Header) string {
	return via + strings.Repeat(", "+via, Hops(caller))
}
