package hook

import (
	"encoding/base64"
	"encoding/json"
	"net/http"
	"strconv"
	"testing"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"
)

// The body must not change between versions: the signature of the first attempt must match
// the last one, also from a newer version.
func TestEnvelopeFormatIsFrozen(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 11, 24, 3, 4, 5, 120_000_000, time.FixedZone("", 3600))
	got := string(Envelope("order.paid", "6f0a", at, json.RawMessage(`{"order_id": "7", "name": "Чай <b>"}`)))
	want := `{"event":"order.paid","event_id":"6f0a","created_at":"2026-11-24T02:04:05.12Z","data":{"order_id": "7", "name": "Чай <b>"}}`
	if got != want {
		t.Errorf("%s", got)
	}
}

func TestSignatureIsAnHMACInHex(t *testing.T) {
	t.Parallel()
	// RFC 4231, test case 2.
	if got := Sign("Jefe", []byte("what do ya want for nothing?")); got != "sha256=5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843" {
		t.Errorf("%s", got)
	}
}

// The test vector of the standard's own libraries.
func TestStandardWebhooksVector(t *testing.T) {
	t.Parallel()
	secret, err := base64.StdEncoding.DecodeString("MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw")
	if err != nil {
		t.Fatal(err)
	}
	got := SignStandard([]string{string(secret)}, "msg_p5jXN8AQM9LWM0D4loKWxJek", time.Unix(1614265330, 0), []byte(`{"test": 2432232314}`))
	if got != "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=" {
		t.Errorf("%s", got)
	}
}

// The official verifier accepts our signatures with the secret in its displayed form, with
// either of two secrets, and rejects changed bodies.
func TestStandardWebhooksVerifier(t *testing.T) {
	t.Parallel()
	old, secret := "sixteen letters!", NewSecret()
	body, now := []byte(`{"event":"x"}`), time.Now()
	header := http.Header{}
	header.Set("webhook-id", "msg_1")
	header.Set("webhook-timestamp", strconv.FormatInt(now.Unix(), 10))
	header.Set("webhook-signature", SignStandard([]string{secret, old}, "msg_1", now, body))
	for _, s := range []string{secret, old} {
		verifier, err := standardwebhooks.NewWebhook(Prefixed(s))
		if err != nil {
			t.Fatal(err)
		}
		if err := verifier.Verify(body, header); err != nil {
			t.Errorf("%s: %v", s, err)
		}
		if verifier.Verify(append(body, ' '), header) == nil {
			t.Error("a changed body is accepted")
		}
	}
	if other, err := standardwebhooks.NewWebhook(Prefixed(NewSecret())); err != nil || other.Verify(body, header) == nil {
		t.Errorf("another secret is accepted (%v)", err)
	}
}

func TestSecretsHaveThirtyTwoHexDigits(t *testing.T) {
	t.Parallel()
	a, b := NewSecret(), NewSecret()
	if _, err := strconv.ParseUint(a[:16], 16, 64); err != nil || len(a) != 32 || a == b {
		t.Errorf("%s and %s", a, b)
	}
}
