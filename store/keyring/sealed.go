package keyring

import (
	"encoding/binary"
	"errors"
	"fmt"
)

// Sealed is a secret that only the holders of its key can read. Its JSON is what stands in the store.
type Sealed struct {
	// KeyID names the key.
	KeyID uint32 `json:"key_id"`
	// Ciphertext is Tink's: a byte 1, the key id, the nonce, the ciphertext, the tag.
	Ciphertext []byte `json:"sealed"`
}

// Errors that say why something does not open; errors.Is tells them apart.
var (
	// ErrUnknownKey: the keyset does not have the key.
	ErrUnknownKey = errors.New("the key is not in the keyset")
	// ErrAltered: the value is not as it was sealed, or stands in another place than it was sealed for.
	ErrAltered = errors.New("the sealed value was altered or moved")
)

// Seal hides secret under the primary key. It opens for the same place only.
func (k Keyset) Seal(secret, place string) (Sealed, error) {
	c, err := k.cipher.Encrypt([]byte(secret), []byte(place))
	if err != nil {
		return Sealed{}, fmt.Errorf("seal: %w", err)
	}
	return Sealed{k.primary, c}, nil
}

// Open returns the secret, or ErrUnknownKey or ErrAltered.
func (k Keyset) Open(s Sealed, place string) (string, error) {
	if !k.Has(s.KeyID) {
		return "", ErrUnknownKey
	}
	if len(s.Ciphertext) < prefixBytes || binary.BigEndian.Uint32(s.Ciphertext[1:]) != s.KeyID {
		return "", ErrAltered
	}
	secret, err := k.cipher.Decrypt(s.Ciphertext, []byte(place))
	if err != nil {
		return "", ErrAltered // Tink says no more either
	}
	return string(secret), nil
}

// prefixBytes is the length of Tink's output prefix.
const prefixBytes = 5
