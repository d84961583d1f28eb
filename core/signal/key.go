package signal

// Key names an upstream whose speed is measured: a hash of what determines that speed (provider
// kind, base URL, upstream model, credential reference). A repointed model gets another key, a
// renamed one keeps its key, and two routings over one upstream share it.
type Key uint64
