package httpapi

import (
	"github.com/labstack/echo/v4"

	"github.com/sluice-gateway/sluice/core"
)

// @Summary		List profiles
// @Description	Pages of one list show the profiles as they were at one revision, in the order of their ids.
// @Tags			profiles
// @ID				listProfiles
// @Security		Bearer
// @Param			limit			query		int			false	"Most entries of the page"	minimum(1)	maximum(1000)	default(100)
// @Param			page_token		query		string		false	"`next_page_token` of the page before"
// @Param			label			query		[]string	false	"Only what bears the label, as `name=value`; all of them when repeated"	collectionFormat(multi)
// @Success		200				{object}	List{items=[]Item{resource=core.Profile}}
// @Failure		400,401,410,503	{object}	Problem
// @Router			/admin/v1/profiles [get]
func (a *API) listProfiles(c echo.Context) error { return a.list(c, core.KindProfile) }

// @Summary	Get a profile
// @Tags		profiles
// @ID			getProfile
// @Security	Bearer
// @Param		id						path		string	true	"Id of the profile"
// @Param		If-None-Match			header		string	false	"Answer 304 when the ETag is one of these"
// @Success	200						{object}	core.Profile
// @Header		200,304					{string}	ETag	"Revision of the last change, in double quotes"
// @Success	304						"Not modified"
// @Failure	400,401,404,409,412,503	{object}	Problem
// @Router		/admin/v1/profiles/{id} [get]
func (a *API) getProfile(c echo.Context) error { return a.get(c, core.KindProfile) }

// @Summary		Create or replace a profile
// @Description	`id` may be left out of the body. A masked secret keeps the stored one.
// @Tags			profiles
// @ID				putProfile
// @Security		Bearer
// @Param			id										path		string			true	"Id of the profile"
// @Param			body									body		core.Profile	true	"The whole profile"
// @Param			If-Match								header		string			false	"Only when the ETag is one of these, or `*`: only when it exists"
// @Param			If-None-Match							header		string			false	"`*`: only when it does not exist"
// @Param			wait									query		string			false	"Answer when every live node serves the write or rejects the resource, or after this long: a duration of at most 60s"	example(5s)
// @Success		200										{object}	core.Profile
// @Success		201										{object}	core.Profile
// @Header			200,201									{string}	ETag					"Revision of the last change, in double quotes"
// @Header			200,201									{integer}	X-Sluice-Revision		"Store revision that holds the write"
// @Header			200,201									{string}	X-Sluice-Wait			"With wait: complete, or incomplete when a live node does not serve the write: it has not come to it yet, or it rejects the resource, as `/admin/v1/fleet` then says"
// @Header			200,201									{string}	X-Sluice-Waiting-For	"With an incomplete wait: the nodes that do not serve it, at most 50, by comma"
// @Header			200,201									{integer}	X-Sluice-Nodes			"With wait: how many nodes live"
// @Header			201										{string}	Location				"Path of the profile"
// @Failure		400,401,403,409,412,413,415,422,500,503	{object}	Problem
// @Router			/admin/v1/profiles/{id} [put]
func (a *API) putProfile(c echo.Context) error { return a.put(c, core.KindProfile) }

// @Summary		Change a profile
// @Description	A JSON merge patch (RFC 7396): null removes, arrays are replaced whole, what is absent stays, secrets too.
// @Tags			profiles
// @ID				patchProfile
// @Security		Bearer
// @Accept			application/merge-patch+json
// @Param			id											path		string	true	"Id of the profile"
// @Param			body										body		object	true	"The merge patch"
// @Param			If-Match									header		string	false	"Only when the ETag is one of these"
// @Param			wait										query		string	false	"Answer when every live node serves the write or rejects the resource, or after this long: a duration of at most 60s"	example(5s)
// @Success		200											{object}	core.Profile
// @Header			200											{string}	ETag					"Revision of the last change, in double quotes"
// @Header			200											{integer}	X-Sluice-Revision		"Store revision that holds the write"
// @Header			200											{string}	X-Sluice-Wait			"With wait: complete, or incomplete when a live node does not serve the write: it has not come to it yet, or it rejects the resource, as `/admin/v1/fleet` then says"
// @Header			200											{string}	X-Sluice-Waiting-For	"With an incomplete wait: the nodes that do not serve it, at most 50, by comma"
// @Header			200											{integer}	X-Sluice-Nodes			"With wait: how many nodes live"
// @Failure		400,401,403,404,409,412,413,415,422,500,503	{object}	Problem
// @Router			/admin/v1/profiles/{id} [patch]
func (a *API) patchProfile(c echo.Context) error { return a.patch(c, core.KindProfile) }

// @Summary		Delete a profile
// @Description	A profile that routings name is refused with 409 and the list of them.
// @Tags			profiles
// @ID				deleteProfile
// @Security		Bearer
// @Param			id								path	string	true	"Id of the profile"
// @Param			If-Match						header	string	false	"Only when the ETag is one of these"
// @Param			wait							query	string	false	"Answer when every live node serves the write, or after this long: a duration of at most 60s"	example(5s)
// @Success		204								"Deleted"
// @Header			204								{integer}	X-Sluice-Revision		"Store revision that holds the write"
// @Header			204								{string}	X-Sluice-Wait			"With wait: complete, or incomplete when not every live node serves the write yet"
// @Header			204								{string}	X-Sluice-Waiting-For	"With an incomplete wait: the nodes that do not serve it, at most 50, by comma"
// @Header			204								{integer}	X-Sluice-Nodes			"With wait: how many nodes live"
// @Failure		400,401,403,404,409,412,500,503	{object}	Problem
// @Router			/admin/v1/profiles/{id} [delete]
func (a *API) deleteProfile(c echo.Context) error { return a.remove(c, core.KindProfile) }
