package ask

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"

	"github.com/sluice-gateway/sluice/core"
	"github.com/sluice-gateway/sluice/core/decision"
	"github.com/sluice-gateway/sluice/store"
)

// Refused is a question that a node does not answer as it stands.
type Refused struct {
	Node string
	// Status is the node's: 422 for a fault of the question.
	Status    int
	Complaint decision.Complaint
}

// Error repeats the node's message.
func (r *Refused) Error() string { return fmt.Sprintf("node %s: %s", r.Node, r.Complaint.Message) }

// ask sends one question to a node and decodes its answer. The error is an *Unreachable or a *Refused.
func (n *Nodes) ask(ctx context.Context, node core.NodeStatus, method, path string, body []byte, into any) error {
	resp, err := n.send(ctx, node, method, path, body)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	raw, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswer+1))
	switch {
	case err != nil:
		return &Unreachable{node.ID, "its answer broke off"}
	case len(raw) > maxAnswer:
		return &Unreachable{node.ID, "its answer is too long"}
	case resp.StatusCode == http.StatusUnauthorized:
		return &Unreachable{node.ID, "it does not accept the token that the store has of it"}
	case resp.StatusCode/100 == 2:
		if err := json.Unmarshal(raw, into); err != nil {
			return &Unreachable{node.ID, "its answer is not understood; it may be of another version"}
		}
		return nil
	}
	r := &Refused{Node: node.ID, Status: resp.StatusCode}
	if err := json.Unmarshal(raw, &r.Complaint); err != nil || r.Complaint.Message == "" {
		return &Unreachable{node.ID, fmt.Sprintf("it answers %d; it may be of another version", resp.StatusCode)}
	}
	return r
}

func (n *Nodes) send(ctx context.Context, node core.NodeStatus, method, path string, body []byte) (*http.Response, error) {
	if !reachable(node.Address) {
		return nil, &Unreachable{node.ID, "it does not say where it can be reached; it may be of an older version"}
	}
	token, err := n.store.NodeToken(ctx, node.ID)
	if err != nil {
		return nil, &Unreachable{node.ID, untold(err)}
	}
	req, err := http.NewRequestWithContext(ctx, method, "http://"+node.Address+path, bytes.NewReader(body))
	if err != nil {
		return nil, &Unreachable{node.ID, "its address is none"}
	}
	req.Header.Set("Authorization", "Bearer "+token)
	req.Header.Set("Content-Type", "application/json")
	resp, err := n.http.Do(req)
	if err != nil {
		return nil, &Unreachable{node.ID, reason(ctx, node, err)}
	}
	return resp, nil
}

// untold says why there is no token.
func untold(err error) string {
	if errors.Is(err, store.ErrNoToken) {
		return "the store has no token of it; it may have just left"
	}
	return err.Error()
}

// reason says why a connection failed: net's own words name the address, which operators know.
func reason(ctx context.Context, node core.NodeStatus, err error) string {
	var op *net.OpError
	switch {
	case ctx.Err() != nil, errors.Is(err, context.DeadlineExceeded):
		return "no answer in time from " + node.Address
	case errors.As(err, &op):
		return op.Error()
	}
	return "the connection to " + node.Address + " broke off"
}
