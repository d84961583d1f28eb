package ask

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"net/http"

	"github.com/sluice-gateway/sluice/core/decision"
)

// Explain returns what a node would decide: the one of that name, or any that can be asked. The error is ErrNoNode, an
// *Unreachable, a *Refused or the store's.
func (n *Nodes) Explain(ctx context.Context, node string, q *decision.Question) (e decision.Explanation, err error) {
	ctx, cancel := context.WithTimeout(ctx, explainLimit)
	defer cancel()
	return e, n.any(ctx, node, "/explain", q, &e)
}

// any puts a question to the node of that name, or to one after the other until one can be asked.
func (n *Nodes) any(ctx context.Context, name, path string, question, into any) error {
	var body bytes.Buffer
	e := json.NewEncoder(&body)
	e.SetEscapeHTML(false) // a body full of markup is not to grow beyond what a node takes
	if err := e.Encode(question); err != nil {
		return err
	}
	nodes, err := n.choose(ctx, name)
	if err != nil {
		return err
	}
	for _, node := range nodes {
		err = n.ask(ctx, node, http.MethodPost, path, bytes.TrimSpace(body.Bytes()), into)
		if !errors.Is(err, ErrUnreachable) {
			return err
		}
	}
	return err
}
