package conversation

import "strings"

// BareID returns the id that an upstream gave to an answer without the prefix of its dialect, for another to put its own.
func BareID(id string) string {
	for _, prefix := range [...]string{"chatcmpl-", "msg_", "resp_"} {
		if bare, ok := strings.CutPrefix(id, prefix); ok {
			return bare
		}
	}
	return id
}
