// Package httpsigtest signs and verifies HTTP messages in tests with an implementation of RFC 9421 that shares
// nothing with package httpsig: the npm package http-message-signatures, run by node.
package httpsigtest

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"encoding/json"
	"maps"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"vitrine/internal/await"
	"vitrine/internal/httpsig"
)

//go:embed http-message-signatures.cjs
var library []byte

//go:embed run.cjs
var program []byte

// Message is a request or a response.
type Message struct {
	Method, URL string // of a request
	Status      int    // of a response
	Header      map[string]string
	Body        []byte
}

// Ours returns the message as package httpsig takes it.
func (m Message) Ours(t testing.TB) httpsig.Message {
	t.Helper()
	u, err := url.Parse(m.URL)
	if err != nil {
		t.Fatal(err)
	}
	return httpsig.Message{
		Status: m.Status, Method: m.Method, Scheme: u.Scheme, Authority: u.Host, Path: u.EscapedPath(), Query: u.RawQuery,
		Header: httpsig.Headers(m.Header), Body: m.Body,
	}
}

// With returns the message with more fields.
func (m Message) With(fields map[string]string) Message {
	m.Header = maps.Clone(m.Header)
	maps.Copy(m.Header, fields)
	return m
}

// theirs is the message as the library takes it.
func (m Message) theirs() map[string]any {
	if m.Status != 0 {
		return map[string]any{"status": m.Status, "headers": m.Header}
	}
	return map[string]any{"method": m.Method, "url": m.URL, "headers": m.Header}
}

// Key is a private key of a platform.
type Key struct {
	httpsig.JWK
	D string `json:"d"`
}

// NewKey makes a key on P-256, or on P-384.
func NewKey(t testing.TB, id string, curve elliptic.Curve) Key {
	t.Helper()
	key, err := ecdsa.GenerateKey(curve, rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	point, err := key.PublicKey.Bytes()
	if err != nil {
		t.Fatal(err)
	}
	secret, err := key.Bytes()
	if err != nil {
		t.Fatal(err)
	}
	text, n := base64.RawURLEncoding.EncodeToString, len(point)/2
	return Key{httpsig.JWK{ID: id, Type: "EC", Curve: curve.Params().Name, X: text(point[1 : 1+n]), Y: text(point[1+n:])}, text(secret)}
}

// Sign returns the message with its signature over these components, and with Content-Digest if it has a body.
func Sign(t testing.TB, m Message, key Key, params map[string]any, components ...string) Message {
	t.Helper()
	if len(m.Body) > 0 {
		sum := sha256.Sum256(m.Body)
		m = m.With(map[string]string{"Content-Digest": "sha-256=:" + base64.StdEncoding.EncodeToString(sum[:]) + ":"})
	}
	if params == nil {
		params = map[string]any{}
	}
	var fields map[string]string
	run(t, map[string]any{"task": "sign", "message": m.theirs(), "key": key, "fields": components, "params": params}, &fields)
	m.Header = fields
	return m
}

// Verify returns what is wrong with the signature of a message, which has to cover these components; "" if nothing.
func Verify(t testing.TB, m Message, key httpsig.JWK, components ...string) (wrong string) {
	t.Helper()
	run(t, map[string]any{"task": "verify", "message": m.theirs(), "body": m.Body, "key": key, "required": components}, &wrong)
	return wrong
}

func run(t testing.TB, task map[string]any, result any) {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string][]byte{"http-message-signatures.cjs": library, "run.cjs": program} {
		if err := os.WriteFile(filepath.Join(dir, name), text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	in, err := json.Marshal(task)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(await.Context(t), "node", filepath.Join(dir, "run.cjs"))
	var errs bytes.Buffer
	cmd.Stdin, cmd.Stderr = bytes.NewReader(in), &errs
	out, err := cmd.Output()
	if err == nil {
		err = json.Unmarshal(out, result)
	}
	if err != nil {
		t.Fatalf("%v: %s%s", err, out, errs.Bytes())
	}
}
