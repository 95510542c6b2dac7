// Package httpsig signs and verifies HTTP messages (RFC 9421) with the components that the Universal
// Commerce Protocol requires: a signature that leaves one out counts as none. Signatures are ECDSA on
// P-256, and on P-384 for verifying, as r and s in 64 or 96 bytes; bodies are covered by the SHA-256 of their
// bytes (RFC 9530).
package httpsig

import (
	"crypto/ecdsa"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"fmt"
	"math/big"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/dunglas/httpsfv"
)

// Refusal says why a message does not prove its sender; its text is the code of the protocol.
type Refusal string

func (r Refusal) Error() string { return string(r) }

// Refusals of Verify.
const (
	ErrMissing   Refusal = "signature_missing"
	ErrInvalid   Refusal = "signature_invalid"
	ErrKey       Refusal = "key_not_found"
	ErrDigest    Refusal = "digest_mismatch"
	ErrAlgorithm Refusal = "algorithm_unsupported"
)

func refuse(r Refusal, why string, args ...any) error {
	return fmt.Errorf("%w: "+why, append([]any{r}, args...)...)
}

// Bounds of what a sender may ask to verify.
const (
	maxField      = 8 << 10 // bytes of Signature-Input and of Signature
	maxSignatures = 8
	maxComponents = 64
	clockSkew     = time.Minute // how far the clock of a sender may be ahead
)

// Message is a request or a response, as it is sent.
type Message struct {
	Status    int                        // of a response; 0: a request
	Method    string                     // the rest is of a request
	Scheme    string                     // http or https
	Authority string                     // host, with a port if it was sent
	Path      string                     // as sent, still escaped
	Query     string                     // as sent, without the question mark
	Header    func(name string) []string // every value of a field, by its name in lower case
	Body      []byte
}

// Headers returns the Header of a message whose fields have one value each, by names in any case.
func Headers(fields map[string]string) func(string) []string {
	lower := make(map[string][]string, len(fields))
	for name, value := range fields {
		lower[strings.ToLower(name)] = []string{value}
	}
	return func(name string) []string { return lower[name] }
}

// required lists the components that a signature of the message has to cover.
func (m *Message) required() (names []string) {
	if m.Status != 0 {
		names = append(names, "@status")
	} else {
		names = append(names, "@method", "@authority", "@path")
		if m.Query != "" {
			names = append(names, "@query")
		}
		for _, name := range []string{"ucp-agent", "idempotency-key", "webhook-id", "webhook-timestamp"} {
			if len(m.Header(name)) > 0 {
				names = append(names, name)
			}
		}
	}
	if len(m.Body) > 0 {
		names = append(names, "content-digest", "content-type")
	}
	return names
}

// Digest returns the value of Content-Digest for a body.
func Digest(body []byte) string {
	sum := sha256.Sum256(body)
	d := httpsfv.NewDictionary()
	d.Add("sha-256", httpsfv.NewItem(sum[:]))
	return marshal(d)
}

// marshal serialises a structured field. All that is serialised was parsed before or consists of constants,
// names and numbers.
func marshal(v httpsfv.StructuredFieldValue) string {
	text, err := httpsfv.Marshal(v)
	if err != nil {
		panic(err)
	}
	return text
}

// Sign returns the fields to add to a message: Signature-Input, Signature, and Content-Digest if it has a body.
func Sign(m Message, key Private, now time.Time) (map[string]string, error) {
	added := map[string]string{}
	if len(m.Body) > 0 {
		added["Content-Digest"] = Digest(m.Body)
		sent := m.Header
		m.Header = func(name string) []string {
			if name == "content-digest" {
				return []string{added["Content-Digest"]}
			}
			return sent(name)
		}
	}
	input := httpsfv.InnerList{Params: httpsfv.NewParams()}
	for _, name := range m.required() {
		input.Items = append(input.Items, httpsfv.NewItem(name))
	}
	input.Params.Add("created", now.Unix())
	input.Params.Add("keyid", key.Public.ID)
	base, err := m.base(input)
	if err != nil {
		return nil, err
	}
	sum := sha256.Sum256(base)
	r, s, err := ecdsa.Sign(rand.Reader, key.key, sum[:])
	if err != nil {
		return nil, err
	}
	inputs, signatures := httpsfv.NewDictionary(), httpsfv.NewDictionary()
	inputs.Add("sig1", input)
	raw := make([]byte, 64)
	r.FillBytes(raw[:32])
	s.FillBytes(raw[32:])
	signatures.Add("sig1", httpsfv.NewItem(raw))
	added["Signature-Input"], added["Signature"] = marshal(inputs), marshal(signatures)
	return added, nil
}

