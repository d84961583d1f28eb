package dev

import (
	"crypto/sha256"
	"encoding/hex"

	"github.com/sluice-gateway/sluice/core"
)

// seeded is a resource that is put when it is missing. One that is there stays as it is, except for the fields in
// must: without them the printed lines would not work.
type seeded struct {
	resource core.Resource
	must     map[string]string
}

// resources returns what a first request needs, referenced before referring.
func resources(fastURL, slowURL, callerKey string) []seeded {
	sum := sha256.Sum256([]byte(callerKey))
	hash := hex.EncodeToString(sum[:])
	return []seeded{
		provider(fastName, "The quick demo upstream of sluice dev.", fastURL+"/v1"),
		provider(slowName, "The slow demo upstream of sluice dev.", slowURL+"/v1"),
		{resource: &core.Model{ID: fastName, Provider: fastName, UpstreamModel: fastName}},
		{resource: &core.Model{ID: slowName, Provider: slowName, UpstreamModel: slowName}},
		{resource: &core.Routing{
			ID: routingName, Description: "Prefers whichever demo upstream answers faster; the slow one is declared first.",
			Strategy: core.StrategyLeastLatency, Targets: []core.RoutingTarget{{Model: slowName}, {Model: fastName}},
		}},
		{
			resource: &core.APIKey{ID: callerName, Description: "The demo caller of sluice dev.", KeySHA256: hash, AllowedModels: []string{"*"}},
			must:     map[string]string{"key_sha256": hash},
		},
	}
}

func provider(id, description, baseURL string) seeded {
	return seeded{
		resource: &core.Provider{ID: id, Description: description, Kind: core.ProviderOpenAI, BaseURL: baseURL},
		must:     map[string]string{"base_url": baseURL},
	}
}
