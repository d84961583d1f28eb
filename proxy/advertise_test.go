package proxy

import (
	"net"
	"os"
	"testing"
)

func TestANodeAdvertisesWhereItCanBeReached(t *testing.T) {
	host, err := os.Hostname()
	if err != nil {
		t.Skip(err)
	}
	all := &net.TCPAddr{IP: net.IPv6unspecified, Port: 9090}
	for _, c := range []struct {
		name      string
		listener  net.Addr
		endpoints []string
		want      string
	}{
		{"its own address", &net.TCPAddr{IP: net.IPv4(192, 0, 2, 1), Port: 9090}, []string{"http://127.0.0.1:2379"}, "192.0.2.1:9090"},
		{"the way to etcd", all, []string{"http://127.0.0.1:2379"}, "127.0.0.1:9090"},
		{"without a scheme", all, []string{"127.0.0.1:2379"}, "127.0.0.1:9090"},
		{"the second endpoint", all, []string{"http://[::ffff:0:0:0", "https://127.0.0.1:2379"}, "127.0.0.1:9090"},
		{"no way", all, nil, net.JoinHostPort(host, "9090")},
		{"no address at all", &net.TCPAddr{Port: 9090}, []string{"http://127.0.0.1:2379"}, "127.0.0.1:9090"},
	} {
		if got := advertised(t.Context(), c.listener, c.endpoints); got != c.want {
			t.Errorf("%s: got %q, want %q", c.name, got, c.want)
		}
	}
}
