package proxy

import (
	"context"
	"fmt"
	"net"
	"net/netip"
	"syscall"

	"github.com/sluice-gateway/sluice/core"
)

// dialer connects to what the operator allows. It checks the address after name resolution, at the moment
// of connecting, so no name can point around it. Where an egress proxy is set in the environment, that is
// what is connected to and checked.
func dialer(reach core.Reach) func(ctx context.Context, network, address string) (net.Conn, error) {
	return func(ctx context.Context, network, address string) (net.Conn, error) {
		host, _, err := net.SplitHostPort(address)
		if err != nil {
			return nil, fmt.Errorf("dial upstream: %w", err)
		}
		d := net.Dialer{Control: func(_, resolved string, _ syscall.RawConn) error {
			to, err := netip.ParseAddrPort(resolved)
			if err != nil {
				return fmt.Errorf("dial upstream: %w", err)
			}
			return reach.Address(host, to.Addr())
		}}
		return d.DialContext(ctx, network, address)
	}
}
