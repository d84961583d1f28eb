package dev

import (
	"fmt"
	"io"
	"time"
)

const announcement = `
Sluice is ready after %[1]v.

  OpenAI API   %[2]s/v1
  status       %[3]s/status and %[3]s/metrics
  admin API    %[4]s/admin/v1
  admin docs   %[4]s/docs
  data         %[5]s

  caller key   %[6]s
  admin token  %[7]s

Chat; x-sluice-target in the answer says which upstream was chosen:

  curl -sS -i %[2]s/v1/chat/completions -H "Authorization: Bearer %[6]s" -H "Content-Type: application/json" \
    -d '{"model":"demo","messages":[{"role":"user","content":"Hello, Sluice"}]}'

Stream:

  curl -sS -N %[2]s/v1/chat/completions -H "Authorization: Bearer %[6]s" -H "Content-Type: application/json" \
    -d '{"model":"demo","stream":true,"messages":[{"role":"user","content":"Hello, Sluice"}]}'

List what this caller may use, and the routings behind it:

  curl -sS %[2]s/v1/models -H "Authorization: Bearer %[6]s"
  curl -sS %[4]s/admin/v1/routings -H "Authorization: Bearer %[7]s"

Fleet:

  curl -sS %[4]s/admin/v1/fleet -H "Authorization: Bearer %[7]s"

Ctrl-C ends it.
`

// announce prints where everything is and lines to paste.
func announce(w io.Writer, l listeners, s secrets, dataDir string, took time.Duration) error {
	_, err := fmt.Fprintf(w, announcement, took.Round(10*time.Millisecond),
		url(l.proxy), url(l.status), url(l.admin), dataDir, s.caller.shown, s.admin.shown)
	return err
}
