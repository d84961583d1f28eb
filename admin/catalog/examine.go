package catalog

import (
	"encoding/json"

	"github.com/sluice-gateway/sluice/core"
)

// Examine returns what the schema finds wrong with the JSON of a resource that is not to be stored, and so may be without
// an id, or with an empty one. Each pointer leads into the resource.
func (c *Catalog) Examine(kind core.Kind, raw json.RawMessage) []core.Fault {
	ref := core.Ref{Kind: kind}
	o, err := decode(raw)
	if err != nil {
		return []core.Fault{reject(ref, "", "type", "must be a JSON object")}
	}
	if id, given := o["id"]; !given || id == "" {
		o["id"] = "inline"
	}
	return c.schemaFaults(ref, encode(o))
}
