package embedded

import (
	"context"
	"log/slog"

	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"
)

// zapLogger passes what etcd logs on to slog at debug level: etcd warns, and reports errors, of an ordinary
// start and stop. What its user must know comes back as errors of Start and of every call.
func zapLogger(log *slog.Logger) *zap.Logger {
	if log == nil {
		return zap.NewNop()
	}
	return zap.New(bridge{log.Handler()})
}

// bridge is a zap core that writes to a slog handler.
type bridge struct{ handler slog.Handler }

// Enabled is true for what etcd's own log would show, when the handler shows debug records.
func (b bridge) Enabled(l zapcore.Level) bool {
	return l >= zapcore.InfoLevel && b.handler.Enabled(context.TODO(), slog.LevelDebug)
}

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
	r := slog.NewRecord(e.Time, slog.LevelDebug, "etcd: "+e.Message, 0)
	r.AddAttrs(slog.String("etcd_level", e.Level.String()))
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
