package responses

import (
	"crypto/rand"
	"time"

	"github.com/sluice-gateway/sluice/proxy/conversation"
)

// Codec implements conversation.Codec.
type Codec struct {
	now   func() time.Time
	newID func() string
}

// New returns the codec. now tells the time at which an answer is created; newID makes the ids of calls and answers
// that came without; nil: the wall clock, and random ids.
func New(now func() time.Time, newID func() string) *Codec {
	if now == nil {
		now = time.Now
	}
	if newID == nil {
		newID = rand.Text
	}
	return &Codec{now: now, newID: newID}
}

// bareID returns the id that the upstream gave to its answer without the prefix of its dialect. The ids of the answer
// and of its items are made of it.
func (c *Codec) bareID(id string) string {
	if id = conversation.BareID(id); id == "" {
		id = c.newID()
	}
	return id
}

// callID returns the id by which a call and its result match.
func (c *Codec) callID(id string) string {
	if id == "" {
		return "call_" + c.newID()
	}
	return id
}

const idPrefix = "resp_"

var _ conversation.Codec = (*Codec)(nil)
