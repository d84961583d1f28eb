package core

import (
	"slices"
	"strconv"
)

// Capability is something that a request may need of a model. The names are those of the field's catalogues.
type Capability string

// The capabilities: each can be told from the members of a request's body.
const (
	// CapabilityTools is needed by a body with tools, or with functions, their older form.
	CapabilityTools Capability = "tools"
	// CapabilityVision is needed by content parts that are images.
	CapabilityVision Capability = "vision"
	// CapabilityAudio is needed by content parts that are audio.
	CapabilityAudio Capability = "audio"
	// CapabilityFiles is needed by content parts that are files, such as PDF documents.
	CapabilityFiles Capability = "files"
	// CapabilityJSONSchema is needed by an answer that has to follow a JSON Schema.
	CapabilityJSONSchema Capability = "json_schema"
	// CapabilityReasoning is needed by a body that sets how much the model is to reason.
	CapabilityReasoning Capability = "reasoning"
)

// capabilities gives each capability its bit.
var capabilities = [...]Capability{
	CapabilityTools, CapabilityVision, CapabilityAudio, CapabilityFiles, CapabilityJSONSchema, CapabilityReasoning,
}

// AllCapabilities returns every capability that there is.
func AllCapabilities() []Capability { return slices.Clone(capabilities[:]) }

// Capabilities is a set of capabilities: of a target, what it can do; of a request, what it needs. It is a
// comparable value; the zero value says nothing about a target and needs nothing of one.
type Capabilities struct {
	// Declared tells a target without any capability from one of which nothing is known. Nothing is withheld
	// from the latter. It has no meaning for what a request needs.
	Declared bool
	bits     uint16
}

// CapabilitiesOf returns the declared set of those capabilities. Names that do not exist are left out.
func CapabilitiesOf(list ...Capability) Capabilities {
	s := Capabilities{Declared: true}
	for _, c := range list {
		s.Add(c)
	}
	return s
}

// Add puts c into the set, which does not become declared by it. It reports whether there is such a capability.
func (s *Capabilities) Add(c Capability) bool {
	i := slices.Index(capabilities[:], c)
	if i >= 0 {
		s.bits |= 1 << i
	}
	return i >= 0
}

// Empty reports whether no capability is in the set.
func (s Capabilities) Empty() bool { return s.bits == 0 }

// Missing returns what of need a target with these capabilities lacks: nothing if they are not declared.
func (s Capabilities) Missing(need Capabilities) Capabilities {
	if !s.Declared {
		return Capabilities{}
	}
	return Capabilities{bits: need.bits &^ s.bits}
}

// And returns what is in both sets, not declared.
func (s Capabilities) And(o Capabilities) Capabilities { return Capabilities{bits: s.bits & o.bits} }

// List returns the capabilities of the set in the order of AllCapabilities.
func (s Capabilities) List() []Capability {
	var out []Capability
	for i, c := range capabilities {
		if s.bits&(1<<i) != 0 {
			out = append(out, c)
		}
	}
	return out
}

// capabilities returns what the list declares; nil declares nothing. A name that this version does not know is
// noted and left out: no request that it can read needs it.
func (k *checker) capabilities(list []Capability) Capabilities {
	s := Capabilities{Declared: list != nil}
	for i, c := range list {
		if !s.Add(c) {
			k.c.fault(k.ref, SeverityNotice, "/capabilities/"+strconv.Itoa(i), "enum", strconv.Quote(string(c))+" is not a capability that this version knows")
		}
	}
	return s
}
