package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/sluice-gateway/sluice/tests/bench/load"
	"github.com/sluice-gateway/sluice/tests/bench/mock"
)

// workload is one kind of load, sent to every contender in turn.
type workload struct {
	name   string
	plan   load.Plan
	rounds int
	// share, when set, makes an open loop at that share of the rate of the workload before it.
	share float64
}

// size says how much load a run of the benchmark sends.
type size struct {
	chats, streams, shortStreams int // requests in a round
	rounds                       int
}

var (
	fullSize  = size{chats: 6000, streams: 480, shortStreams: 1200, rounds: 7}
	smokeSize = size{chats: 200, streams: 20, shortStreams: 20, rounds: 2}
)

// Content events of the two lengths of stream: what one event costs is the difference.
const (
	longStream  = 50
	shortStream = 5
)

// The workloads whose difference is the cost of an event, or of a translation.
const (
	chatClosed     = "chat, closed loop"
	longClosed     = "stream of 50, closed loop"
	shortClosed    = "stream of 5, closed loop"
	chatTranslated = "chat translated to messages, closed loop"
	longTranslated = "stream of 50 translated to messages, closed loop"
)

// The models that requests name: of an upstream that is asked as the caller asks, and of one in another dialect. The
// plain proxy knows no models, and does the same for both.
const (
	passedModel     = "bench"
	translatedModel = "translated"
)

func workloads(s size, key string) []workload {
	chat := load.Request{Wire: request(key, passedModel, 0)}
	long := load.Request{Wire: request(key, passedModel, longStream), Events: longStream + mock.Extra}
	short := load.Request{Wire: request(key, passedModel, shortStream), Events: shortStream + mock.Extra}
	otherChat, otherLong := load.Request{Wire: request(key, translatedModel, 0)}, load.Request{Wire: request(key, translatedModel, longStream), Events: long.Events}
	return []workload{
		{name: chatClosed, plan: load.Plan{Request: chat, Count: s.chats, Connections: 32}, rounds: s.rounds},
		{name: "chat, open loop", plan: load.Plan{Request: chat, Count: s.chats / 2, Connections: 128}, rounds: s.rounds, share: 0.4},
		{name: shortClosed, plan: load.Plan{Request: short, Count: s.shortStreams, Connections: 20}, rounds: s.rounds},
		{name: longClosed, plan: load.Plan{Request: long, Count: s.streams, Connections: 40}, rounds: s.rounds},
		{name: "stream of 50, open loop", plan: load.Plan{Request: long, Count: s.streams / 2, Connections: 128}, rounds: s.rounds, share: 0.5},
		{name: chatTranslated, plan: load.Plan{Request: otherChat, Count: s.chats, Connections: 32}, rounds: s.rounds},
		{name: longTranslated, plan: load.Plan{Request: otherLong, Count: s.streams, Connections: 40}, rounds: s.rounds},
	}
}

// request renders a chat completion of requestBytes; events is the length of the stream, 0 for none.
func request(key, model string, events int) []byte {
	const head = `{"model":"%s",%s"temperature":0.2,"messages":[{"role":"system","content":"You are a helpful assistant."},{"role":"user","content":"`
	const tail = `"}]}`
	options := ""
	if events > 0 {
		options = fmt.Sprintf(`"stream":true,"max_tokens":%d,`, events)
	}
	body := fmt.Sprintf(head, model, options)
	body += strings.Repeat("lorem ipsum ", requestBytes/12)[:requestBytes-len(body)-len(tail)] + tail
	return fmt.Appendf(nil, "POST /v1/chat/completions HTTP/1.1\r\nHost: bench\r\nUser-Agent: bench\r\nAccept: */*\r\n"+
		"Authorization: Bearer %s\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s", key, len(body), body)
}

// outcome holds the rounds of one workload: rounds[i][j] is round i of contender j.
type outcome struct {
	workload workload
	rounds   [][]round
}

// compare runs one workload against all contenders in alternating order, after a warm-up of each.
func compare(ctx context.Context, w workload, contenders []contender) (outcome, error) {
	warmup := w.plan
	warmup.Count /= 4
	for _, c := range contenders {
		if _, err := c.measure(ctx, warmup); err != nil {
			return outcome{}, fmt.Errorf("warm up: %w", err)
		}
	}
	o := outcome{workload: w}
	for i := range w.rounds {
		results := make([]round, len(contenders))
		for k := range contenders {
			j := (i + k) % len(contenders)
			var err error
			if results[j], err = contenders[j].measure(ctx, w.plan); err != nil {
				return o, fmt.Errorf("round %d: %w", i, err)
			}
		}
		o.rounds = append(o.rounds, results)
	}
	return o, nil
}
