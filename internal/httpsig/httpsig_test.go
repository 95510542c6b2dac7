package httpsig_test

import (
	"crypto/elliptic"
	"encoding/base64"
	"errors"
	"strings"
	"testing"
	"time"

	"vitrine/internal/httpsig"
	. "vitrine/internal/httpsig/httpsigtest"
)

var body = []byte(`{"line_items":[{"item":{"id":"17"},"quantity":2}]}`)

const agent = `profile="https://platform.example/.well-known/ucp"`

// order is a request that changes something; read is one without a body.
var (
	order = Message{Method: "POST", URL: "https://shop.example/api/ucp/checkout-sessions?a=1&b=%20x", Body: body, Header: map[string]string{
		"Content-Type": "application/json", "UCP-Agent": agent, "Idempotency-Key": "550e8400-e29b-41d4-a716-446655440000",
	}}
	read = Message{Method: "GET", URL: "https://shop.example/api/ucp/orders/7", Header: map[string]string{"UCP-Agent": agent}}
	all  = []string{"@method", "@authority", "@path", "@query", "ucp-agent", "idempotency-key", "content-digest", "content-type"}
)

func without(names []string, gone string) (rest []string) {
	for _, n := range names {
		if n != gone {
			rest = append(rest, n)
		}
	}
	return rest
}

// What the other implementation signs is accepted, on both curves, and with whatever it covers besides.
func TestSignaturesOfAnotherImplementationAreVerified(t *testing.T) {
	t.Parallel()
	now := time.Now()
	for _, curve := range []elliptic.Curve{elliptic.P256(), elliptic.P384()} {
		key := NewKey(t, "platform-2026", curve)
		keys := httpsig.ParseKeys([]httpsig.JWK{{ID: "other", Type: "OKP", Curve: "Ed25519"}, key.JWK})
		for name, m := range map[string]Message{
			"required": Sign(t, order, key, nil, all...),
			"more":     Sign(t, order, key, map[string]any{"tag": "x", "alg": map[int]string{256: "ecdsa-p256-sha256", 384: "ecdsa-p384-sha384"}[curve.Params().BitSize]}, append([]string{"@target-uri", "@scheme", "@request-target", `ucp-agent;key="profile"`}, all...)...),
			"no query": Sign(t, read, key, nil, "@method", "@authority", "@path", "ucp-agent"),
			"response": Sign(t, Message{Status: 201, Body: body, Header: map[string]string{"Content-Type": "application/json"}}, key, nil, "@status", "content-digest", "content-type"),
		} {
			if id, err := httpsig.Verify(m.Ours(t), keys, now); err != nil || id != "platform-2026" {
				t.Errorf("%s, %s: %q, %v", curve.Params().Name, name, id, err)
			}
		}
	}
}

// What is signed here is accepted by the other implementation, with all required components, and by Verify.
func TestSignaturesAreVerifiedByAnotherImplementation(t *testing.T) {
	t.Parallel()
	key, err := httpsig.NewKey()
	if err != nil {
		t.Fatal(err)
	}
	event := Message{Method: "POST", URL: "https://platform.example:8443/hooks/4", Body: body, Header: map[string]string{
		"Content-Type": "application/json", "UCP-Agent": agent, "Webhook-Id": "8f1c", "Webhook-Timestamp": "1796083200", "Idempotency-Key": "8f1c",
	}}
	for name, c := range map[string]struct {
		Message
		covers []string
	}{
		"request":  {order, all},
		"read":     {read, []string{"@method", "@authority", "@path", "ucp-agent"}},
		"webhook":  {event, append([]string{"webhook-id", "webhook-timestamp"}, without(all, "@query")...)},
		"response": {Message{Status: 200, Body: body, Header: map[string]string{"Content-Type": "application/json"}}, []string{"@status", "content-digest", "content-type"}},
	} {
		fields, err := httpsig.Sign(c.Ours(t), key, time.Now())
		if err != nil {
			t.Fatal(err)
		}
		signed := c.With(fields)
		if wrong := Verify(t, signed, key.Public, c.covers...); wrong != "" {
			t.Errorf("%s: %s", name, wrong)
		}
		if _, err := httpsig.Verify(signed.Ours(t), httpsig.ParseKeys([]httpsig.JWK{key.Public}), time.Now()); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		signed.Header["Content-Type"] += "x"
		if len(c.Body) > 0 && Verify(t, signed, key.Public, c.covers...) == "" {
			t.Errorf("%s: the other implementation accepts another message", name)
		}
	}
}

