package chat

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

// answerID makes an id of this dialect of the one that the upstream gave.
func (c *Codec) answerID(id string) string {
	if id = conversation.BareID(id); id == "" {
		id = c.newID()
	}
	return idPrefix + id
}

const idPrefix = "chatcmpl-"

var _ conversation.Codec = (*Codec)(nil)
