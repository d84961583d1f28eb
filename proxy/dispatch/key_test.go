package dispatch

import "testing"

func TestClientAddressIsWithoutThePort(t *testing.T) {
	for remote, want := range map[string]string{
		"10.0.0.1:52110": "10.0.0.1", "[2001:db8::1]:443": "2001:db8::1", "[fe80::1%eth0]:1": "fe80::1%eth0", "@": "@", "": "",
	} {
		if got := clientAddress(remote); got != want {
			t.Errorf("%q: got %q, want %q", remote, got, want)
		}
	}
}
