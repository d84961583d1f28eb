package httpapi

import (
	"net/http"
	"time"

	"github.com/labstack/echo/v4"

	"github.com/sluice-gateway/sluice/core"
)

// @Summary		Get the live proxy nodes and what they measure
// @Description	Each node says which revision it serves and which resources it does not serve as they are stored. A node that died is gone from the list when its lease ends.
// @Description
// @Description	Each cell shows what its nodes have measured together, per upstream and class of request, and which node has contributed how much. The estimates are folded here, when they are asked for, from what the nodes have stored; ages count from when this replica first saw a value.
// @Tags			fleet
// @ID				getFleet
// @Security		Bearer
// @Param			cell	query		string	false	"Only this cell"
// @Success		200		{object}	fleet.Report
// @Failure		400,401,503	{object}	Problem
// @Router			/admin/v1/fleet [get]
func (a *API) getFleet(c echo.Context) error {
	cell := c.QueryParam("cell")
	if c.QueryParams().Has("cell") {
		if err := core.CheckID(cell); err != nil {
			return badRequest("", "cell", "cell: "+err.Error())
		}
	}
	report, err := a.fleet.Report(c.Request().Context(), cell, time.Now())
	if err != nil {
		return err
	}
	return respond(c, http.StatusOK, report)
}
