package provider

import (
	"context"
	"net/http"
	"testing"
)

func BenchmarkNewRequest(b *testing.B) {
	call := Call{Target: compiled(b, provider{secret: "s"}), Path: "/chat/completions", Body: bodyOf(b, `{"model":"m"}`, "u"), Caller: http.Header{}, RequestID: "r", UserAgent: "sluice/1"}
	b.ReportAllocs()
	for b.Loop() {
		plain.NewRequest(context.Background(), call)
	}
}
