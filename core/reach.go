package core

import (
	"fmt"
	"net/netip"
	"regexp"
	"strings"
)

// Reach says which upstreams an operator allows. The zero Reach allows every address but the link-local,
// metadata, multicast and unspecified ones; an operator's list allows what it names and nothing else.
type Reach struct {
	hosts []string // lower case; "*.x" is every name below x
	nets  []netip.Prefix
}

// Site is what a document is compiled for.
type Site struct {
	// Env resolves "${env:NAME}"; nil leaves references unresolved and unchecked, which is right for the
	// control plane.
	Env   Env
	Reach Reach
}

var hostPattern = regexp.MustCompile(`^(\*\.)?[A-Za-z0-9_]([A-Za-z0-9_.-]*[A-Za-z0-9_])?$`)

// ParseReach reads an operator's list: host names, "*.example.com" for every name below it, IP addresses and
// CIDR ranges. An empty list is the zero Reach.
func ParseReach(list []string) (Reach, error) {
	var r Reach
	for _, entry := range list {
		if ip, err := netip.ParseAddr(entry); err == nil {
			r.nets = append(r.nets, netip.PrefixFrom(ip, ip.BitLen()))
			continue
		}
		if net, err := netip.ParsePrefix(entry); err == nil {
			r.nets = append(r.nets, net.Masked())
			continue
		}
		if !hostPattern.MatchString(entry) {
			return Reach{}, fmt.Errorf("%q is no host name, address or CIDR range", entry)
		}
		r.hosts = append(r.hosts, strings.ToLower(entry))
	}
	return r, nil
}

// metadata is where a cloud's instance metadata answers over IPv6 without being link-local.
var metadata = netip.MustParseAddr("fd00:ec2::254")

// Host returns why no upstream may be called by that name or address; nil when one may, or when that
// depends on the addresses that the name stands for.
func (r Reach) Host(host string) error {
	if ip, err := netip.ParseAddr(host); err == nil {
		return r.Address(host, ip)
	}
	if len(r.hosts)+len(r.nets) == 0 || r.named(host) || len(r.nets) > 0 {
		return nil
	}
	return fmt.Errorf("host %s is not on the operator's list", host)
}

// Address returns why a connection to ip, for an upstream called host, is not allowed; nil when it is. It is
// to be asked after name resolution, so that no name can point around it.
func (r Reach) Address(host string, ip netip.Addr) error {
	ip = ip.Unmap().WithZone("")
	for _, net := range r.nets {
		if net.Contains(ip) {
			return nil
		}
	}
	if ip.IsLinkLocalUnicast() || ip.IsMulticast() || ip.IsUnspecified() || ip == metadata {
		return fmt.Errorf("address %s is link-local, metadata, multicast or unspecified", ip)
	}
	if len(r.hosts)+len(r.nets) == 0 || r.named(host) {
		return nil
	}
	return fmt.Errorf("address %s of host %s is not on the operator's list", ip, host)
}

func (r Reach) named(host string) bool {
	host = strings.TrimSuffix(strings.ToLower(host), ".")
	for _, pattern := range r.hosts {
		below, wild := strings.CutPrefix(pattern, "*")
		if pattern == host || (wild && strings.HasSuffix(host, below)) {
			return true
		}
	}
	return false
}
