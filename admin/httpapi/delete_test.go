package httpapi

import (
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sluice-gateway/sluice/store"
)

func TestDeletingWhatOthersNameTellsAllOfThem(t *testing.T) {
	w := newWorld(t)
	w.seed()
	w.do("PUT", "/admin/v1/models/m2", modelBody).want(201)
	w.do("PUT", "/admin/v1/routings/r2", `{"strategy":"round_robin","targets":[{"model":"m2"},{"model":"m"},{"model":"r"}]}`).want(201)
	w.do("PUT", "/admin/v1/profiles/f", profileBody).want(201)
	w.do("PUT", "/admin/v1/routings/topics", `{"strategy":"semantic","targets":[{"model":"m2","catchall":true}],"semantic":{"embeddings":{"provider":"p","model":"e"}}}`).want(201)
	w.do("PUT", "/admin/v1/routings/thrifty", `{"strategy":"scored","targets":[{"model":"m2"}],"profile":"f"}`).want(201)
	for path, want := range map[string][]string{
		"providers/p": {"model/m#/provider referenced", "model/m2#/provider referenced", "routing/topics#/semantic/embeddings/provider referenced"},
		"profiles/f":  {"routing/thrifty#/profile referenced"},
		"models/m":    {"routing/r#/targets/0/model referenced", "routing/r2#/targets/1/model referenced"},
		"models/m2":   {"routing/r2#/targets/0/model referenced", "routing/thrifty#/targets/0/model referenced", "routing/topics#/targets/0/model referenced"},
		"routings/r":  {"routing/r2#/targets/2/model referenced"},
	} {
		p := w.do("DELETE", "/admin/v1/"+path, "").problem(409, "referenced")
		if diff := cmp.Diff(want, brief(p.Errors)); diff != "" {
			t.Errorf("%s (-want +got)\n%s", path, diff)
		}
	}
	for _, path := range []string{"routings/r2", "routings/r", "routings/topics", "routings/thrifty", "profiles/f", "models/m", "models/m2", "providers/p"} {
		w.do("DELETE", "/admin/v1/"+path, "").want(204)
	}
}

// A check against anything but the store itself would now and then see the routing, or not see it, too long.
func TestReplicasAgreeOnReferencesAtOnce(t *testing.T) {
	w := newWorld(t)
	w.seed()
	st, err := store.Open(w.cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { st.Close() })
	other, _ := w.replica(st)
	for i := range 40 {
		id := "m" + strconv.Itoa(i)
		w.do("PUT", "/admin/v1/models/"+id, modelBody).want(201)
		w.doAt(other, "PUT", "/admin/v1/routings/x", `{"strategy":"failover","targets":[{"model":"`+id+`"}]}`).want(201)
		w.do("DELETE", "/admin/v1/models/"+id, "").problem(409, "referenced")
		w.do("DELETE", "/admin/v1/routings/x", "").want(204)
		w.doAt(other, "DELETE", "/admin/v1/models/"+id, "").want(204)
	}
}