// Verify returns the id of the key that signed the message with all required components. Of several signatures
// one has to hold; otherwise the error is that of the first.
func Verify(m Message, keys Keys, now time.Time) (kid string, err error) {
	inputs, signatures := m.Header("signature-input"), m.Header("signature")
	if len(inputs) == 0 || len(signatures) == 0 {
		return "", ErrMissing
	}
	if size(inputs) > maxField || size(signatures) > maxField {
		return "", refuse(ErrInvalid, "the fields are larger than %d bytes", maxField)
	}
	inputList, err := httpsfv.UnmarshalDictionary(inputs)
	if err != nil {
		return "", refuse(ErrInvalid, "Signature-Input is no dictionary")
	}
	signatureList, err := httpsfv.UnmarshalDictionary(signatures)
	if err != nil {
		return "", refuse(ErrInvalid, "Signature is no dictionary")
	}
	labels := inputList.Names()
	if len(labels) == 0 || len(labels) > maxSignatures {
		return "", refuse(ErrInvalid, "%d signatures", len(labels))
	}
	for _, label := range labels {
		id, failed := m.verify(label, inputList, signatureList, keys, now)
		if failed == nil {
			return id, nil
		}
		if err == nil {
			err = failed
		}
	}
	return "", err
}

func size(values []string) (n int) {
	for _, v := range values {
		n += len(v)
	}
	return n
}

// verify checks one signature.
func (m *Message) verify(label string, inputs, signatures *httpsfv.Dictionary, keys Keys, now time.Time) (kid string, err error) {
	member, _ := inputs.Get(label)
	input, isList := member.(httpsfv.InnerList)
	if !isList || len(input.Items) > maxComponents {
		return "", refuse(ErrInvalid, "the components of %s are no list", label)
	}
	member, exists := signatures.Get(label)
	if !exists {
		return "", refuse(ErrMissing, "no signature %s", label)
	}
	item, _ := member.(httpsfv.Item)
	signature, isBytes := item.Value.([]byte)
	if !isBytes {
		return "", refuse(ErrInvalid, "the signature is no byte sequence")
	}
	id, _ := input.Params.Get("keyid")
	kid, _ = id.(string)
	key, exists := keys[kid]
	if !exists {
		return "", refuse(ErrKey, "the sender publishes no key %q", kid)
	}
	if algorithm, sent := input.Params.Get("alg"); key.public == nil || sent && algorithm != key.algorithm.name {
		return "", refuse(ErrAlgorithm, "of key %q", kid)
	}
	if err := inTime(input.Params, now); err != nil {
		return "", err
	}
	if err := m.covered(input); err != nil {
		return "", err
	}
	base, err := m.base(input)
	if err != nil {
		return "", err
	}
	half := key.algorithm.bytes
	if len(signature) != 2*half {
		return "", refuse(ErrInvalid, "the signature has %d bytes, not r and s in %d", len(signature), 2*half)
	}
	r, s := new(big.Int).SetBytes(signature[:half]), new(big.Int).SetBytes(signature[half:])
	if !ecdsa.Verify(key.public, key.algorithm.hash(base), r, s) {
		return "", refuse(ErrInvalid, "key %q did not sign this message", kid)
	}
	return kid, nil
}

// inTime checks the times of a signature, which are optional.
func inTime(p *httpsfv.Params, now time.Time) error {
	for _, name := range []string{"created", "expires"} {
		value, sent := p.Get(name)
		at, isNumber := value.(int64)
		switch {
		case !sent:
		case !isNumber:
			return refuse(ErrInvalid, "%s is no number of seconds", name)
		case name == "created" && at > now.Add(clockSkew).Unix():
			return refuse(ErrInvalid, "it was created in the future")
		case name == "expires" && at < now.Unix():
			return refuse(ErrInvalid, "it has expired")
		}
	}
	return nil
}

