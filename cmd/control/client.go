package control

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/sluice-gateway/sluice/admin/fleet"
)

const (
	// callLimit is above what the service itself waits for its store.
	callLimit = 10 * time.Second
	// explainLimit is above what the service waits for a node, which may have texts embedded.
	explainLimit = 30 * time.Second
	// maxAnswer is several times the report of a thousand nodes.
	maxAnswer = 256 << 20
)

// Client asks one admin service.
type Client struct {
	base, token string
	http        *http.Client
}

// New returns a client of the service at that URL, which is without the path of the API.
func New(base, token string) (*Client, error) {
	u, err := url.Parse(base)
	if err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.Host == "" {
		return nil, fmt.Errorf("%q is no address of an admin service, such as http://127.0.0.1:8081", base)
	}
	return &Client{strings.TrimRight(base, "/"), token, &http.Client{}}, nil
}

// Base is the address of the service.
func (c *Client) Base() string { return c.base }

// Close ends idle connections.
func (c *Client) Close() { c.http.CloseIdleConnections() }

// Refusal is an answer that is not a success.
type Refusal struct {
	Status int
	// Title and Detail are the service's own words; empty when the answer was not a problem of the API.
	Title, Detail string
	// Faults are what is wrong with the request, each with its place in the body.
	Faults []string
}

// Error tells the status and the service's words.
func (r *Refusal) Error() string {
	said := strings.TrimSpace(strings.Trim(r.Title+": "+r.Detail, ": "))
	if said == "" {
		return fmt.Sprintf("status %d, which is no answer of an admin service", r.Status)
	}
	if len(r.Faults) > 0 {
		said += "\n  " + strings.Join(r.Faults, "\n  ")
	}
	return fmt.Sprintf("status %d: %s", r.Status, said)
}

// Version returns the version of the service, which is ready to work. The error is a Refusal when it is there and
// is not ready.
func (c *Client) Version(ctx context.Context) (string, error) {
	raw, err := c.call(ctx, http.MethodGet, "/readyz")
	if err != nil {
		return "", err
	}
	var health struct {
		Status, Version string
	}
	if err := json.Unmarshal(raw, &health); err != nil || health.Status == "" {
		return "", &Refusal{Status: http.StatusOK}
	}
	return health.Version, nil
}

// Fleet returns the state of the fleet, as the service wrote it and decoded. Unless cell is empty, it is of that
// cell only.
func (c *Client) Fleet(ctx context.Context, cell string) (raw []byte, r fleet.Report, err error) {
	path := "/admin/v1/fleet"
	if cell != "" {
		path += "?cell=" + url.QueryEscape(cell)
	}
	if raw, err = c.call(ctx, http.MethodGet, path); err != nil {
		return nil, r, err
	}
	if err := json.Unmarshal(raw, &r); err != nil {
		return nil, r, fmt.Errorf("read the answer of %s: %w", c.base, err)
	}
	return raw, r, nil
}

// Role is what a token allows.
type Role string

// The roles.
const (
	RoleAdmin  Role = "admin"
	RoleViewer Role = "viewer"
)

// Role returns the role of the client's token. It asks to delete what no path can name: a viewer is told that it
// may not, an admin that there is no such thing.
func (c *Client) Role(ctx context.Context) (Role, error) {
	_, err := c.call(ctx, http.MethodDelete, "/admin/v1/models/-")
	refused := new(Refusal)
	switch {
	case err == nil:
		return "", errors.New("the service deleted what cannot exist: it is no admin service")
	case errors.As(err, &refused) && refused.Status == http.StatusForbidden:
		return RoleViewer, nil
	case errors.As(err, &refused) && refused.Status == http.StatusBadRequest:
		return RoleAdmin, nil
	}
	return "", err
}

func (c *Client) call(ctx context.Context, method, path string) ([]byte, error) {
	return c.send(ctx, callLimit, method, path, nil)
}

// send sends a body of JSON, unless it is empty, and waits no longer than limit for the answer.
func (c *Client) send(ctx context.Context, limit time.Duration, method, path string, body []byte) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, method, c.base+path, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	if len(body) > 0 {
		req.Header.Set("Content-Type", "application/json")
	}
	if c.token != "" {
		req.Header.Set("Authorization", "Bearer "+c.token)
	}
	resp, err := c.http.Do(req)
	if err != nil {
		return nil, fmt.Errorf("ask the admin service: %w", err)
	}
	defer resp.Body.Close()
	answer, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswer))
	if err != nil {
		return nil, fmt.Errorf("ask the admin service: %w", err)
	}
	if resp.StatusCode/100 != 2 {
		return nil, refusal(resp.StatusCode, answer)
	}
	return answer, nil
}

func refusal(status int, body []byte) *Refusal {
	r := &Refusal{Status: status}
	var problem struct {
		Title, Detail string
		Errors        []struct{ Pointer, Message string }
	}
	if json.Unmarshal(body, &problem) == nil {
		r.Title, r.Detail = problem.Title, problem.Detail
		for _, f := range problem.Errors {
			r.Faults = append(r.Faults, strings.TrimPrefix(f.Pointer+": "+f.Message, ": "))
		}
	}
	return r
}
