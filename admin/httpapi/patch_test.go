package httpapi

import (
	"strings"
	"testing"
)

func TestAMergePatchFollowsRFC7396(t *testing.T) {
	w := newWorld(t)
	w.seed()
	w.do("PUT", "/admin/v1/models/m2", modelBody).want(201)
	const path = "/admin/v1/routings/x"
	const before = `{"id":"x","description":"d","labels":{"a":"1","b":"2"},"strategy":"least_latency","targets":[{"model":"m","weight":2}],"latency":{"probe_after":"30s"},"retries":2}`
	for _, c := range []struct{ name, patch, want string }{
		{"nothing", `{}`, before},
		{"a member", `{"retries":3}`, strings.Replace(before, `"retries":2`, `"retries":3`, 1)},
		{"null removes a member", `{"description":null}`, strings.Replace(before, `"description":"d",`, ``, 1)},
		{"null removes a nested member", `{"labels":{"a":null}}`, strings.Replace(before, `"a":"1",`, ``, 1)},
		{"null removes an object", `{"labels":null}`, strings.Replace(before, `"labels":{"a":"1","b":"2"},`, ``, 1)},
		{"null removes what is not there", `{"deadline":null}`, before},
		{"null inside a new object", `{"deadline":"2m","labels":{"c":null,"d":"4"}}`, strings.Replace(strings.Replace(before, `"b":"2"`, `"b":"2","d":"4"`, 1), `"id"`, `"deadline":"2m","id"`, 1)},
		{"an array is replaced whole", `{"targets":[{"model":"m2"}]}`, strings.Replace(before, `[{"model":"m","weight":2}]`, `[{"model":"m2"}]`, 1)},
		{"several at once", `{"strategy":"failover","latency":null,"retries":null,"targets":[{"model":"m2"},{"model":"m"}]}`,
			`{"id":"x","description":"d","labels":{"a":"1","b":"2"},"strategy":"failover","targets":[{"model":"m2"},{"model":"m"}]}`},
	} {
		w.do("PUT", path, before)
		got := w.do("PATCH", path, c.patch).want(200)
		if want := string(w.do("PUT", path, c.want).want(200).body); string(got.body) != want {
			t.Errorf("%s: got %s, want %s", c.name, got.body, want)
		}
		if strings.Contains(string(got.body), "null") {
			t.Errorf("%s: a null is stored: %s", c.name, got.body)
		}
	}
}

func TestANullOnARequiredFieldNamesIt(t *testing.T) {
	w := newWorld(t)
	w.seed()
	for patch, want := range map[string]string{
		`{"strategy":null}`:            "#/strategy required",
		`{"targets":[{"model":null}]}`: "#/targets/0/model required",
		`{"targets":[null]}`:           "#/targets/0 type",
	} {
		p := w.do("PATCH", "/admin/v1/routings/r", patch).problem(422, "refused")
		if got := brief(p.Errors); len(got) == 0 || got[0] != want {
			t.Errorf("%s: got %v, want %q", patch, got, want)
		}
	}
}