// covered refuses a signature that leaves out a required component, and a digest of another body.
func (m *Message) covered(input httpsfv.InnerList) error {
	digested := false
	seen := map[string]bool{}
	for _, item := range input.Items {
		id := marshal(item)
		if seen[id] {
			return refuse(ErrInvalid, "%s is covered twice", id)
		}
		seen[id] = true
		digested = digested || item.Value == "content-digest"
	}
	for _, name := range m.required() {
		if !seen[strconv.Quote(name)] {
			return refuse(ErrInvalid, "the signature does not cover %s", name)
		}
	}
	if !digested {
		return nil
	}
	fields, err := httpsfv.UnmarshalDictionary(m.Header("content-digest"))
	if err != nil {
		return refuse(ErrDigest, "Content-Digest is no dictionary")
	}
	member, _ := fields.Get("sha-256")
	item, _ := member.(httpsfv.Item)
	sent, _ := item.Value.([]byte)
	if sum := sha256.Sum256(m.Body); subtle.ConstantTimeCompare(sent, sum[:]) != 1 {
		return refuse(ErrDigest, "Content-Digest is not the sha-256 of the body")
	}
	return nil
}

// base is what is signed (RFC 9421, 2.5).
func (m *Message) base(input httpsfv.InnerList) ([]byte, error) {
	var b []byte
	for _, item := range input.Items {
		name, isText := item.Value.(string)
		if !isText {
			return nil, refuse(ErrInvalid, "a component is no string")
		}
		value, err := m.component(name, item.Params)
		if err != nil {
			return nil, err
		}
		b = append(append(append(append(b, marshal(item)...), ": "...), value...), '\n')
	}
	return append(append(b, `"@signature-params": `...), marshal(input)...), nil
}

// component returns the value of a component (RFC 9421, 2.1 and 2.2).
func (m *Message) component(name string, params *httpsfv.Params) (string, error) {
	if strings.HasPrefix(name, "@") {
		value, known := m.derived(name)
		if !known || len(params.Names()) > 0 {
			return "", refuse(ErrInvalid, "the component %s is not supported", name)
		}
		return value, nil
	}
	values := m.Header(name)
	if len(values) == 0 || name != strings.ToLower(name) {
		return "", refuse(ErrInvalid, "the message has no field %s", name)
	}
	if key, chosen := params.Get("key"); chosen && len(params.Names()) == 1 {
		text, _ := key.(string)
		return dictionaryMember(name, values, text)
	}
	if len(params.Names()) > 0 {
		return "", refuse(ErrInvalid, "parameters of the component %s are not supported", name)
	}
	values = slices.Clone(values)
	for i := range values {
		values[i] = strings.Trim(values[i], " \t")
	}
	return strings.Join(values, ", "), nil
}

// dictionaryMember returns one member of a field that is a dictionary (RFC 9421, 2.1.2).
func dictionaryMember(name string, values []string, key string) (string, error) {
	fields, err := httpsfv.UnmarshalDictionary(values)
	if err != nil {
		return "", refuse(ErrInvalid, "%s is no dictionary", name)
	}
	switch member, _ := fields.Get(key); v := member.(type) {
	case httpsfv.Item:
		return marshal(v), nil
	case httpsfv.InnerList:
		return marshal(v), nil
	}
	return "", refuse(ErrInvalid, "%s has no member %q", name, key)
}

// derived returns the value of a derived component.
func (m *Message) derived(name string) (value string, known bool) {
	if m.Status != 0 {
		return strconv.Itoa(m.Status), name == "@status"
	}
	authority, path, query := strings.ToLower(m.Authority), m.Path, ""
	authority = strings.TrimSuffix(authority, map[string]string{"https": ":443", "http": ":80"}[m.Scheme])
	if path == "" {
		path = "/"
	}
	if m.Query != "" {
		query = "?" + m.Query
	}
	switch name {
	case "@method":
		return m.Method, true
	case "@authority":
		return authority, true
	case "@path":
		return path, true
	case "@query":
		return "?" + m.Query, true
	case "@scheme":
		return m.Scheme, true
	case "@target-uri":
		return m.Scheme + "://" + authority + path + query, true
	case "@request-target":
		return path + query, true
	}
	return "", false
}
