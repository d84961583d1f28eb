package core_test

import (
	"net/netip"
	"testing"

	"github.com/sluice-gateway/sluice/core"
)

func TestReach(t *testing.T) {
	for _, c := range []struct {
		list     []string
		host, ip string
		byName   bool // Host allows it, or leaves it to the address
		connect  bool // Address allows it
	}{
		{nil, "api.openai.com", "1.2.3.4", true, true},
		{nil, "localhost", "127.0.0.1", true, true},
		{nil, "10.0.0.7", "10.0.0.7", true, true},
		{nil, "169.254.169.254", "169.254.169.254", false, false},
		{nil, "::ffff:169.254.169.254", "::ffff:169.254.169.254", false, false},
		{nil, "fd00:ec2::254", "fd00:ec2::254", false, false},
		{nil, "fe80::1", "fe80::1%eth0", false, false},
		{nil, "0.0.0.0", "0.0.0.0", false, false},
		{nil, "224.0.0.1", "224.0.0.1", false, false},
		{nil, "rebound.example", "169.254.169.254", true, false}, // a name that points around the check
		{nil, "0xa9fea9fe", "169.254.169.254", true, false},      // and spellings that some resolvers take for numbers
		{nil, "2852039166", "169.254.169.254", true, false},
		{nil, "0251.0376.0251.0376", "169.254.169.254", true, false},
		{[]string{"api.openai.com"}, "API.OpenAI.com.", "1.2.3.4", true, true},
		{[]string{"api.openai.com"}, "api.openai.com", "169.254.169.254", true, false},
		{[]string{"api.openai.com"}, "evil.example", "1.2.3.4", false, false},
		{[]string{"api.openai.com"}, "api.openai.com.evil.example", "1.2.3.4", false, false},
		{[]string{"*.openai.com"}, "eu.api.openai.com", "1.2.3.4", true, true},
		{[]string{"*.openai.com"}, "openai.com", "1.2.3.4", false, false},
		{[]string{"*.openai.com"}, "notopenai.com", "1.2.3.4", false, false},
		{[]string{"10.0.0.0/8"}, "vllm.internal", "10.1.2.3", true, true},
		{[]string{"10.0.0.0/8"}, "vllm.internal", "11.1.2.3", true, false},
		{[]string{"10.0.0.0/8"}, "127.0.0.1", "127.0.0.1", false, false},
		{[]string{"169.254.0.0/16"}, "169.254.1.1", "169.254.1.1", true, true}, // by the operator's own word
		{[]string{"127.0.0.1"}, "127.0.0.1", "127.0.0.1", true, true},
	} {
		r, err := core.ParseReach(c.list)
		if err != nil {
			t.Fatal(err)
		}
		if err := r.Host(c.host); (err == nil) != c.byName {
			t.Errorf("%v: Host(%s) says %v", c.list, c.host, err)
		}
		if err := r.Address(c.host, netip.MustParseAddr(c.ip)); (err == nil) != c.connect {
			t.Errorf("%v: Address(%s, %s) says %v", c.list, c.host, c.ip, err)
		}
	}
	for _, bad := range []string{"", "http://h", "h:80", "*", "*.", "a b", "10.0.0.0/99", "*foo"} {
		if _, err := core.ParseReach([]string{bad}); err == nil {
			t.Errorf("%q was accepted", bad)
		}
	}
}

func TestABaseURLOutOfReachIsRejected(t *testing.T) {
	reach, err := core.ParseReach([]string{"api.openai.com"})
	if err != nil {
		t.Fatal(err)
	}
	for url, ok := range map[string]bool{"https://api.openai.com/v1": true, "https://evil.example/v1": false, "http://127.0.0.1:2379": false} {
		_, faults := core.Compile(document(t, `provider/p {"kind":"openai","base_url":"`+url+`"}`), core.Site{Reach: reach})
		if ok != (len(faults) == 0) || !ok && (faults[0].Pointer != "/base_url" || faults[0].Rule != "reach") {
			t.Errorf("%s: faults %v", url, faults)
		}
	}
}
