// Package httpapi serves the admin API over HTTP: resources, the state of the fleet, health and the API's
// own documentation. Every answer that is not a success is a problem (RFC 9457), see problem.go.
//
// The comments with an at sign on the handlers are what the OpenAPI document is made of; a test proves
// that the routes and the document are the same set. An API is safe for concurrent use.
//
//	@title			Sluice admin API
//	@version		1
//	@description	Reads and writes the resources of a Sluice gateway and shows its proxy nodes.
//	@description
//	@description				A write is proved before it is stored: the JSON Schema of its kind and the whole document must be no worse with it than without. Every fault is reported at once, as a problem (RFC 9457) with a JSON pointer for each.
//	@description				`ETag` is the revision of a resource's last change. `If-Match` makes a write depend on it, `If-None-Match: *` on the resource being new; `412` says that it is not so.
//	@description				Secrets are masked in every answer. A masked value that is sent back where it was shown keeps the stored secret, unless a provider would thereby send it to another host: the write is then refused with the rule `secret`.
//	@description				Every answer carries `X-Request-Id`: the request's own if it is 1 to 128 letters, digits, dots, underscores and hyphens, else a new one.
//	@license.name				Apache-2.0
//	@license.url				https://www.apache.org/licenses/LICENSE-2.0
//	@accept						json
//	@produce					json
//	@tag.name					providers
//	@tag.description			Where upstreams are and how to reach them.
//	@tag.name					models
//	@tag.description			Upstream models under the names that clients use.
//	@tag.name					profiles
//	@tag.description			Reusable ways of scoring the targets of routings.
//	@tag.name					routings
//	@tag.description			Virtual models: ordered choices among models and other routings.
//	@tag.name					api-keys
//	@tag.description			Callers of the gateway.
//	@tag.name					fleet
//	@tag.description			The live proxy nodes.
//	@tag.name					system
//	@tag.description			Health and documentation; no token needed.
//	@securityDefinitions.apikey	Bearer
//	@in							header
//	@name						Authorization
//	@description				`Bearer` and a token. An admin token may read and write, a viewer token may read.
package httpapi
