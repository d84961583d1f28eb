package keyring_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/tink-crypto/tink-go/v2/aead"
	"github.com/tink-crypto/tink-go/v2/insecurecleartextkeyset"
	"github.com/tink-crypto/tink-go/v2/keyset"
	"github.com/tink-crypto/tink-go/v2/proto/tink_go_proto"

	"github.com/sluice-gateway/sluice/store/keyring"
)

const secret, here = "sk-canary-1234567890", "here"

func must[T any](t testing.TB) func(T, error) T {
	return func(v T, err error) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

func made(t testing.TB) keyring.Keyset { return must[keyring.Keyset](t)(keyring.New()) }

func sealed(t testing.TB, k keyring.Keyset) keyring.Sealed {
	return must[keyring.Sealed](t)(k.Seal(secret, here))
}

func TestASealedSecretOpensInItsPlaceAlone(t *testing.T) {
	k := made(t)
	s := sealed(t, k)
	if got, err := k.Open(s, here); got != secret || err != nil {
		t.Errorf("got %q, %v, want the secret", got, err)
	}
	for _, elsewhere := range []string{"", "her", "here ", "there"} {
		if got, err := k.Open(s, elsewhere); !errors.Is(err, keyring.ErrAltered) || got != "" {
			t.Errorf("at %q: got %q, %v, want ErrAltered", elsewhere, got, err)
		}
	}
	if again := sealed(t, k); bytes.Equal(again.Ciphertext, s.Ciphertext) {
		t.Error("the same secret is sealed to the same bytes: it shows who shares one")
	}
}

func TestEveryByteOfASealedSecretIsProtected(t *testing.T) {
	k := made(t)
	s := sealed(t, k)
	for i := range s.Ciphertext {
		altered := keyring.Sealed{KeyID: s.KeyID, Ciphertext: bytes.Clone(s.Ciphertext)}
		altered.Ciphertext[i] ^= 1
		if _, err := k.Open(altered, here); !errors.Is(err, keyring.ErrAltered) {
			t.Errorf("byte %d: got %v, want ErrAltered", i, err)
		}
	}
	for n := range s.Ciphertext {
		if _, err := k.Open(keyring.Sealed{KeyID: s.KeyID, Ciphertext: s.Ciphertext[:n]}, here); !errors.Is(err, keyring.ErrAltered) {
			t.Errorf("cut to %d bytes: got %v, want ErrAltered", n, err)
		}
	}
}

func TestTheNamedKeyIsTheOneThatSealed(t *testing.T) {
	k := must[keyring.Keyset](t)(made(t).Rotated())
	s := sealed(t, k)
	s.KeyID = k.IDs()[0]
	if _, err := k.Open(s, here); !errors.Is(err, keyring.ErrAltered) {
		t.Errorf("under the name of another key: got %v, want ErrAltered", err)
	}
}

func TestARotatedKeysetOpensWhatWasSealedBefore(t *testing.T) {
	first := made(t)
	old := sealed(t, first)
	prepared := must[keyring.Keyset](t)(first.Prepared())
	next, ok := prepared.Next()
	if prepared.Primary() != first.Primary() || !ok || prepared.SameIDs(first) {
		t.Fatalf("prepared: primary %d, next %d %v, want primary %d and a next one", prepared.Primary(), next, ok, first.Primary())
	}
	if twice := must[keyring.Keyset](t)(prepared.Prepared()); !twice.SameIDs(prepared) {
		t.Errorf("prepared twice: got %v, want %v", twice.IDs(), prepared.IDs())
	}
	rotated := must[keyring.Keyset](t)(prepared.Rotated())
	if rotated.Primary() != next {
		t.Errorf("primary: got %d, want the prepared %d", rotated.Primary(), next)
	}
	if _, more := rotated.Next(); more || !slices.Equal(rotated.IDs(), prepared.IDs()) {
		t.Errorf("rotated: got %v with a next one %v, want the same keys and none", rotated.IDs(), more)
	}
	fresh := sealed(t, rotated)
	for name, s := range map[string]keyring.Sealed{"old": old, "new": fresh} {
		if got, err := rotated.Open(s, here); got != secret || err != nil {
			t.Errorf("%s: got %q, %v", name, got, err)
		}
	}
	if got, err := prepared.Open(fresh, here); got != secret || err != nil {
		t.Errorf("a node that was prepared cannot open the new: %q, %v", got, err)
	}
	if _, err := first.Open(fresh, here); !errors.Is(err, keyring.ErrUnknownKey) {
		t.Errorf("without the new key: got %v, want ErrUnknownKey", err)
	}
	last := must[keyring.Keyset](t)(rotated.Without(first.Primary()))
	if _, err := last.Open(old, here); !errors.Is(err, keyring.ErrUnknownKey) {
		t.Errorf("without the old key: got %v, want ErrUnknownKey", err)
	}
	for name, id := range map[string]uint32{"the primary": rotated.Primary(), "an unknown": 1} {
		if _, err := rotated.Without(id); err == nil {
			t.Errorf("%s key is removed", name)
		}
	}
}

func TestAKeysetIsTheSameAfterItsText(t *testing.T) {
	k := must[keyring.Keyset](t)(made(t).Prepared())
	s := sealed(t, k)
	read := must[keyring.Keyset](t)(keyring.Parse(must[[]byte](t)(k.MarshalText())))
	if got, err := read.Open(s, here); got != secret || err != nil || !read.SameIDs(k) {
		t.Errorf("got %q, %v, keys %v; want the secret and %v", got, err, read.IDs(), k.IDs())
	}
}

func TestWhatIsNoKeysetOfAES256GCMIsRefusedAndNotRepeated(t *testing.T) {
	good := string(must[[]byte](t)(made(t).MarshalText()))
	var material struct {
		Key []struct{ KeyData struct{ Value string } }
	}
	if err := json.Unmarshal([]byte(good), &material); err != nil || material.Key[0].KeyData.Value == "" {
		t.Fatalf("no key in %v, %v", material, err)
	}
	of := func(template *tink_go_proto.KeyTemplate) string {
		h := must[*keyset.Handle](t)(keyset.NewHandle(template))
		var b strings.Builder
		if err := insecurecleartextkeyset.Write(h, keyset.NewJSONWriter(&b)); err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	for name, text := range map[string]string{
		"nothing":         "",
		"no JSON":         secret,
		"no keys":         `{"primaryKeyId":1,"key":[]}`,
		"cut":             good[:len(good)/2],
		"another primary": strings.Replace(good, `"primaryKeyId":`, `"primaryKeyId":1`, 1),
		"disabled":        strings.Replace(good, "ENABLED", "DISABLED", 1),
		"AES-128":         of(aead.AES128GCMKeyTemplate()),
		"without prefix":  of(aead.AES256GCMNoPrefixKeyTemplate()),
		"ChaCha20":        of(aead.ChaCha20Poly1305KeyTemplate()),
	} {
		_, err := keyring.Parse([]byte(text))
		if err == nil {
			t.Errorf("%s is accepted", name)
		} else if strings.Contains(err.Error(), material.Key[0].KeyData.Value) || strings.Contains(err.Error(), secret) {
			t.Errorf("%s: the error repeats what it was given: %v", name, err)
		}
	}
}

func TestKeysNeverPrint(t *testing.T) {
	k := made(t)
	var material struct {
		Key []struct{ KeyData struct{ Value []byte } }
	}
	if err := json.Unmarshal(must[[]byte](t)(k.MarshalText()), &material); err != nil {
		t.Fatal(err)
	}
	raw := material.Key[0].KeyData.Value
	raw = raw[len(raw)-32:] // after the field's tag
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%d", "%x"} {
		out := fmt.Sprintf(verb, k) + fmt.Sprintf(verb, &k)
		for _, form := range []string{string(raw), fmt.Sprintf("%x", raw), strings.Trim(fmt.Sprint(raw), "[]")} {
			if strings.Contains(out, form) {
				t.Errorf("%s prints the key", verb)
			}
		}
	}
}

func FuzzAKeysetThatIsReadSealsAndOpens(f *testing.F) {
	f.Add([]byte(nil))
	f.Add(must[[]byte](f)(made(f).MarshalText()))
	f.Fuzz(func(t *testing.T, text []byte) {
		k, err := keyring.Parse(text)
		if err != nil {
			return
		}
		if got, err := k.Open(sealed(t, k), here); got != secret || err != nil {
			t.Errorf("got %q, %v", got, err)
		}
	})
}
