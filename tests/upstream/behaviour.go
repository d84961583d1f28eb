package upstream

import (
	"context"
	"net/http"
	"time"
)

// Words is what every answer says, one token a word.
var Words = [...]string{"The", " sluice", " is", " open", "."}

// Behaviour says how a Server treats the requests that arrive from now on. The zero value answers well and at once.
type Behaviour struct {
	// FirstToken is the wait before the first word.
	FirstToken time.Duration
	// PerToken is the wait before each further word.
	PerToken time.Duration
	// Status, when set, is answered instead, with an error of the OpenAI form around Message.
	Status int
	// Message of the error; "{credential}" in it is replaced by what the Authorization header held, as careless servers do.
	Message string
	// Header is added to every answer, names and values in turn.
	Header []string
	// Dimensions of vectors; 0: as many as are asked for.
	Dimensions int
	// Vectors, when set, is answered to a call for embeddings with status 200, whatever it says.
	Vectors string
}

// total is how long a whole answer takes.
func (b Behaviour) total() time.Duration {
	return b.FirstToken + time.Duration(len(Words)-1)*b.PerToken
}

// pause waits as an upstream that computes would, and reports whether the caller is still there.
func pause(ctx context.Context, d time.Duration) bool {
	if d <= 0 {
		return ctx.Err() == nil
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}

// Request is what a Server was asked.
type Request struct {
	Path   string
	Query  string
	Header http.Header
	// Model and Stream are the fields of the body, and Input the texts of a call for embeddings.
	Model  string
	Stream bool
	Input  []string
}
