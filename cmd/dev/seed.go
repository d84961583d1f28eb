package dev

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strconv"
)

// seeder writes resources as any operator would: over the admin API.
type seeder struct {
	base, token string
	client      *http.Client
}

func newSeeder(adminURL, token string) *seeder {
	return &seeder{base: adminURL + "/admin/v1/", token: token, client: &http.Client{}}
}

// seed makes every resource usable and returns the store revision of the last write, 0 if there was none.
func (s *seeder) seed(ctx context.Context, wanted []seeded) (last int64, err error) {
	defer s.client.CloseIdleConnections()
	for _, w := range wanted {
		revision, err := s.one(ctx, w)
		if err != nil {
			return 0, fmt.Errorf("%s: %w", w.resource.Ref(), err)
		}
		last = max(last, revision)
	}
	return last, nil
}

func (s *seeder) one(ctx context.Context, w seeded) (revision int64, err error) {
	path := w.resource.Ref().Kind.Plural() + "/" + w.resource.Ref().ID
	stored, err := s.call(ctx, http.MethodGet, path, nil, nil)
	if err != nil {
		return 0, err
	}
	switch stored.status {
	case http.StatusNotFound:
		return s.write(ctx, http.MethodPut, path, http.Header{"If-None-Match": {"*"}}, w.resource)
	case http.StatusOK:
		if holds(stored.body, w.must) {
			return 0, nil
		}
		return s.write(ctx, http.MethodPatch, path, http.Header{"If-Match": stored.header["Etag"]}, w.must)
	}
	return 0, stored.problem()
}

// holds reports whether the resource's JSON has those values.
func holds(raw []byte, must map[string]string) bool {
	var fields map[string]any
	if json.Unmarshal(raw, &fields) != nil {
		return false
	}
	for name, value := range must {
		if fields[name] != value {
			return false
		}
	}
	return true
}

func (s *seeder) write(ctx context.Context, method, path string, header http.Header, body any) (revision int64, err error) {
	raw, err := json.Marshal(body)
	if err != nil {
		return 0, err
	}
	a, err := s.call(ctx, method, path, header, raw)
	if err != nil {
		return 0, err
	}
	if a.status/100 != 2 {
		return 0, a.problem()
	}
	return strconv.ParseInt(a.header.Get("X-Sluice-Revision"), 10, 64)
}

type answer struct {
	status int
	header http.Header
	body   []byte
}

func (a answer) problem() error {
	return fmt.Errorf("the admin service answered %d: %s", a.status, a.body)
}

func (s *seeder) call(ctx context.Context, method, path string, header http.Header, body []byte) (a answer, err error) {
	req, err := http.NewRequestWithContext(ctx, method, s.base+path, bytes.NewReader(body))
	if err != nil {
		return a, err
	}
	for name, values := range header {
		req.Header[name] = values
	}
	req.Header.Set("Authorization", "Bearer "+s.token)
	req.Header.Set("Content-Type", "application/json")
	if method == http.MethodPatch {
		req.Header.Set("Content-Type", "application/merge-patch+json")
	}
	resp, err := s.client.Do(req)
	if err != nil {
		return a, err
	}
	defer resp.Body.Close()
	a.status, a.header = resp.StatusCode, resp.Header
	a.body, err = io.ReadAll(resp.Body)
	return a, err
}
