package httpapi

import (
	"bytes"
	"encoding/json"
	"net/http"
	"net/url"
	"strings"

	"github.com/labstack/echo/v4"

	"github.com/sluice-gateway/sluice/core"
	"github.com/sluice-gateway/sluice/core/decision"
)

// @Summary		Explain what would be decided
// @Description	Asks a live proxy node what it would try for a request, in which order and why. Nothing is sent to a target and nothing changes on the node; only for a semantic routing the prompt is embedded.
// @Description
// @Description	The question names a stored `model` (or routing), or brings a `routing` of its own, or a `profile` with `targets`. The request is a chat body (`request`) or bare `facts`; tags, hash and session are facts beside a body too. A fault of what the question brings has a pointer into the question. A viewer may ask, but for a semantic `routing`, whose examples are embedded: that may cost money.
// @Tags			decisions
// @ID				explain
// @Security		Bearer
// @Accept			json
// @Param			node		query		string				false	"Ask this node; without it, any"
// @Param			question	body		decision.Question	true	"What is asked"
// @Success		200			{object}	decision.Explanation
// @Failure		400,401,403,404,413,415,422,502,503	{object}	Problem
// @Router			/admin/v1/explain [post]
func (a *API) explain(c echo.Context) error {
	node, err := nodeOf(c.QueryParams())
	if err != nil {
		return err
	}
	raw, err := a.body(c, typeJSON)
	if err != nil {
		return err
	}
	q, err := a.question(raw)
	if err != nil {
		return err
	}
	if embeds(q) && a.tokens.role(c.Request().Header) != admin {
		return forbidden("to have the examples of a routing embedded that is not stored may cost money; a viewer may only read")
	}
	e, err := a.nodes.Explain(c.Request().Context(), node, q)
	if err != nil {
		return err
	}
	return respond(c, http.StatusOK, e)
}

// question reads and examines a question; what only a node can know of it is left to the node.
func (a *API) question(raw []byte) (*decision.Question, error) {
	var parts struct{ Routing, Profile json.RawMessage }
	if err := json.Unmarshal(raw, &parts); err != nil {
		return nil, unclear([]core.Fault{decision.Wrong("", "type", "the question must be a JSON object")})
	}
	faults := a.examined(core.KindRouting, "/routing", parts.Routing)
	faults = append(faults, a.examined(core.KindProfile, "/profile", parts.Profile)...)
	if len(faults) > 0 {
		return nil, unclear(faults)
	}
	q := new(decision.Question)
	d := json.NewDecoder(bytes.NewReader(raw))
	d.DisallowUnknownFields()
	if err := d.Decode(q); err != nil {
		return nil, unclear([]core.Fault{decision.Wrong("", "json", strings.TrimPrefix(err.Error(), "json: "))})
	}
	if faults := q.Check(); len(faults) > 0 {
		return nil, unclear(faults)
	}
	return q, nil
}

// embeds reports whether the question has texts of its own embedded beside the prompt: as many as it likes, at whatever
// provider it names.
func embeds(q *decision.Question) bool { return q.Routing != nil && q.Routing.Semantic != nil }

func (a *API) examined(kind core.Kind, at string, raw json.RawMessage) []core.Fault {
	if raw == nil {
		return nil
	}
	faults := a.catalog.Examine(kind, raw)
	for i := range faults {
		faults[i].Ref, faults[i].Pointer = core.Ref{}, at+faults[i].Pointer
	}
	return faults
}

// nodeOf returns the node that is to be asked; empty: any.
func nodeOf(v url.Values) (string, error) {
	if !v.Has("node") {
		return "", nil
	}
	if err := core.CheckID(v.Get("node")); err != nil {
		return "", badRequest("", "node", "node: "+err.Error())
	}
	return v.Get("node"), nil
}

// unclear is a question that cannot be answered as it stands.
func unclear(faults []core.Fault) *Problem {
	out := make([]Fault, len(faults))
	for i, f := range faults {
		out[i] = Fault{refUnless(f.Ref, core.Ref{}), f.Pointer, f.Rule, f.Message}
	}
	return problem(http.StatusUnprocessableEntity, "unclear", "The question cannot be answered", "").with(out)
}
