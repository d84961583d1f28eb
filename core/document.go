package core

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"strings"
)

// Resource is one of *Provider, *Model, *Profile, *Routing and *APIKey.
type Resource interface {
	// Ref returns the resource's own name.
	Ref() Ref
}

// Ref names the provider.
func (p *Provider) Ref() Ref { return Ref{KindProvider, p.ID} }

// Ref names the model.
func (m *Model) Ref() Ref { return Ref{KindModel, m.ID} }

// Ref names the routing.
func (r *Routing) Ref() Ref { return Ref{KindRouting, r.ID} }

// Ref names the API key.
func (k *APIKey) Ref() Ref { return Ref{KindAPIKey, k.ID} }

// Document is every resource of a gateway at one moment. The resources in it are never changed in place:
// a change puts another value under the same name.
type Document struct {
	Providers map[string]*Provider
	Models    map[string]*Model
	Profiles  map[string]*Profile
	Routings  map[string]*Routing
	APIKeys   map[string]*APIKey
}

// NewDocument returns an empty document.
func NewDocument() *Document {
	return &Document{
		Providers: map[string]*Provider{},
		Models:    map[string]*Model{},
		Profiles:  map[string]*Profile{},
		Routings:  map[string]*Routing{},
		APIKeys:   map[string]*APIKey{},
	}
}

// Clone returns a document with maps of its own over the same resources.
func (d *Document) Clone() *Document {
	return &Document{
		Providers: maps.Clone(d.Providers),
		Models:    maps.Clone(d.Models),
		Profiles:  maps.Clone(d.Profiles),
		Routings:  maps.Clone(d.Routings),
		APIKeys:   maps.Clone(d.APIKeys),
	}
}

// Set puts r under its own name, over what was there.
func (d *Document) Set(r Resource) {
	switch r := r.(type) {
	case *Provider:
		d.Providers[r.ID] = r
	case *Model:
		d.Models[r.ID] = r
	case *Profile:
		d.Profiles[r.ID] = r
	case *Routing:
		d.Routings[r.ID] = r
	case *APIKey:
		d.APIKeys[r.ID] = r
	}
}

// Delete removes what ref names, if anything.
func (d *Document) Delete(ref Ref) {
	switch ref.Kind {
	case KindProvider:
		delete(d.Providers, ref.ID)
	case KindModel:
		delete(d.Models, ref.ID)
	case KindProfile:
		delete(d.Profiles, ref.ID)
	case KindRouting:
		delete(d.Routings, ref.ID)
	case KindAPIKey:
		delete(d.APIKeys, ref.ID)
	}
}

// Referrer is a field of one resource that names another.
type Referrer struct {
	Ref Ref `json:"resource"`
	// Pointer is the JSON pointer to the field that holds the reference.
	Pointer string `json:"pointer"`
}

// Referrers returns every field of the document that names ref, in order.
func (d *Document) Referrers(ref Ref) []Referrer {
	var out []Referrer
	switch ref.Kind {
	case KindProvider:
		for _, id := range sortedKeys(d.Models) {
			if d.Models[id].Provider == ref.ID {
				out = append(out, Referrer{Ref{KindModel, id}, "/provider"})
			}
		}
		for _, id := range sortedKeys(d.Routings) {
			if s := d.Routings[id].Semantic; s != nil && s.Embeddings != nil && s.Embeddings.Provider == ref.ID {
				out = append(out, Referrer{Ref{KindRouting, id}, "/semantic/embeddings/provider"})
			}
		}
	case KindProfile:
		for _, id := range sortedKeys(d.Routings) {
			if d.Routings[id].Profile == ref.ID {
				out = append(out, Referrer{Ref{KindRouting, id}, "/profile"})
			}
		}
	case KindModel, KindRouting:
		for _, id := range sortedKeys(d.Routings) {
			for i, t := range d.Routings[id].Targets {
				if t.Model == ref.ID {
					out = append(out, Referrer{Ref{KindRouting, id}, targetPointer(i, "model")})
				}
			}
		}
	}
	return out
}

// Decode reads the stored JSON of the resource that ref names. It is lenient: a field that this version
// does not know is a fault of SeverityNotice. The resource is nil when there is a fault of SeverityReject.
func Decode(ref Ref, raw []byte) (Resource, []Fault) {
	r := newResource(ref.Kind)
	if r == nil {
		return nil, []Fault{{ref, "", "kind", fmt.Sprintf("%q is not a kind of resource", ref.Kind), SeverityReject}}
	}
	if err := json.Unmarshal(raw, r); err != nil {
		return nil, []Fault{{ref, "", "json", "the stored value does not decode: " + err.Error(), SeverityReject}}
	}
	if r.Ref() != ref {
		return nil, []Fault{{ref, "/id", "id", fmt.Sprintf("id %q differs from the name %q under which the resource is stored", r.Ref().ID, ref.ID), SeverityReject}}
	}
	return r, unknownFields(ref, raw)
}

// unknownFields reports the first unknown field; encoding/json names one at a time.
func unknownFields(ref Ref, raw []byte) []Fault {
	strict := json.NewDecoder(bytes.NewReader(raw))
	strict.DisallowUnknownFields()
	err := strict.Decode(newResource(ref.Kind))
	if err == nil {
		return nil
	}
	return []Fault{{ref, "", "unknown-field", strings.TrimPrefix(err.Error(), "json: "), SeverityNotice}}
}

func newResource(k Kind) Resource {
	switch k {
	case KindProvider:
		return new(Provider)
	case KindModel:
		return new(Model)
	case KindProfile:
		return new(Profile)
	case KindRouting:
		return new(Routing)
	case KindAPIKey:
		return new(APIKey)
	}
	return nil
}

// ParseDocument decodes every stored value. What does not decode is left out and is in the faults.
func ParseDocument(stored map[Ref][]byte) (*Document, []Fault) {
	doc := NewDocument()
	var faults []Fault
	for ref, raw := range stored {
		r, fs := Decode(ref, raw)
		faults = append(faults, fs...)
		if r != nil {
			doc.Set(r)
		}
	}
	sortFaults(faults)
	return doc, faults
}
