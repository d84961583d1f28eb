package envelope

import (
	"errors"
	"io"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"
)

// Error is a body that is refused. Its text is for the caller and repeats nothing of the body.
type Error struct {
	// Param names the member to blame; empty blames the body.
	Param   string
	Message string
}

// Error returns the message.
func (e *Error) Error() string { return e.Message }

// notJSON turns the tokenizer's error into ours.
func notJSON(err error) *Error {
	if errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF) {
		return &Error{Message: "The request body is not valid JSON: it ends too early."}
	}
	var syntax *jsontext.SyntacticError
	if errors.As(err, &syntax) {
		return &Error{Message: "The request body is not valid JSON: fault at byte " + strconv.FormatInt(syntax.ByteOffset, 10) + "."}
	}
	return &Error{Message: "The request body is not valid JSON."}
}
