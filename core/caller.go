package core

import (
	"crypto/sha256"
	"encoding/hex"
	"path"
	"strconv"
)

// callers compiles the API keys. Two keys with one hash would be one caller under two names: the later
// one by id is rejected.
func (c *compiler) callers() map[[sha256.Size]byte]*Caller {
	out := make(map[[sha256.Size]byte]*Caller, len(c.doc.APIKeys))
	for _, id := range sortedKeys(c.doc.APIKeys) {
		a := c.doc.APIKeys[id]
		k := c.check(a.Ref())
		raw, err := hex.DecodeString(a.KeySHA256)
		k.require(err == nil && len(raw) == sha256.Size, "/key_sha256", "sha256", "key_sha256 must be 64 hexadecimal digits")
		var sum [sha256.Size]byte
		copy(sum[:], raw)
		for i, glob := range a.AllowedModels {
			_, err := path.Match(glob, "")
			k.require(err == nil, "/allowed_models/"+strconv.Itoa(i), "glob", "not a valid glob")
		}
		if other, twice := out[sum]; twice {
			k.require(false, "/key_sha256", "unique", "api_key "+strconv.Quote(other.ID)+" has the same key")
		}
		if !k.ok {
			continue
		}
		caller := &Caller{ID: id, Disabled: a.Disabled, Explain: a.Explain, globs: a.AllowedModels}
		if a.ExpiresAt != nil {
			caller.expiresAt = *a.ExpiresAt
		}
		out[sum] = caller
	}
	return out
}
