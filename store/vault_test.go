package store_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/sluice-gateway/sluice/core"
	"github.com/sluice-gateway/sluice/store"
	"github.com/sluice-gateway/sluice/store/keyring"
)

func TestASecretIsNowhereInEtcdAndReadAsItWasWritten(t *testing.T) {
	s := newSealing(t)
	st := s.open()
	s.write(st, "p", canary)
	s.write(st, "p", canary+"2")
	all := s.everything()
	if strings.Contains(all, canary) || !strings.Contains(all, `"sealed":"`) || !strings.Contains(all, fmt.Sprintf(`"key_id":%d`, s.keys().Keyset().Primary())) {
		t.Errorf("the secret is to be sealed, its key beside it:\n%s", all)
	}
	got := s.read(st, "p")
	if string(got.Value) != provider("p", canary+"2") || got.Locked() {
		t.Errorf("got %s, %v, want it as it was written", got.Value, got.Faults)
	}
	if r := s.write(st, "p", canary+"2"); r.Changed {
		t.Error("the same value is written again: a sealed secret never equals itself")
	}
	img, err := st.ReadAt(t.Context(), got.Created)
	if err != nil || string(img.Items[named("p")].Value) != provider("p", canary) {
		t.Errorf("as it was: got %s, %v", img.Items[named("p")].Value, err)
	}
}

func TestReferencesAndWhatHoldsNoSecretAreStoredAsTheyAre(t *testing.T) {
	s := newSealing(t)
	sealing, none := s.open(), s.openWith(store.Config{})
	for i, st := range []*store.Store{sealing, none} {
		for _, secret := range []string{"${env:KEY}", ""} {
			id := fmt.Sprintf("p%d-%d", i, len(secret))
			s.write(st, id, secret)
			if got := s.get("provider/" + id); got != provider(id, secret) {
				t.Errorf("got %s, want it as it was written", got)
			}
		}
		if _, err := tryWrite(t, st, core.Ref{Kind: core.KindModel, ID: "m"}, `{ "auth": {"secret":"a model has none"} }`+strings.Repeat(" ", i)); err != nil {
			t.Error(err)
		}
	}
}

func TestASealedSecretDoesNotOpenElsewhere(t *testing.T) {
	s := newSealing(t)
	st := s.open()
	s.write(st, "p", canary)
	moved := strings.Replace(s.get("provider/p"), `"id":"p"`, `"id":"q"`, 1)
	s.put("provider/q", moved)
	swapped := s.get("provider/p")
	secret, key := swapped[strings.Index(swapped, `"secret":`)+9:], swapped[strings.Index(swapped, `"key_pem":`)+10:]
	secret, key = secret[:strings.Index(secret, "}")+1], key[:strings.Index(key, "}")+1]
	s.put("provider/p", strings.NewReplacer(secret, key, key, secret).Replace(swapped))
	for _, id := range []string{"p", "q"} {
		got := s.read(st, id)
		if len(got.Faults) != 2 || got.Faults[0].Pointer != "/auth/secret" || got.Faults[0].Rule != store.RuleKeyset || got.Faults[0].Severity != core.SeverityReject || got.Faults[0].Ref != named(id) {
			t.Errorf("%s: faults %v, want one at each of two pointers", id, got.Faults)
		}
		if strings.Contains(string(got.Value), canary) {
			t.Errorf("%s: a secret opens where it was not sealed for", id)
		}
	}
}

func TestASecretIsNeverWrittenInPlainTextUnasked(t *testing.T) {
	s := newSealing(t)
	none, plain := s.openWith(store.Config{}), s.openWith(store.Config{PlainSecrets: true})
	if _, err := tryWrite(t, none, named("p"), provider("p", canary)); !errors.Is(err, store.ErrNoKeys) || strings.Contains(err.Error(), canary) {
		t.Errorf("without keys: got %v, want ErrNoKeys", err)
	}
	s.write(plain, "old", canary)
	s.must(none.CheckKeys(t.Context()))
	s.write(s.open(), "p", canary)
	if _, err := tryWrite(t, plain, named("q"), provider("q", canary)); !errors.Is(err, store.ErrNoKeys) {
		t.Errorf("beside a sealed one: got %v, want ErrNoKeys", err)
	}
	if err := plain.CheckKeys(t.Context()); err == nil || !strings.Contains(err.Error(), "SLUICE_KEYSET_FILE") {
		t.Errorf("got %v, want an error that says what to do", err)
	}
	for name, value := range map[string]string{
		"an object":     `{"auth":{"secret":{"key_id":1,"sealed":"AAAA"}}}`,
		"a list":        `{"auth":{"secret":["` + canary + `"]}}`,
		"no JSON":       `{"auth":{"secret":"` + canary,
		"no object":     `["` + canary + `"]`,
		"null":          `null`,
		"trailing text": `{} {"auth":{"secret":"` + canary + `"}}`,
	} {
		if _, err := tryWrite(t, s.open(), named("q"), value); err == nil || strings.Contains(err.Error(), canary) {
			t.Errorf("%s: got %v, want an error without the secret", name, err)
		}
	}
}

