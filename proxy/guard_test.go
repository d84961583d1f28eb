package proxy

import (
	"net"
	"strings"
	"testing"

	"github.com/sluice-gateway/sluice/core"
)

func TestTheDialerChecksTheAddressItConnectsTo(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	_, port, _ := net.SplitHostPort(l.Addr().String())
	for _, c := range []struct {
		list []string
		host string
		ok   bool
	}{
		{nil, "127.0.0.1", true},
		{nil, "localhost", true},
		{[]string{"localhost"}, "localhost", true},
		{[]string{"127.0.0.0/8"}, "localhost", true},
		{[]string{"10.0.0.0/8"}, "localhost", false},
		{[]string{"api.openai.com"}, "localhost", false},
		{nil, "0.0.0.0", false},
		{nil, "169.254.169.254", false},
	} {
		reach, err := core.ParseReach(c.list)
		if err != nil {
			t.Fatal(err)
		}
		conn, err := dialer(reach)(t.Context(), "tcp4", net.JoinHostPort(c.host, port))
		if err == nil {
			conn.Close()
		}
		if (err == nil) != c.ok || (err != nil && !strings.Contains(err.Error(), c.host) && !strings.Contains(err.Error(), "list")) {
			t.Errorf("%v: dialling %s says %v", c.list, c.host, err)
		}
	}
}
