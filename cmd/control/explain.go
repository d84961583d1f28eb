package control

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"

	"github.com/sluice-gateway/sluice/core/decision"
)

// Explain returns what a node would decide, as the service wrote it and decoded. Unless node is empty, it is that node.
func (c *Client) Explain(ctx context.Context, node string, q *decision.Question) (raw []byte, e decision.Explanation, err error) {
	var body bytes.Buffer
	encoder := json.NewEncoder(&body)
	encoder.SetEscapeHTML(false) // tokens are estimated by the length of a body
	if err := encoder.Encode(q); err != nil {
		return nil, e, err
	}
	raw, err = c.send(ctx, explainLimit, http.MethodPost, of("/admin/v1/explain", node), body.Bytes())
	return raw, e, c.decode(raw, &e, err)
}

// Decision returns what was decided about a request that was served, as the service wrote it and decoded.
func (c *Client) Decision(ctx context.Context, node, requestID string) (raw []byte, d decision.Decision, err error) {
	raw, err = c.call(ctx, http.MethodGet, of("/admin/v1/decisions/"+url.PathEscape(requestID), node))
	return raw, d, c.decode(raw, &d, err)
}

// of asks for an answer of that node, of any if it is empty.
func of(path, node string) string {
	if node == "" {
		return path
	}
	return path + "?node=" + url.QueryEscape(node)
}

func (c *Client) decode(raw []byte, into any, err error) error {
	if err != nil {
		return err
	}
	if err := json.Unmarshal(raw, into); err != nil {
		return fmt.Errorf("read the answer of %s: %w", c.base, err)
	}
	return nil
}
