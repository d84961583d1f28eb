package envelope

import (
	"github.com/go-json-experiment/json/jsontext"

	"github.com/sluice-gateway/sluice/core"
	"github.com/sluice-gateway/sluice/proxy/token"
)

// change appends the edits that the changes call for. A member that is set anew stands behind the model.
func (e *Envelope) change(edits []edit, changes []core.Change) []edit {
	kept := len(e.members) - 1 // the last member that stays; the model always does
	for e.removed(changes, kept) {
		kept--
	}
	if kept < len(e.members)-1 {
		edits = append(edits, edit{at: span{e.members[kept].end, e.members[len(e.members)-1].end}})
	}
	for i, m := range e.members[:kept] {
		if e.removed(changes, i) {
			edits = append(edits, edit{at: span{m.start, e.members[i+1].start}})
		}
	}
	for _, c := range changes {
		if c.Value != nil {
			edits = e.set(edits, c)
		}
	}
	return edits
}

// removed reports whether a change takes out the i-th member.
func (e *Envelope) removed(changes []core.Change, i int) bool {
	for _, c := range changes {
		if c.Value == nil && e.named(e.members[i], c.Name) {
			return true
		}
	}
	return false
}

func (e *Envelope) set(edits []edit, c core.Change) []edit {
	found := false
	for _, m := range e.members {
		if e.named(m, c.Name) {
			found = true
			edits = append(edits, edit{span{m.nameEnd, m.end}, append([]byte{':'}, c.Value...)})
		}
	}
	if found {
		return edits
	}
	text, _ := jsontext.AppendQuote([]byte{','}, c.Name)
	text = append(append(text, ':'), c.Value...)
	return append(edits, edit{e.model, text})
}

// named reports whether a member has that name, however it is spelled.
func (e *Envelope) named(m member, name string) bool {
	return string(token.Text(e.raw[m.start:m.nameEnd])) == name
}
