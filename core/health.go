package core

import (
	"cmp"
	"strings"
	"time"
)

// Defaults of a health check. Interval and failures together notice an outage within a minute without
// traffic; the timeout is longer than any list of models takes.
const (
	DefaultHealthPath     = "/models"
	DefaultHealthInterval = 30 * time.Second
	DefaultHealthTimeout  = 5 * time.Second
	DefaultHealthFailures = 2
)

func (k *checker) healthCheck(h *HealthCheck) *HealthPolicy {
	if h == nil {
		return nil
	}
	p := &HealthPolicy{
		Path:     cmp.Or(h.Path, DefaultHealthPath),
		Interval: time.Duration(valueOr(h.Interval, Duration(DefaultHealthInterval))),
		Timeout:  time.Duration(valueOr(h.Timeout, Duration(DefaultHealthTimeout))),
		Failures: valueOr(h.Failures, DefaultHealthFailures),
	}
	k.require(strings.HasPrefix(p.Path, "/") && !strings.ContainsAny(p.Path, "?#\\ "), "/health_check/path", "path", "path must begin with a slash and have no query")
	k.require(p.Interval >= time.Second, "/health_check/interval", "minimum", "interval must be at least 1s")
	k.require(p.Timeout > 0, "/health_check/timeout", "minimum", "timeout must be above 0")
	k.require(p.Failures >= 1, "/health_check/failures", "minimum", "failures must be at least 1")
	return p
}
