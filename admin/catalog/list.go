package catalog

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/sluice-gateway/sluice/core"
	"github.com/sluice-gateway/sluice/store"
)

// Query says which resources of a kind to list.
type Query struct {
	Kind core.Kind
	// Limit is the most entries in a page; at least 1.
	Limit int
	// Labels are those that a resource must bear, all of them.
	Labels map[string]string
	// Token continues the list whose page returned it; "" starts one.
	Token string
}

// Page is a part of a list. All pages of a list show the resources as they were at one revision.
type Page struct {
	Entries  []Entry
	Revision int64
	// Next is the token of the next page, "" when there is none.
	Next string
}

// List returns the resources of a kind in the order of their ids, or ErrPageToken or ErrPageGone.
func (c *Catalog) List(ctx context.Context, q Query) (Page, error) {
	at, err := parseToken(q.Token)
	if err != nil {
		return Page{}, ErrPageToken
	}
	img, err := c.read(ctx, at)
	if err != nil {
		return Page{}, err
	}
	ids := matching(img, q, at.After)
	page := Page{Revision: img.Settled()}
	if len(ids) > q.Limit {
		ids = ids[:q.Limit]
		page.Next = token{img.Revision, page.Revision, ids[q.Limit-1]}.String()
	}
	for _, id := range ids {
		page.Entries = append(page.Entries, c.entry(q.Kind, img.Items[core.Ref{Kind: q.Kind, ID: id}]))
	}
	return page, nil
}

// read returns the document of which the list shows a part: that of its first page, on any replica, for as
// long as etcd has it or nothing has changed.
func (c *Catalog) read(ctx context.Context, at token) (store.Image, error) {
	if at == (token{}) {
		return c.store.Read(ctx)
	}
	img, err := c.store.ReadAt(ctx, at.Revision)
	if !errors.Is(err, store.ErrRevisionGone) {
		return img, err
	}
	img, err = c.store.Read(ctx)
	if err == nil && img.Settled() != at.Settled {
		return store.Image{}, ErrPageGone
	}
	return img, err
}

// matching returns the ids after the given one that the query is for, sorted.
func matching(img store.Image, q Query, after string) []string {
	var ids []string
	for ref, item := range img.Items {
		if ref.Kind == q.Kind && ref.ID > after && bears(item, q.Labels) {
			ids = append(ids, ref.ID)
		}
	}
	slices.Sort(ids)
	return ids
}

func bears(item store.Item, labels map[string]string) bool {
	if len(labels) == 0 {
		return true
	}
	var resource struct {
		Labels map[string]string `json:"labels"`
	}
	if err := json.Unmarshal(item.Value, &resource); err != nil {
		return false
	}
	for name, want := range labels {
		if v, ok := resource.Labels[name]; !ok || v != want {
			return false
		}
	}
	return true
}

// token is where a list goes on.
type token struct {
	// Revision is that at which the first page was read, Settled that since which the document was so.
	Revision int64  `json:"r"`
	Settled  int64  `json:"s"`
	After    string `json:"a"`
}

// String returns the token as callers carry it; they need not understand it.
func (t token) String() string {
	b, err := json.Marshal(t)
	if err != nil {
		panic("catalog: a page token does not encode: " + err.Error())
	}
	return base64.RawURLEncoding.EncodeToString(b)
}

func parseToken(s string) (token, error) {
	var t token
	if s == "" {
		return t, nil
	}
	b, err := base64.RawURLEncoding.DecodeString(s)
	if err != nil {
		return t, fmt.Errorf("page token: %w", err)
	}
	if err := json.Unmarshal(b, &t); err != nil {
		return t, fmt.Errorf("page token: %w", err)
	}
	if t.Revision <= 0 {
		return t, errors.New("page token: no revision")
	}
	return t, core.CheckID(t.After)
}