// A key is the same after it was stored.
func TestStoredKeysCanBeReadAgain(t *testing.T) {
	t.Parallel()
	key, err := httpsig.NewKey()
	if err != nil {
		t.Fatal(err)
	}
	der, err := key.Bytes()
	if err != nil {
		t.Fatal(err)
	}
	again, err := httpsig.ParseKey(der)
	if err != nil || again.Public != key.Public {
		t.Errorf("%+v is not %+v: %v", again.Public, key.Public, err)
	}
	for name, wrong := range map[string][]byte{"empty": nil, "text": []byte("key"), "cut": der[:len(der)-1]} {
		if _, err := httpsig.ParseKey(wrong); err == nil {
			t.Errorf("%s is a key", name)
		}
	}
}

// A signature that leaves out a required component, of another message or key, or written otherwise is refused.
func TestOtherSignaturesAreRefused(t *testing.T) {
	t.Parallel()
	now := time.Now()
	key, other := NewKey(t, "k", elliptic.P256()), NewKey(t, "k", elliptic.P256())
	keys := httpsig.ParseKeys([]httpsig.JWK{key.JWK})
	good := Sign(t, order, key, nil, all...)
	set := func(field, value string) Message { return good.With(map[string]string{field: value}) }
	drop := func(fields ...string) Message {
		m := good.With(nil)
		for _, f := range fields {
			delete(m.Header, f)
		}
		return m
	}
	at := func(url string) Message { m := good; m.URL = url; return m }
	with := func(body string) Message { m := good; m.Body = []byte(body); return m }
	method := func(name string) Message { m := good; m.Method = name; return m }
	input, signature := good.Header["Signature-Input"], good.Header["Signature"]
	raw, err := base64.StdEncoding.DecodeString(strings.Trim(strings.TrimPrefix(signature, "theirs="), ":"))
	if err != nil || len(raw) != 64 {
		t.Fatalf("%s: %v", signature, err)
	}
	der := append(append([]byte{0x30, 68, 2, 32}, raw[:32]...), append([]byte{2, 32}, raw[32:]...)...)
	bytes := func(b []byte) Message {
		return set("Signature", "theirs=:"+base64.StdEncoding.EncodeToString(b)+":")
	}
	for name, c := range map[string]struct {
		Message
		want httpsig.Refusal
	}{
		"nothing":              {order, httpsig.ErrMissing},
		"only the input":       {drop("Signature"), httpsig.ErrMissing},
		"only the signature":   {drop("Signature-Input"), httpsig.ErrMissing},
		"another label":        {set("Signature", "x"+signature), httpsig.ErrMissing},
		"another shop":         {at("https://other.example/api/ucp/checkout-sessions?a=1&b=%20x"), httpsig.ErrInvalid},
		"another port":         {at("https://shop.example:444/api/ucp/checkout-sessions?a=1&b=%20x"), httpsig.ErrInvalid},
		"another path":         {at("https://shop.example/api/ucp/carts?a=1&b=%20x"), httpsig.ErrInvalid},
		"another query":        {at("https://shop.example/api/ucp/checkout-sessions?a=2&b=%20x"), httpsig.ErrInvalid},
		"no query":             {at("https://shop.example/api/ucp/checkout-sessions"), httpsig.ErrInvalid},
		"another method":       {method("PUT"), httpsig.ErrInvalid},
		"another agent":        {set("UCP-Agent", `profile="https://evil.example/"`), httpsig.ErrInvalid},
		"another key of retry": {set("Idempotency-Key", "other"), httpsig.ErrInvalid},
		"another type":         {set("Content-Type", "text/plain"), httpsig.ErrInvalid},
		"another body":         {with(strings.Replace(string(body), "2", "3", 1)), httpsig.ErrDigest},
		"no body":              {with(""), httpsig.ErrDigest},
		"digest of sha-512":    {set("Content-Digest", "sha-512=:AAAA:"), httpsig.ErrDigest},
		"digest of a word":     {set("Content-Digest", `"`), httpsig.ErrDigest},
		"no digest":            {drop("Content-Digest"), httpsig.ErrDigest},
		"key of another":       {Sign(t, order, other, nil, all...), httpsig.ErrInvalid},
		"unknown key":          {Sign(t, order, NewKey(t, "new", elliptic.P256()), nil, all...), httpsig.ErrKey},
		"no key id":            {set("Signature-Input", strings.Replace(input, `;keyid="k"`, "", 1)), httpsig.ErrKey},
		"key id 7":             {set("Signature-Input", strings.Replace(input, `"k"`, "7", 1)), httpsig.ErrKey},
		"another algorithm":    {Sign(t, order, key, map[string]any{"alg": "hmac-sha256"}, all...), httpsig.ErrAlgorithm},
		"from the future":      {Sign(t, order, key, map[string]any{"created": now.Add(time.Hour).Unix()}, all...), httpsig.ErrInvalid},
		"DER":                  {bytes(der), httpsig.ErrInvalid},
		"cut":                  {bytes(raw[:63]), httpsig.ErrInvalid},
		"longer":               {bytes(append(raw[:64:64], 0)), httpsig.ErrInvalid},
		"zeros":                {bytes(make([]byte, 64)), httpsig.ErrInvalid},
		"text":                 {set("Signature", `theirs="x"`), httpsig.ErrInvalid},
		"list":                 {set("Signature", `theirs=(:AAAA:)`), httpsig.ErrInvalid},
		"broken":               {set("Signature", "theirs=:%"), httpsig.ErrInvalid},
		"broken input":         {set("Signature-Input", "theirs=("), httpsig.ErrInvalid},
		"input without a list": {set("Signature-Input", `theirs="@method"`), httpsig.ErrInvalid},
		"empty":                {set("Signature-Input", ""), httpsig.ErrInvalid},
		"numbers":              {set("Signature-Input", `theirs=(1 2);keyid="k"`), httpsig.ErrInvalid},
		"twice":                {set("Signature-Input", strings.Replace(input, `"@path"`, `"@path" "@path"`, 1)), httpsig.ErrInvalid},
		"of the request":       {set("Signature-Input", strings.Replace(input, `"@method"`, `"@method" "@path";req`, 1)), httpsig.ErrInvalid},
		"unknown component":    {set("Signature-Input", strings.Replace(input, `"@method"`, `"@method" "@color"`, 1)), httpsig.ErrInvalid},
		"missing field":        {set("Signature-Input", strings.Replace(input, `"@method"`, `"@method" "x-none"`, 1)), httpsig.ErrInvalid},
		"expired":              {set("Signature-Input", input+";expires=1"), httpsig.ErrInvalid},
		"expires at a word":    {set("Signature-Input", input+`;expires="1"`), httpsig.ErrInvalid},
		"large":                {set("Signature-Input", input+`;nonce="`+strings.Repeat("x", 9000)+`"`), httpsig.ErrInvalid},
		"many components":      {set("Signature-Input", `theirs=(`+strings.Repeat(`"a" `, 65)+`);keyid="k"`), httpsig.ErrInvalid},
		"many signatures":      {set("Signature-Input", strings.Repeat("x", 9)+"=(), "+"a=(), b=(), c=(), d=(), e=(), f=(), g=(), h=(), "+input), httpsig.ErrInvalid},
	} {
		if _, err := httpsig.Verify(c.Ours(t), keys, now); !errors.Is(err, c.want) {
			t.Errorf("%s: %v, want %s", name, err, c.want)
		}
	}
	for _, gone := range all {
		m := Sign(t, order, key, nil, without(all, gone)...)
		if _, err := httpsig.Verify(m.Ours(t), keys, now); !errors.Is(err, httpsig.ErrInvalid) {
			t.Errorf("without %s: %v", gone, err)
		}
	}
	if _, err := httpsig.Verify(set("Signature-Input", "proxy=(), "+input).Ours(t), keys, now); err != nil {
		t.Errorf("a second signature: %v", err)
	}
}

