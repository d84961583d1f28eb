package serve

import (
	"encoding/json"
	"net/http"
	"strings"

	"github.com/sluice-gateway/sluice/proxy/apierror"
)

// model is an entry of the models list as the OpenAI API writes it. Created is fixed: the names are the
// operator's, and a moment that changed with every request would break caches.
type model struct {
	ID      string `json:"id"`
	Object  string `json:"object"`
	Created int64  `json:"created"`
	OwnedBy string `json:"owned_by"`
}

func describe(name string) model { return model{ID: name, Object: "model", OwnedBy: "sluice"} }

// listModels answers with every name that the caller may use, sorted.
func (x *exchange) listModels() {
	caller := x.caller()
	if caller == nil {
		return
	}
	list := struct {
		Object string  `json:"object"`
		Data   []model `json:"data"`
	}{"list", []model{}}
	for _, name := range x.state.Names() {
		if caller.Allows(name) {
			list.Data = append(list.Data, describe(name))
		}
	}
	x.answer(list)
}

// showModel answers with one name; an unknown and a forbidden one get the same 404.
func (x *exchange) showModel() {
	caller := x.caller()
	if caller == nil {
		return
	}
	name := strings.TrimPrefix(x.r.URL.Path, "/v1/models/")
	if _, known := x.state.Group(name); !known || !caller.Allows(name) {
		x.refuse(apierror.ModelNotFound(name))
		return
	}
	x.answer(describe(name))
}

func (x *exchange) answer(v any) {
	body, err := json.Marshal(v)
	if err != nil {
		panic(err) // plain structs of strings and numbers always marshal
	}
	x.done.Result.Status, x.done.Result.Outcome = http.StatusOK, "ok"
	x.w.Header().Set("Content-Type", "application/json")
	x.w.Write(append(body, '\n'))
}
