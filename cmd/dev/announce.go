package dev

import (
	"fmt"
	"time"
)

const announcement = `
Sluice is ready after %[1]v.

  OpenAI API   %[2]s/v1
  status       %[3]s/status and %[3]s/metrics
  admin API    %[4]s/admin/v1
  admin docs   %[4]s/docs
  etcd         %[8]s
  data         %[5]s

  caller key   %[6]s
  admin token  %[7]s

Chat; x-sluice-target in the answer says which upstream was chosen:

  curl -sS -i %[2]s/v1/chat/completions -H "Authorization: Bearer %[6]s" -H "Content-Type: application/json" \
    -d '{"model":"demo","messages":[{"role":"user","content":"Hello, Sluice"}]}'

Stream:

  curl -sS -N %[2]s/v1/chat/completions -H "Authorization: Bearer %[6]s" -H "Content-Type: application/json" \
    -d '{"model":"demo","stream":true,"messages":[{"role":"user","content":"Hello, Sluice"}]}'

Let the prompt pick the model, by words that it has in common with examples; x-ai-semantic-route and -scores say how:

  curl -sS -i %[2]s/v1/chat/completions -H "Authorization: Bearer %[6]s" -H "Content-Type: application/json" \
    -d '{"model":"demo-semantic","messages":[{"role":"user","content":"Please write a function that adds two numbers"}]}'

List what this caller may use, and the routings behind it:

  curl -sS %[2]s/v1/models -H "Authorization: Bearer %[6]s"
  curl -sS %[4]s/admin/v1/routings -H "Authorization: Bearer %[7]s"

Fleet, as JSON, as a table, and examined:

  curl -sS %[4]s/admin/v1/fleet -H "Authorization: Bearer %[7]s"
  go run ./cmd/sluice fleet --admin %[4]s --token %[7]s
  go run ./cmd/sluice doctor --admin %[4]s --token %[7]s --etcd %[8]s --proxy %[3]s

Ctrl-C ends it.
`

// announce prints where everything is and lines to paste.
func announce(cfg Config, l listeners, s secrets, took time.Duration) error {
	_, err := fmt.Fprintf(cfg.Out, announcement, took.Round(10*time.Millisecond),
		url(l.proxy), url(l.status), url(l.admin), cfg.DataDir, s.caller.shown, s.admin.shown, cfg.etcd)
	return err
}
