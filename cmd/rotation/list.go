package rotation

import (
	"context"
	"fmt"
	"io"
	"maps"
	"slices"
	"text/tabwriter"

	"github.com/sluice-gateway/sluice/store"
	"github.com/sluice-gateway/sluice/store/keyring"
)

// List prints the keys of the keyset and, unless st is nil, how many secrets are stored under each, in plain text, and
// under keys that the keyset does not have.
func List(ctx context.Context, out io.Writer, keys keyring.Keyset, st *store.Store) error {
	var secrets []store.StoredSecret
	if st != nil {
		var err error
		if secrets, err = st.Secrets(ctx); err != nil {
			return err
		}
	}
	uses := map[uint32]int{}
	plain := 0
	for _, s := range secrets {
		if s.Sealed {
			uses[s.KeyID]++
		} else {
			plain++
		}
	}
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "KEY\tROLE\tSECRETS")
	next, _ := keys.Next()
	for _, id := range keys.IDs() {
		role := "opens only"
		switch id {
		case keys.Primary():
			role = "primary"
		case next:
			role = "next"
		}
		fmt.Fprintf(w, "%d\t%s\t%s\n", id, role, count(st, uses[id]))
		delete(uses, id)
	}
	for _, id := range slices.Sorted(maps.Keys(uses)) {
		fmt.Fprintf(w, "%d\tNOT IN THE KEYSET\t%d\n", id, uses[id])
	}
	if plain > 0 {
		fmt.Fprintf(w, "-\tPLAIN TEXT\t%d\n", plain)
	}
	return w.Flush()
}

func count(st *store.Store, n int) string {
	if st == nil {
		return "?"
	}
	return fmt.Sprint(n)
}

// Remove takes a key out of the file, once no secret is stored under it.
func Remove(ctx context.Context, file string, id uint32, st *store.Store) error {
	keys, err := keyring.Read(file)
	if err != nil {
		return err
	}
	if keys, err = keys.Without(id); err != nil {
		return err
	}
	secrets, err := st.Secrets(ctx)
	if err != nil {
		return err
	}
	for _, s := range secrets {
		if s.Sealed && s.KeyID == id {
			return fmt.Errorf("%s%s is sealed with key %d: run 'sluice keys encrypt' first", s.Ref, s.Pointer, id)
		}
	}
	return keyring.Replace(file, keys)
}
