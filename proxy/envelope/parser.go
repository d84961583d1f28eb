package envelope

import (
	"bytes"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"
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

type parser struct {
	e      *Envelope
	dec    *jsontext.Decoder
	stream span
}

func (p *parser) body() error {
	if p.dec.PeekKind() != '{' {
		if _, err := p.dec.ReadValue(); err != nil {
			return notJSON(err)
		}
		return &Error{Message: "The request body must be a JSON object."}
	}
	if err := p.members(p.outer); err != nil {
		return err
	}
	if rest := p.e.raw[p.dec.InputOffset():]; len(bytes.TrimLeft(rest, space)) > 0 {
		return &Error{Message: "The request body holds further data after its JSON object."}
	}
	if !p.e.model.present() {
		return &Error{memberModel, "You must provide a model parameter."}
	}
	return nil
}

// members reads an object and calls visit at each value.
func (p *parser) members(visit func(name jsontext.Value) error) error {
	if _, err := p.dec.ReadToken(); err != nil {
		return notJSON(err)
	}
	for p.dec.PeekKind() == '"' {
		name, err := p.dec.ReadValue()
		if err != nil {
			return notJSON(err)
		}
		if err := visit(name); err != nil {
			return err
		}
	}
	if _, err := p.dec.ReadToken(); err != nil {
		return notJSON(err)
	}
	return nil
}

// known returns the name if it is one of those that the gateway reads, however it is spelled.
func known(quoted jsontext.Value) string {
	name := quoted[1 : len(quoted)-1]
	if bytes.IndexByte(name, '\\') >= 0 {
		// The tokenizer has accepted the string; a lone surrogate in it is not in any known name.
		name, _ = jsontext.AppendUnquote(nil, quoted)
	}
	for _, k := range [...]string{memberModel, memberStream, memberOptions, memberIncludeUsage} {
		if string(name) == k {
			return k
		}
	}
	return ""
}

// outer reads the value of a top-level member and remembers where the member stands.
func (p *parser) outer(name jsontext.Value) error {
	nameEnd := int(p.dec.InputOffset())
	start := nameEnd - len(name)
	if err := p.member(known(name)); err != nil {
		return err
	}
	p.e.members = append(p.e.members, member{start, nameEnd, int(p.dec.InputOffset())})
	return nil
}

func (p *parser) member(name string) error {
	switch name {
	case memberModel:
		return p.model()
	case memberStream:
		return p.boolean(name, &p.stream, &p.e.Stream)
	case memberOptions:
		return p.options()
	}
	return p.skip()
}

func (p *parser) skip() error {
	if err := p.dec.SkipValue(); err != nil {
		return notJSON(err)
	}
	return nil
}

// value reads a value that may stand once and remembers where it is.
func (p *parser) value(name string, at *span) (jsontext.Value, error) {
	if at.present() {
		return nil, twice(name)
	}
	v, err := p.dec.ReadValue()
	if err != nil {
		return nil, notJSON(err)
	}
	end := int(p.dec.InputOffset())
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
	name, _ := jsontext.AppendUnquote(nil, v)
	p.e.Model = string(name)
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
	if p.dec.PeekKind() != '{' {
		_, err := p.value(memberOptions, &p.e.options)
		return err
	}
	start := int(p.dec.InputOffset())
	start += bytes.IndexByte(p.e.raw[start:], '{')
	err := p.members(func(name jsontext.Value) error {
		if known(name) != memberIncludeUsage {
			return p.skip()
		}
		v, err := p.value(memberOptions+"."+memberIncludeUsage, &p.e.usage)
		p.e.IncludeUsage = v.Kind() == 't'
		return err
	})
	p.e.options = span{start, int(p.dec.InputOffset())}
	return err
}
