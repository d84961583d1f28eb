package dispatch

import (
	"time"

	"github.com/sluice-gateway/sluice/core/signal"
	"github.com/sluice-gateway/sluice/proxy/recent"
)

// maxSessions bounds the sessions that a node remembers to twice as many, under 10 MiB. sessionTurn is how long a
// session may rest before it may be forgotten: vendors keep the cache of a prompt for five minutes to an hour.
const (
	maxSessions = 1 << 16
	sessionTurn = time.Hour
)

// sessionKey is one session of the users of one routing.
type sessionKey struct {
	routing string
	session uint64
}

// sessions remembers which target answered a session last. It is this node's own: a session that comes to another
// node is drawn by the same hash there, and meets a warm cache as far as the targets' standing is the same.
type sessions = recent.Map[sessionKey, signal.Key]

func newSessions() *sessions { return recent.New[sessionKey, signal.Key](maxSessions, sessionTurn) }

// previous returns the target that answered the session last; zero: none is remembered.
func (x *exchange) previous(now time.Time) signal.Key {
	k := sessionKey{x.call.Group.ID, x.session}
	if x.dry {
		key, _ := x.d.sessions.Peek(k, now)
		return key
	}
	key, _ := x.d.sessions.Get(k, now)
	return key
}

// remember notes who gave the answer that has gone out to the client, be it broken by now, or that is about to: the
// target's cache of the prompt is filled.
func (x *exchange) remember(steps []step) {
	if x.session == 0 || !x.committed && x.held == nil {
		return
	}
	for i := range steps {
		if t := steps[i].Target; t.Model == x.result.Target {
			x.d.sessions.Set(sessionKey{x.call.Group.ID, x.session}, t.Signal, time.Now())
			return
		}
	}
}