func TestPlainSecretsAreReadAndSealedByTheNextWrite(t *testing.T) {
	s := newSealing(t)
	s.write(s.openWith(store.Config{PlainSecrets: true}), "p", canary)
	st := s.open()
	if got := s.read(st, "p"); string(got.Value) != provider("p", canary) || got.Locked() {
		t.Fatalf("got %s, %v, want what is stored", got.Value, got.Faults)
	}
	if secrets, err := st.Secrets(t.Context()); err != nil || len(secrets) != 2 || secrets[0].Sealed {
		t.Errorf("got %+v, %v, want two in plain text", secrets, err)
	}
	if r := s.write(st, "p", canary); !r.Changed {
		t.Error("the same value is not written: its secret stays in plain text")
	}
	if now := s.get("provider/p"); strings.Contains(now, canary) {
		t.Errorf("not sealed: %s", now)
	}
}

func TestEverySecretIsSealedAnewInTransactionsThatEtcdTakes(t *testing.T) {
	s := newSealing(t)
	plain := s.openWith(store.Config{PlainSecrets: true})
	const small, large = 130, 3 // etcd takes 128 operations at once
	for from := 0; from < small; from += small / 2 {
		_, err := plain.Update(t.Context(), func(store.Image) (out []store.Change, _ error) {
			for i := range small / 2 {
				id := fmt.Sprint("p", from+i)
				out = append(out, store.Change{Ref: named(id), Value: []byte(provider(id, canary))})
			}
			return out, nil
		})
		s.must(err)
	}
	for i := range large {
		s.put("provider/large"+fmt.Sprint(i), provider(fmt.Sprint("large", i), canary+strings.Repeat("x", 200<<10)))
	}
	st := s.open()
	for _, want := range []int{small + large, 0} {
		if done, err := st.Reseal(t.Context()); err != nil || done.Resources != want || len(done.Locked) > 0 {
			t.Fatalf("got %+v, %v, want %d", done, err, want)
		}
	}
	rotated := s.rotate()
	if done, err := st.Reseal(t.Context()); err != nil || done.Resources != small+large {
		t.Fatalf("after a rotation: got %+v, %v, want %d", done, err, small+large)
	}
	secrets, err := s.openWith(store.Config{}).Secrets(t.Context())
	s.must(err)
	for _, secret := range secrets {
		if !secret.Sealed || secret.KeyID != rotated.Primary() {
			t.Fatalf("%+v: want it under key %d", secret, rotated.Primary())
		}
	}
	if got := s.read(st, "p1"); string(got.Value) != provider("p1", canary) {
		t.Errorf("got %s", got.Value)
	}
}

func TestWhatDoesNotOpenIsLeftAloneAndTheRestIsSealed(t *testing.T) {
	s := newSealing(t)
	s.write(s.open(), "lost", canary)
	lost := s.get("provider/lost")
	keys, err := keyring.New()
	s.must(err)
	s.must(keyring.Replace(s.file, keys))
	s.put("provider/p", provider("p", canary))
	st := s.open()
	done, err := st.Reseal(t.Context())
	if err != nil || done.Resources != 1 || len(done.Locked) != 2 || done.Locked[0].Ref != named("lost") {
		t.Errorf("got %+v, %v, want one sealed and the faults of the lost one", done, err)
	}
	if now := s.get("provider/lost"); now != lost {
		t.Errorf("got %s, want it as it was", now)
	}
	img, err := st.Read(t.Context())
	s.must(err)
	doc, faults := core.ParseDocument(img.Values())
	if p := doc.Providers["lost"]; p == nil || p.Auth != nil {
		t.Errorf("others cannot be proved beside it: %+v, %v", p, faults)
	}
	if _, err := tryWrite(t, st, named("lost"), provider("lost", canary)); err != nil || s.read(st, "lost").Locked() {
		t.Errorf("a new secret does not repair it: %v", err)
	}
}

// images is what a watch publishes.
type images struct {
	mu   sync.Mutex
	last store.Image
	seen int
}

func (i *images) publish(img store.Image) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.last, i.seen = img, i.seen+1
}

func (i *images) await(t *testing.T, what string, ok func(store.Item) bool) {
	t.Helper()
	late := time.After(30 * time.Second)
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	for {
		i.mu.Lock()
		item, known := i.last.Items[named("p")]
		i.mu.Unlock()
		if known && ok(item) {
			return
		}
		select {
		case <-late:
			t.Fatalf("%s: did not happen; there is %s, %v", what, item.Value, item.Faults)
		case <-tick.C:
		}
	}
}

func TestAWatchOpensSecretsAsSoonAsItHasTheKey(t *testing.T) {
	s := newSealing(t)
	writer := s.open()
	s.write(writer, "p", canary)
	follower := s.open()
	ctx, stop := context.WithCancel(t.Context())
	var got images
	ended := make(chan error, 1)
	go func() { ended <- follower.Watch(ctx, store.Watcher{Publish: got.publish}) }()
	defer func() { stop(); <-ended }()
	opened := func(secret string) func(store.Item) bool {
		return func(i store.Item) bool { return !i.Locked() && string(i.Value) == provider("p", secret) }
	}
	got.await(t, "the first image", opened(canary))

	s.rotate()
	s.write(writer, "p", canary+"2")
	got.await(t, "what a new key has sealed", opened(canary+"2"))

	// A writer whose file is ahead of everybody's.
	ahead := newSealing(t)
	keys, err := s.keys().Keyset().Rotated()
	s.must(err)
	s.must(keyring.Replace(ahead.file, keys))
	s.write(s.openWith(store.Config{Keys: ahead.keys()}), "p", canary+"3")
	got.await(t, "what nobody can open", store.Item.Locked)
	s.must(keyring.Replace(s.file, keys))
	got.await(t, "the same, once the key is there", opened(canary+"3"))
}
