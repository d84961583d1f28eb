package dev

import (
	"crypto/sha256"
	"encoding/hex"

	"github.com/sluice-gateway/sluice/cmd/demo"
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
		{resource: &core.Model{ID: codeName, Description: "Stands for a model that writes code.", Provider: fastName, UpstreamModel: fastName}},
		{resource: &core.Model{ID: translateName, Description: "Stands for a model that translates.", Provider: fastName, UpstreamModel: fastName}},
		{resource: &core.Model{ID: chatName, Description: "Stands for a model for everything else.", Provider: slowName, UpstreamModel: slowName}},
		{resource: semantic()},
		{
			resource: &core.APIKey{ID: callerName, Description: "The demo caller of sluice dev.", KeySHA256: hash, AllowedModels: []string{"*"}, Explain: true},
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

// semanticThreshold is what hashed n-grams make of two texts that share their main word; those of a neural model are
// farther up.
const semanticThreshold = 0.25

// semantic returns the routing in which the prompt picks the model. Its examples hold the words that the demo's
// embeddings go by.
func semantic() *core.Routing {
	threshold := semanticThreshold
	return &core.Routing{
		ID: semanticName, Strategy: core.StrategySemantic,
		Description: "The prompt picks the model: by words in common with the examples, which is all that the demo embeddings know.",
		Semantic: &core.Semantic{
			Embeddings: &core.Embeddings{Provider: fastName, Model: demo.EmbeddingModel}, Threshold: &threshold, ExposeScores: true,
		},
		Targets: []core.RoutingTarget{
			{Model: codeName, Examples: []string{
				"Write a function", "Write a Python program", "Fix the bug in this code", "Write a unit test", "Refactor this class", "Explain this error message", "Write a SQL query",
			}},
			{Model: translateName, Examples: []string{
				"Translate this into French", "Translate this text into German", "How do you say this in Spanish?", "Translate into English", "What does this Italian word mean?",
			}},
			{Model: chatName, Catchall: true},
		},
	}
}
