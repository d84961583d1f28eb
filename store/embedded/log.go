package embedded

import (
	"context"
	"log/slog"

	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"
)

// zapLogger passes etcd's warnings and errors on to slog; what etcd calls information would drown a
// terminal.
func zapLogger(log *slog.Logger) *zap.Logger {
	if log == nil {
		return zap.NewNop()
	}
	return zap.New(bridge{log.Handler()})
}

// bridge is a zap core that writes to a slog handler.
type bridge struct{ handler slog.Handler }

// Enabled is true for warnings and above.
func (b bridge) Enabled(l zapcore.Level) bool { return l >= zapcore.WarnLevel }

// With returns a core with further fields.
func (b bridge) With(fields []zapcore.Field) zapcore.Core {
	return bridge{b.handler.WithAttrs(attrs(fields))}
}

// Check adds the core to those that write the entry.
func (b bridge) Check(e zapcore.Entry, c *zapcore.CheckedEntry) *zapcore.CheckedEntry {
	if b.Enabled(e.Level) {
		return c.AddCore(e, b)
	}
	return c
}

// Write hands the entry to slog.
func (b bridge) Write(e zapcore.Entry, fields []zapcore.Field) error {
	level := slog.LevelWarn
	if e.Level > zapcore.WarnLevel {
		level = slog.LevelError
	}
	if !b.handler.Enabled(context.TODO(), level) {
		return nil
	}
	r := slog.NewRecord(e.Time, level, "etcd: "+e.Message, 0)
	r.AddAttrs(attrs(fields)...)
	return b.handler.Handle(context.TODO(), r)
}

// Sync has nothing to flush.
func (b bridge) Sync() error { return nil }

func attrs(fields []zapcore.Field) []slog.Attr {
	m := zapcore.NewMapObjectEncoder()
	for _, f := range fields {
		f.AddTo(m)
	}
	out := make([]slog.Attr, 0, len(m.Fields))
	for k, v := range m.Fields {
		out = append(out, slog.Any(k, v))
	}
	return out
}
