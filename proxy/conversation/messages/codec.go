package messages

import (
	"crypto/rand"

	"github.com/sluice-gateway/sluice/proxy/conversation"
)

// Codec implements conversation.Codec.
type Codec struct{ newID func() string }

// New returns the codec. newID makes the ids of answers and calls that came without; nil: random ones.
func New(newID func() string) *Codec {
	if newID == nil {
		newID = rand.Text
	}
	return &Codec{newID: newID}
}

// answerID makes an id of this dialect of the one that the upstream gave.
func (c *Codec) answerID(id string) string {
	if id = conversation.BareID(id); id == "" {
		id = c.newID()
	}
	return idPrefix + id
}

const idPrefix = "msg_"

var _ conversation.Codec = (*Codec)(nil)
