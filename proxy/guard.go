package proxy

import (
	"fmt"
	"net/netip"
	"syscall"
)

// metadataAddress is where a cloud's instance metadata answers over IPv6 without being link-local.
var metadataAddress = netip.MustParseAddr("fd00:ec2::254")

// guard refuses connections to link-local and metadata addresses, where a cloud hands out its
// credentials. It sees the address after name resolution, so no name can point around it.
func guard(_, address string, _ syscall.RawConn) error {
	to, err := netip.ParseAddrPort(address)
	if err != nil {
		return fmt.Errorf("upstream address: %w", err)
	}
	ip := to.Addr().Unmap().WithZone("")
	if ip.IsLinkLocalUnicast() || ip.IsMulticast() || ip.IsUnspecified() || ip == metadataAddress {
		return fmt.Errorf("upstream address %s is link-local, metadata, multicast or unspecified: refused", ip)
	}
	return nil
}
