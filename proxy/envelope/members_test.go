package envelope

import (
	"errors"
	"runtime"
	"strconv"
	"strings"
	"testing"
)

func withMembers(n int, name func(i int) string) []byte {
	var b strings.Builder
	b.WriteString(`{"model":"m"`)
	for i := 1; i < n; i++ {
		b.WriteString("," + strconv.Quote(name(i)) + ":0")
	}
	b.WriteString("}")
	return []byte(b.String())
}

func TestTopLevelMembersAreBounded(t *testing.T) {
	for what, name := range map[string]func(int) string{
		"empty names":    func(int) string { return "" },
		"the same name":  func(int) string { return "a" },
		"distinct names": strconv.Itoa,
	} {
		if _, err := Parse(withMembers(maxMembers, name), Chat); err != nil {
			t.Errorf("%d members with %s: got %v, want them accepted", maxMembers, what, err)
		}
		for _, n := range []int{maxMembers + 1, 10 * maxMembers} {
			var refused *Error
			if _, err := Parse(withMembers(n, name), Chat); !errors.As(err, &refused) || refused.Param != "" || !strings.Contains(refused.Message, "1024 top-level members") {
				t.Errorf("%d members with %s: got %v, want the body refused for more than 1024", n, what, err)
			}
		}
	}
}

func TestMembersInsideAValueAreNotCounted(t *testing.T) {
	inside := strings.Repeat(`"":0,`, 4*maxMembers) + `"":0`
	for _, in := range []string{`{"model":"m","x":{` + inside + `}}`, `{"model":"m","stream_options":{` + inside + `}}`} {
		if _, err := Parse([]byte(in), Chat); err != nil {
			t.Errorf("%.40s…: got %v, want it accepted", in, err)
		}
	}
}

func TestABodyOfNothingButMembersTakesNoMemoryOfItsSize(t *testing.T) {
	raw := withMembers(1<<20, func(int) string { return "" })
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, err := Parse(raw, Chat)
	runtime.ReadMemStats(&after)
	if got := after.TotalAlloc - before.TotalAlloc; err == nil || got > uint64(len(raw))/4 {
		t.Errorf("a body of %d bytes: got %d bytes allocated and error %v, want it refused for less than a quarter", len(raw), got, err)
	}
}
