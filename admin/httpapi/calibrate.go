package httpapi

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/labstack/echo/v4"

	"github.com/sluice-gateway/sluice/core"
	"github.com/sluice-gateway/sluice/core/calibrate"
	"github.com/sluice-gateway/sluice/core/decision"
)

// verbCalibrate stands behind the id of a routing. To the router both are one parameter, by the name of both.
const verbCalibrate = ":calibrate"

// postRouting does what a verb behind the id asks for; without one a routing takes no POST.
func (a *API) postRouting(c echo.Context) error {
	id := c.Param("id" + verbCalibrate)
	if decoded, err := url.PathUnescape(id); err == nil && c.Request().URL.RawPath != "" {
		id = decoded
	}
	id, ok := strings.CutSuffix(id, verbCalibrate)
	if !ok {
		c.Response().Header().Set("Allow", "DELETE, GET, HEAD, PATCH, PUT")
		return echo.ErrMethodNotAllowed
	}
	if err := core.CheckID(id); err != nil {
		return badRequest("/id", "id", err.Error())
	}
	return a.calibrate(c, id)
}

// @Summary		Calibrate a semantic routing
// @Description	Asks a live proxy node to embed prompts of which it is known where they belong, and to compare them with the routing's examples as a request would be. The answer has the accuracy and the confusion with the thresholds of now, a suggested threshold for each target, which maximises Youden's J over the prompts, and pairs of examples of two targets that lie too close. Nothing is changed; no text of a prompt is in the answer.
// @Description
// @Description	At most 1,000 prompts within the limit of a body. Each is sent to the routing's embedding endpoint, which may cost money: a viewer may not ask.
// @Tags			decisions
// @ID				calibrateRouting
// @Security		Bearer
// @Accept			json
// @Param			id			path		string				true	"Id of the routing"
// @Param			node		query		string				false	"Ask this node; without it, any"
// @Param			question	body		calibrate.Question	true	"Labelled prompts; the routing is that of the path"
// @Success		200			{object}	calibrate.Result
// @Failure		400,401,403,404,413,415,422,502,503	{object}	Problem
// @Router			/admin/v1/routings/{id}:calibrate [post]
func (a *API) calibrate(c echo.Context, id string) error {
	node, err := nodeOf(c.QueryParams())
	if err != nil {
		return err
	}
	raw, err := a.body(c, typeJSON)
	if err != nil {
		return err
	}
	var q calibrate.Question
	d := json.NewDecoder(bytes.NewReader(raw))
	d.DisallowUnknownFields()
	if err := d.Decode(&q); err != nil {
		return unclear([]core.Fault{decision.Wrong("", "json", strings.TrimPrefix(err.Error(), "json: "))})
	}
	if faults := checkPrompts(&q, id); len(faults) > 0 {
		return unclear(faults)
	}
	q.Routing = id
	r, err := a.nodes.Calibrate(c.Request().Context(), node, &q)
	if err != nil {
		return err
	}
	return respond(c, http.StatusOK, r)
}

func checkPrompts(q *calibrate.Question, id string) (faults []core.Fault) {
	if q.Routing != "" && q.Routing != id {
		faults = append(faults, decision.Wrong("/routing", "id", fmt.Sprintf("routing must be left out or be that of the URL, %q", id)))
	}
	if n := len(q.Prompts); n == 0 || n > calibrate.MaxPrompts {
		faults = append(faults, decision.Wrong("/prompts", "count", fmt.Sprintf("there must be 1 to %d prompts", calibrate.MaxPrompts)))
	}
	if q.Close != nil && (*q.Close < -1 || *q.Close > 1) {
		faults = append(faults, decision.Wrong("/close", "range", "close must be a cosine from -1 to 1"))
	}
	for i, p := range q.Prompts {
		if p.Target == "" {
			faults = append(faults, decision.Wrong("/prompts/"+strconv.Itoa(i)+"/target", "required", "target must name where the prompt belongs"))
		}
	}
	return faults
}
