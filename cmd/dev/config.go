package dev

import (
	"io"
	"log/slog"
	"time"
)

// Config says where Run keeps its data and where it listens. All fields but the secrets are required.
type Config struct {
	// DataDir holds the etcd and the generated secrets; it is created if missing.
	DataDir string
	// The addresses to listen on, host:port. Port 0 takes any that is free.
	AdminListen, ProxyListen, StatusListen, DemoFastListen, DemoSlowListen string
	// AdminToken and CallerKey are the secrets to use. An empty one is generated once and kept in DataDir.
	AdminToken, CallerKey string
	Version               string
	// Out gets the addresses and the lines to paste, once everything serves.
	Out    io.Writer
	Logger *slog.Logger

	// etcd is where the embedded etcd answers, once it does.
	etcd string
}

// Paces of the demo upstreams: far enough apart that a person sees which one answered.
const (
	fastFirstToken = 40 * time.Millisecond
	fastPerToken   = 5 * time.Millisecond
	slowFirstToken = 400 * time.Millisecond
	slowPerToken   = 40 * time.Millisecond
)

// Names of the seeded resources, and of the demo upstreams.
const (
	fastName    = "demo-fast"
	slowName    = "demo-slow"
	routingName = "demo"

	codeName      = "demo-code"
	translateName = "demo-translate"
	chatName      = "demo-chat"
	semanticName  = "demo-semantic"
	callerName    = "demo"
)
