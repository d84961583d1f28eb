package embedded

import (
	"bytes"
	"errors"
	"log/slog"
	"strings"
	"testing"

	"go.uber.org/zap"
)

func TestTheLogOfEtcdIsForDebugging(t *testing.T) {
	var out bytes.Buffer
	write := func(level slog.Level) string {
		out.Reset()
		log := zapLogger(slog.New(slog.NewTextHandler(&out, &slog.HandlerOptions{Level: level}))).With(zap.String("member", "a"))
		log.Debug("chatter")
		log.Warn("slow disk", zap.Int("ms", 200))
		log.Error("broken", zap.Error(errors.New("cause")))
		return out.String()
	}
	if got := write(slog.LevelInfo); got != "" {
		t.Errorf("at info: got\n%s", got)
	}
	got := write(slog.LevelDebug)
	for _, want := range []string{`level=DEBUG msg="etcd: slow disk" member=a etcd_level=warn ms=200`, `level=DEBUG msg="etcd: broken" member=a etcd_level=error error=cause`} {
		if !strings.Contains(got, want) {
			t.Errorf("at debug: no %q in\n%s", want, got)
		}
	}
	if strings.Contains(got, "chatter") {
		t.Errorf("at debug: got etcd's own debugging\n%s", got)
	}
}
