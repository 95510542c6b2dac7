package webhook_test

import (
	"testing"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"
)

// verifies lets the verifier of Standard Webhooks look at a visit.
func verifies(t *testing.T, secret string, v visit) {
	t.Helper()
	verifier, err := standardwebhooks.NewWebhook(secret)
	if err != nil {
		t.Fatal(err)
	}
	if err := verifier.VerifyIgnoringTimestamp(v.body, v.header); err != nil {
		t.Errorf("the standard's verifier refuses %v: %v", v.header, err)
	}
}
