package webhook_test

import (
	"testing"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"
)

// verifies checks a request with the verifier of Standard Webhooks.
func verifies(t *testing.T, secret string, v received) {
	t.Helper()
	verifier, err := standardwebhooks.NewWebhook(secret)
	if err != nil {
		t.Fatal(err)
	}
	if err := verifier.VerifyIgnoringTimestamp(v.body, v.header); err != nil {
		t.Errorf("the standard's verifier refuses %v: %v", v.header, err)
	}
}
