package scenario

import (
	"fmt"
	"testing"
	"time"

	"github.com/sluice-gateway/sluice/tests/upstream"
)

// Environment is a running gateway that a scenario may use, scale and break. Its methods fail the test
// when the environment itself does not do as told.
type Environment interface {
	// Admin returns the control plane.
	Admin() Admin
	// Proxies returns the proxies that are up. It may be called while another method runs.
	Proxies() []Proxy
	// Scale starts proxies, or stops some gracefully, until n are up, ready and in the fleet.
	Scale(t *testing.T, n int)
	// Kill ends a proxy without warning.
	Kill(t *testing.T, p Proxy)
	// StopStore ends etcd without losing its data; StartStore brings it back, maybe on other endpoints.
	StopStore(t *testing.T)
	StartStore(t *testing.T)
	StoreEndpoints(t *testing.T) []string
	// Upstream starts a server that the proxies reach at BaseURL. It ends with the test.
	Upstream(t *testing.T, b upstream.Behaviour) Upstream
	// Logs returns all that the admin and the proxies have logged, those that are gone included.
	Logs(t *testing.T) string
}

// Admin is the control plane as an operator sees it.
type Admin struct{ URL, Token, ViewerToken string }

// Proxy is one node: the base URLs of its two listeners.
type Proxy struct{ API, Status string }

// Upstream is a steered server and where the proxies find it.
type Upstream struct {
	*upstream.Server
	BaseURL string
}

// Patience of the tests: none of these is a promise, all are long enough for a busy machine.
const (
	patience     = 20 * time.Second
	pollInterval = 20 * time.Millisecond
)

// eventually waits until condition returns nil.
func eventually(t *testing.T, within time.Duration, condition func() error) {
	t.Helper()
	if err := poll(within, condition); err != nil {
		t.Fatal(err)
	}
}

func poll(within time.Duration, condition func() error) error {
	deadline := time.NewTimer(within)
	defer deadline.Stop()
	tick := time.NewTicker(pollInterval)
	defer tick.Stop()
	for {
		err := condition()
		if err == nil {
			return nil
		}
		select {
		case <-tick.C:
		case <-deadline.C:
			return fmt.Errorf("after %v: %w", within, err)
		}
	}
}

// run plays every scenario against env.
func run(t *testing.T, env Environment) {
	for _, s := range []struct {
		name string
		body func(*testing.T, Environment)
	}{
		{"resources-are-created-read-changed-and-deleted", resourcesAreCreatedReadChangedAndDeleted},
		{"bad-writes-are-refused-with-reasons", badWritesAreRefusedWithReasons},
		{"a-write-is-visible-on-all-nodes", aWriteIsVisibleOnAllNodes},
		{"the-official-sdk-chats-through-every-proxy", theOfficialSDKChatsThroughEveryProxy},
		{"latency-learnt-on-one-node-orders-targets-on-another", latencyLearntOnOneNodeOrdersTargetsOnAnother},
		{"light-traffic-goes-to-the-fastest", lightTrafficGoesToTheFastest},
		{"a-restarted-fleet-ranks-right-from-its-first-request", aRestartedFleetRanksRightFromItsFirstRequest},
		{"requests-go-where-their-keys-tags-and-needs-say", requestsGoWhereTheirKeysTagsAndNeedsSay},
		{"decisions-are-explained", decisionsAreExplained},
		{"scores-decide-by-what-the-fleet-knows", scoresDecideByWhatTheFleetKnows},
		{"a-match-that-fails-falls-to-the-next-that-cleared", aMatchThatFailsFallsToTheNextThatCleared},
		{"a-prompt-that-is-not-embedded-is-served-all-the-same", aPromptThatIsNotEmbeddedIsServedAllTheSame},
		{"semantic-routings-are-explained", semanticRoutingsAreExplained},
		{"azure-embeds-by-its-deployment-and-nothing-of-the-caller-reaches-it", azureEmbedsByItsDeploymentAndNothingOfTheCallerReachesIt},
		{"the-prompt-picks-the-model", thePromptPicksTheModel},
		{"an-upstream-dies-and-no-client-notices", anUpstreamDiesAndNoClientNotices},
		{"proxies-come-and-go-under-load", proxiesComeAndGoUnderLoad},
		{"what-a-killed-node-learnt-outlives-it", whatAKilledNodeLearntOutlivesIt},
		{"all-leases-are-revoked-and-nothing-is-forgotten", allLeasesAreRevokedAndNothingIsForgotten},
		{"etcd-stops-and-comes-back-under-load", etcdStopsAndComesBackUnderLoad},
		{"secrets-stay-secret", secretsStaySecret},
	} {
		t.Run(s.name, func(t *testing.T) { s.body(t, env) })
	}
}
