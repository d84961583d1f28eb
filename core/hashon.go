package core

import (
	"net/textproto"
	"strconv"
)

// HashSource says where in a request a key is found.
type HashSource string

// The sources of a key.
const (
	HashHeader HashSource = "header"
	HashCookie HashSource = "cookie"
	// HashAPIKey is the id of the caller's API key.
	HashAPIKey HashSource = "api_key"
	// HashClientIP is the address of the connection's other end, without the port.
	HashClientIP HashSource = "client_ip"
)

// HashOn names the part of a request that is its key: the same key, the same target.
type HashOn struct {
	Source HashSource `json:"source"`
	// Name is that of the header or cookie; empty for the other sources. In a snapshot, a header's is canonical.
	Name string `json:"name,omitempty"`
}

// hashOn checks a key's source and returns it as a snapshot holds it; nil for nil.
func (k *checker) hashOn(h *HashOn, pointer string) *HashOn {
	if h == nil {
		return nil
	}
	compiled := *h
	switch h.Source {
	case HashHeader, HashCookie:
		if k.require(h.Name != "", pointer+"/name", "required", "source "+strconv.Quote(string(h.Source))+" needs a name") {
			k.require(headerToken.MatchString(h.Name), pointer+"/name", "token", "not the name of a header or cookie")
		}
	case HashAPIKey, HashClientIP:
		k.require(h.Name == "", pointer+"/name", "exclusive", "source "+strconv.Quote(string(h.Source))+" has no name")
	default:
		k.require(false, pointer+"/source", "enum", `source must be "header", "cookie", "api_key" or "client_ip"`)
	}
	if h.Source == HashHeader {
		compiled.Name = textproto.CanonicalMIMEHeaderKey(h.Name)
	}
	return &compiled
}

// shared returns the key of a routing and of the routings among its targets, which must be one: the whole order
// of a request is made with it. of picks hash_on or sticky_on, which name spells.
func (k *checker) shared(own *HashOn, members []Member, name string, of func(*Group) *HashOn) *HashOn {
	for _, m := range members {
		if m.Group == nil || of(m.Group) == nil {
			continue
		}
		other := of(m.Group)
		if own == nil {
			own = other
		}
		k.require(*own == *other, "/targets", "one-key", "routing "+strconv.Quote(m.Group.ID)+" has another "+name+" than this routing or one before it; a request has one key")
	}
	return own
}
