package serve

import (
	"encoding/json"
	"net/http"
	"slices"
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

// anthropicModel is an entry of the models list as the Anthropic API writes it. It gives the epoch to models whose date
// is not known.
type anthropicModel struct {
	Type        string `json:"type"`
	ID          string `json:"id"`
	DisplayName string `json:"display_name"`
	CreatedAt   string `json:"created_at"`
}

func describeAnthropic(name string) anthropicModel {
	return anthropicModel{Type: "model", ID: name, DisplayName: name, CreatedAt: "1970-01-01T00:00:00Z"}
}

// anthropicList is one page of models. There is only the one, whatever page is asked for.
type anthropicList struct {
	Data    []anthropicModel `json:"data"`
	HasMore bool             `json:"has_more"`
	FirstID *string          `json:"first_id"`
	LastID  *string          `json:"last_id"`
}

func listAnthropic(names []string) anthropicList {
	list := anthropicList{Data: []anthropicModel{}}
	for _, name := range names {
		list.Data = append(list.Data, describeAnthropic(name))
	}
	if len(names) > 0 {
		list.FirstID, list.LastID = &names[0], &names[len(names)-1]
	}
	return list
}

// listModels answers with every name that the caller may use, sorted.
func (x *exchange) listModels() {
	caller := x.caller()
	if caller == nil {
		return
	}
	names := slices.DeleteFunc(slices.Clone(x.state.Names()), func(name string) bool { return !caller.Allows(name) })
	if x.dialect == apierror.Anthropic {
		x.answer(listAnthropic(names))
		return
	}
	list := struct {
		Object string  `json:"object"`
		Data   []model `json:"data"`
	}{"list", []model{}}
	for _, name := range names {
		list.Data = append(list.Data, describe(name))
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
	if x.dialect == apierror.Anthropic {
		x.answer(describeAnthropic(name))
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
