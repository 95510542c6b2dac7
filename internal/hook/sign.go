package hook

import (
	"bytes"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"strconv"
	"strings"
	"time"
)

// NewSecret returns a secret of 32 hex digits.
func NewSecret() string {
	bits := make([]byte, 16)
	rand.Read(bits) //nolint:errcheck // it never fails
	return hex.EncodeToString(bits)
}

// Prefixed returns a secret in the form for verifiers of Standard Webhooks.
func Prefixed(secret string) string {
	return "whsec_" + base64.StdEncoding.EncodeToString([]byte(secret))
}

// Envelope returns the request body for an event (document 2, 6.2). An event has the same
// bytes at every attempt, so the order of fields and the format of the time must not
// change.
func Envelope(name, eventID string, at time.Time, data json.RawMessage) []byte {
	var b bytes.Buffer
	b.WriteString(`{"event":`)
	b.Write(quoted(name))
	b.WriteString(`,"event_id":`)
	b.Write(quoted(eventID))
	b.WriteString(`,"created_at":`)
	b.Write(quoted(at.UTC().Format(time.RFC3339Nano)))
	b.WriteString(`,"data":`)
	b.Write(data)
	b.WriteByte('}')
	return b.Bytes()
}

func quoted(text string) []byte {
	out, _ := json.Marshal(text) //nolint:errcheck // it never fails for a string
	return out
}

// Sign returns the value of X-Service-Signature: sha256= and the hex HMAC of the body.
func Sign(secret string, body []byte) string {
	return "sha256=" + hex.EncodeToString(sum(secret, body))
}

// SignStandard returns the value of webhook-signature of Standard Webhooks 1.0: for each
// secret v1 and the base64 HMAC of the message id, the second of sending and the body.
func SignStandard(secrets []string, id string, sent time.Time, body []byte) string {
	message := append([]byte(id+"."+strconv.FormatInt(sent.Unix(), 10)+"."), body...)
	signatures := make([]string, len(secrets))
	for i, secret := range secrets {
		signatures[i] = "v1," + base64.StdEncoding.EncodeToString(sum(secret, message))
	}
	return strings.Join(signatures, " ")
}

// SignMerchant returns the value of Merchant-Signature of the Agentic Commerce Protocol: the second of
// sending, and the hex HMAC of it and the body.
func SignMerchant(secret string, sent time.Time, body []byte) string {
	at := strconv.FormatInt(sent.Unix(), 10)
	return "t=" + at + ",v1=" + hex.EncodeToString(sum(secret, append([]byte(at+"."), body...)))
}

func sum(secret string, message []byte) []byte {
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write(message)
	return mac.Sum(nil)
}
