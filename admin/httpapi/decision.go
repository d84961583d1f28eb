package httpapi

import (
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/labstack/echo/v4"

	"github.com/sluice-gateway/sluice/admin/ask"
)

// maxRequestID is the longest id of a request that a proxy takes from its caller.
const maxRequestID = 128

// @Summary		Get the decision about a request that was served
// @Description	Asks the live proxy nodes, each of which remembers its latest requests (`SLUICE_DECISIONS`), by the id of the answer's `x-request-id`. The decision holds the ranking, the order that was planned, the attempts and the outcome; it holds no prompt and no body.
// @Description
// @Description	404 also when a node that could not be asked may remember it; the detail names those nodes.
// @Tags			decisions
// @ID				getDecision
// @Security		Bearer
// @Param			id		path		string	true	"X-Request-Id of the answer"
// @Param			node	query		string	false	"Ask only this node"
// @Success		200		{object}	decision.Decision
// @Failure		400,401,404,503	{object}	Problem
// @Router			/admin/v1/decisions/{id} [get]
func (a *API) getDecision(c echo.Context) error {
	node, err := nodeOf(c.QueryParams())
	if err != nil {
		return err
	}
	id := c.Param("id")
	if !isRequestID(id) {
		return badRequest("/id", "id", fmt.Sprintf("the id of a request is made of letters, digits, dots, underscores and hyphens, at most %d of them", maxRequestID))
	}
	found, err := a.nodes.Decision(c.Request().Context(), node, id)
	if err != nil {
		return err
	}
	if found.Decision == nil {
		return forgotten(found)
	}
	return respond(c, http.StatusOK, found.Decision)
}

// isRequestID is the rule of the proxies.
func isRequestID(s string) bool {
	return s != "" && len(s) <= maxRequestID && s != "." && s != ".." && !strings.ContainsFunc(s, func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && r != '.' && r != '_' && r != '-'
	})
}

func forgotten(found ask.Found) *Problem {
	detail := count(found.Asked, "node") + " asked; each remembers its latest requests only"
	if len(found.Unreachable) > 0 {
		detail += "; could not be asked: " + reasons(found.Unreachable)
	}
	return problem(http.StatusNotFound, "decision-not-found", "No node remembers the request", detail)
}

// maxReasons bounds the nodes that a problem names.
const maxReasons = 10

func reasons(nodes []*ask.Unreachable) string {
	var out []string
	for i, u := range nodes {
		if i == maxReasons {
			out = append(out, fmt.Sprintf("%d more", len(nodes)-i))
			break
		}
		out = append(out, u.Node+" ("+u.Reason+")")
	}
	return strings.Join(out, ", ")
}

// problemOfNodes says why no node has answered; nil when err is not about that.
func problemOfNodes(err error) *Problem {
	var refused *ask.Refused
	var away *ask.Unreachable
	switch {
	case errors.Is(err, ask.ErrNoNode):
		return problem(http.StatusNotFound, "node-not-found", "No such proxy node is live", "GET /admin/v1/fleet lists those that are")
	case errors.As(err, &away):
		return problem(http.StatusBadGateway, "node-unreachable", "The proxy node cannot be asked", away.Error())
	case errors.As(err, &refused) && refused.Status == http.StatusUnprocessableEntity:
		return unclear(refused.Complaint.Faults)
	case errors.As(err, &refused) && refused.Status == http.StatusServiceUnavailable:
		return problem(http.StatusServiceUnavailable, "node-not-ready", "The proxy node cannot answer now", refused.Error())
	case errors.As(err, &refused):
		return problem(http.StatusBadGateway, "node-refused", "The proxy node does not answer", refused.Error())
	}
	return nil
}
