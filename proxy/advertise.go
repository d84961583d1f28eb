package proxy

import (
	"context"
	"net"
	"net/url"
	"os"
	"strconv"
)

// advertised returns where others reach a listener: its own address, unless it listens on all. Then the host is the
// address from which this machine reaches the first of the endpoints, where the control plane is at home too.
func advertised(ctx context.Context, listener net.Addr, endpoints []string) string {
	tcp, ok := listener.(*net.TCPAddr)
	if !ok {
		return listener.String()
	}
	if !tcp.IP.IsUnspecified() && tcp.IP != nil {
		return tcp.String()
	}
	return net.JoinHostPort(localHost(ctx, endpoints), strconv.Itoa(tcp.Port))
}

// localHost asks the system for a route; a datagram socket that is connected sends nothing. A machine that knows no route
// goes by its name.
func localHost(ctx context.Context, endpoints []string) string {
	for _, endpoint := range endpoints {
		to := endpoint
		if u, err := url.Parse(endpoint); err == nil && u.Host != "" {
			to = u.Host
		}
		var d net.Dialer
		limited, cancel := context.WithTimeout(ctx, routeLimit)
		conn, err := d.DialContext(limited, "udp", to)
		cancel()
		if err != nil {
			continue
		}
		local, _, err := net.SplitHostPort(conn.LocalAddr().String())
		conn.Close()
		if err == nil {
			return local
		}
	}
	host, err := os.Hostname()
	if err != nil {
		return "localhost"
	}
	return host
}
