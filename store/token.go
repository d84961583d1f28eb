package store

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/sluice-gateway/sluice/core"
	"github.com/sluice-gateway/sluice/store/keyring"
)

// ErrNoToken: the node does not live, or has no token.
var ErrNoToken = errors.New("the node has no token")

// storedToken is a node's token as etcd has it: sealed, or in plain text where the node has no keys.
type storedToken struct {
	Token  string          `json:"token,omitempty"`
	Sealed *keyring.Sealed `json:"sealed,omitempty"`
}

// tokenPlace is what the sealed token of a node is bound to. It is the place of no secret of a resource.
func tokenPlace(node string) string { return "sluice node token\x00" + node }

// sealToken returns what is to be stored for the token of a node.
func (v vault) sealToken(node, token string) ([]byte, error) {
	stored := storedToken{Token: token}
	if v.keys != nil {
		v.refresh() // a primary key that was replaced seals nothing more
		sealed, err := v.keys.Keyset().Seal(token, tokenPlace(node))
		if err != nil {
			return nil, fmt.Errorf("node token: %w", err)
		}
		stored = storedToken{Sealed: &sealed}
	}
	return json.Marshal(stored)
}

// openToken returns the token. Its errors are for operators.
func (v vault) openToken(node string, value []byte) (string, error) {
	var stored storedToken
	if err := json.Unmarshal(value, &stored); err != nil {
		return "", errors.New("the token is stored in a form that this version does not know")
	}
	if stored.Sealed == nil {
		return stored.Token, nil
	}
	if v.keys == nil {
		return "", fmt.Errorf("the token is sealed with key %d, and no keyset was given: set --keyset-file or SLUICE_KEYSET_FILE", stored.Sealed.KeyID)
	}
	token, err := v.keys.Keyset().Open(*stored.Sealed, tokenPlace(node))
	if errors.Is(err, keyring.ErrUnknownKey) && v.keys.Refresh() {
		token, err = v.keys.Keyset().Open(*stored.Sealed, tokenPlace(node))
	}
	if err != nil {
		return "", fmt.Errorf("the token is sealed with key %d: %w", stored.Sealed.KeyID, err)
	}
	return token, nil
}

// NodeToken returns the token by which a live node knows the control plane; ErrNoToken when there is none.
func (s *Store) NodeToken(ctx context.Context, node string) (string, error) {
	if err := core.CheckID(node); err != nil {
		return "", fmt.Errorf("node %q: %w: %w", node, ErrNoToken, err)
	}
	resp, err := s.get(ctx, s.keys.token(node))
	if err != nil {
		return "", fmt.Errorf("read the token of node %s: %w", node, err)
	}
	if len(resp.Kvs) == 0 {
		return "", fmt.Errorf("node %s: %w", node, ErrNoToken)
	}
	token, err := s.vault.openToken(node, resp.Kvs[0].Value)
	if err != nil {
		return "", fmt.Errorf("node %s: %w", node, err)
	}
	return token, nil
}