// Keys that cannot be used do not make the others unusable; a signature by one of them is refused as such.
func TestKeysThatCannotBeUsedAreKept(t *testing.T) {
	t.Parallel()
	key := NewKey(t, "k", elliptic.P256())
	m := Sign(t, order, key, nil, all...)
	changed := func(change func(*httpsig.JWK)) httpsig.JWK { k := key.JWK; change(&k); return k }
	for name, k := range map[string]httpsig.JWK{
		"type":          changed(func(k *httpsig.JWK) { k.Type = "RSA" }),
		"curve":         changed(func(k *httpsig.JWK) { k.Curve = "P-521" }),
		"other curve":   changed(func(k *httpsig.JWK) { k.Curve = "P-384" }),
		"use":           changed(func(k *httpsig.JWK) { k.Use = "enc" }),
		"padded":        changed(func(k *httpsig.JWK) { k.X += "=" }),
		"no y":          changed(func(k *httpsig.JWK) { k.Y = "" }),
		"not the curve": changed(func(k *httpsig.JWK) { k.X, k.Y = k.Y, k.X }),
	} {
		if _, err := httpsig.Verify(m.Ours(t), httpsig.ParseKeys([]httpsig.JWK{k}), time.Now()); !errors.Is(err, httpsig.ErrAlgorithm) {
			t.Errorf("%s: %v", name, err)
		}
		if _, err := httpsig.Verify(m.Ours(t), httpsig.ParseKeys([]httpsig.JWK{k, key.JWK}), time.Now()); err != nil {
			t.Errorf("%s, then a good one: %v", name, err)
		}
	}
}
