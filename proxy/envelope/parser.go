package envelope

import (
	"bytes"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/sluice-gateway/sluice/proxy/token"
)

// space is the white space of JSON.
const space = " \t\r\n"

// Members that the gateway reads.
const (
	memberModel        = "model"
	memberStream       = "stream"
	memberOptions      = "stream_options"
	memberIncludeUsage = "include_usage"
)

// maxMembers bounds what is remembered of a body: no API knows a tenth as many, and each costs more than its bytes.
const maxMembers = 1024

type parser struct {
	e      *Envelope
	r      *token.Reader
	stream span
}

func (p *parser) body() error {
	if p.r.Kind() != '{' {
		if p.r.Value() == nil {
			return notJSON(p.r.Err())
		}
		return &Error{Message: "The request body must be a JSON object."}
	}
	for name := range p.r.Members {
		if err := p.outer(name); err != nil {
			return err
		}
	}
	switch {
	case p.r.Err() != nil:
		return notJSON(p.r.Err())
	case !p.r.End():
		return &Error{Message: "The request body holds further data after its JSON object."}
	case !p.e.model.present():
		return &Error{memberModel, "You must provide a model parameter."}
	}
	return nil
}

// outer reads the value of a top-level member and remembers where the member stands.
func (p *parser) outer(name jsontext.Value) error {
	if len(p.e.members) == maxMembers {
		return &Error{Message: "The request body holds more than " + strconv.Itoa(maxMembers) + " top-level members."}
	}
	nameEnd := p.r.Offset()
	start := nameEnd - len(name)
	if err := p.member(name); err != nil {
		return err
	}
	p.e.members = append(p.e.members, member{start, nameEnd, p.r.Offset()})
	return nil
}

func (p *parser) member(name jsontext.Value) error {
	text := token.Text(name)
	switch string(text) {
	case memberModel:
		return p.model()
	case memberStream:
		return p.boolean(memberStream, &p.stream, &p.e.Stream)
	case memberOptions:
		return p.options()
	}
	if p.need(string(text)) {
		return nil
	}
	for _, own := range [...]string{memberModel, memberStream, memberOptions} {
		if misspelled(text, own) {
			return otherCase(own)
		}
	}
	p.r.Value()
	return nil
}

// misspelled reports whether text is the name in other letters of the same kind, such as "MODEL". Many
// upstreams, those that use encoding/json among them, would take the member for the one that they know.
func misspelled(text []byte, name string) bool {
	return string(text) != name && strings.EqualFold(string(text), name)
}

// otherCase blames a member without repeating how it is spelled.
func otherCase(name string) *Error {
	last := name[strings.LastIndexByte(name, '.')+1:]
	return &Error{name, "The request body holds a member that differs from " + strconv.Quote(last) + " in upper and lower case only; spell it " + strconv.Quote(last) + "."}
}

// value reads a value that may stand once and remembers where it is.
func (p *parser) value(name string, at *span) (jsontext.Value, error) {
	if at.present() {
		return nil, twice(name)
	}
	v := p.r.Value()
	if v == nil {
		return nil, notJSON(p.r.Err())
	}
	end := p.r.Offset()
	*at = span{end - len(v), end}
	return v, nil
}

func twice(name string) *Error {
	return &Error{name, "The request body holds " + strconv.Quote(name) + " twice."}
}

func (p *parser) model() error {
	v, err := p.value(memberModel, &p.e.model)
	if err != nil {
		return err
	}
	if v.Kind() != '"' || len(v) == len(`""`) {
		return &Error{memberModel, "The parameter \"model\" must be a string that is not empty."}
	}
	// An escaped lone surrogate becomes U+FFFD here, and no model is called that.
	p.e.Model = string(token.Text(v))
	return nil
}

// boolean reads true, false or null, which counts as false.
func (p *parser) boolean(name string, at *span, into *bool) error {
	v, err := p.value(name, at)
	if err != nil {
		return err
	}
	switch v.Kind() {
	case 't', 'f', 'n':
		*into = v.Kind() == 't'
		return nil
	}
	return &Error{name, "The parameter " + strconv.Quote(name) + " must be true or false."}
}

// options reads stream_options. What is not an object in it is left to the upstream to refuse.
func (p *parser) options() error {
	if p.e.options.present() {
		return twice(memberOptions)
	}
	if p.r.Kind() != '{' {
		_, err := p.value(memberOptions, &p.e.options)
		return err
	}
	start := p.r.Offset()
	start += bytes.IndexByte(p.e.raw[start:], '{')
	for name := range p.r.Members {
		text := token.Text(name)
		if misspelled(text, memberIncludeUsage) {
			return otherCase(memberOptions + "." + memberIncludeUsage)
		}
		if string(text) != memberIncludeUsage {
			p.r.Value()
			continue
		}
		v, err := p.value(memberOptions+"."+memberIncludeUsage, &p.e.usage)
		if err != nil {
			return err
		}
		p.e.IncludeUsage = v.Kind() == 't'
	}
	p.e.options = span{start, p.r.Offset()}
	return nil
}
