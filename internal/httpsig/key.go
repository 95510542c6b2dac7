package httpsig

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"crypto/sha512"
	"crypto/x509"
	"encoding/base64"
	"errors"
)

// JWK is a public key as a profile publishes it (RFC 7517).
type JWK struct {
	ID        string `json:"kid" len:"200"`
	Type      string `json:"kty" len:"20"`
	Curve     string `json:"crv,omitempty" len:"20"`
	X         string `json:"x,omitempty" len:"200"`
	Y         string `json:"y,omitempty" len:"200"`
	Use       string `json:"use,omitempty" len:"20"`
	Algorithm string `json:"alg,omitempty" len:"20"`
}

type algorithm struct {
	name  string // in the registry of RFC 9421
	curve elliptic.Curve
	bytes int // of a coordinate, of r and of s
	hash  func([]byte) []byte
}

var algorithms = map[string]*algorithm{
	"P-256": {"ecdsa-p256-sha256", elliptic.P256(), 32, func(b []byte) []byte { sum := sha256.Sum256(b); return sum[:] }},
	"P-384": {"ecdsa-p384-sha384", elliptic.P384(), 48, func(b []byte) []byte { sum := sha512.Sum384(b); return sum[:] }},
}

// Keys are the public keys of a sender by their id.
type Keys map[string]publicKey

// publicKey is a key to verify with; public is nil for a key of a type or curve that is not supported, which
// its sender may use for others.
type publicKey struct {
	public    *ecdsa.PublicKey
	algorithm *algorithm
}

// ParseKeys reads the keys of a profile. If an id is listed twice, the first that can be used counts.
func ParseKeys(list []JWK) Keys {
	keys := make(Keys, len(list))
	for _, k := range list {
		if keys[k.ID].public == nil && k.ID != "" {
			keys[k.ID] = k.parse()
		}
	}
	return keys
}

// Public returns the key with an id; nil if there is none to verify with.
func (k Keys) Public(id string) *ecdsa.PublicKey { return k[id].public }

// parse returns the key, or an empty one if it cannot be used to verify.
func (k JWK) parse() publicKey {
	a := algorithms[k.Curve]
	if k.Type != "EC" || a == nil || k.Use != "" && k.Use != "sig" {
		return publicKey{}
	}
	point := []byte{4} // uncompressed (SEC 1, 2.3.3)
	for _, text := range []string{k.X, k.Y} {
		coordinate, err := base64.RawURLEncoding.Strict().DecodeString(text)
		if err != nil || len(coordinate) != a.bytes {
			return publicKey{}
		}
		point = append(point, coordinate...)
	}
	public, err := ecdsa.ParseUncompressedPublicKey(a.curve, point)
	if err != nil {
		return publicKey{}
	}
	return publicKey{public, a}
}

// Private is a key to sign with, on P-256.
type Private struct {
	Public JWK // as a profile publishes it
	key    *ecdsa.PrivateKey
}

// NewKey makes a key.
func NewKey() (Private, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return Private{}, err
	}
	return private(key)
}

// ParseKey reads a key that Bytes wrote.
func ParseKey(der []byte) (Private, error) {
	key, err := x509.ParsePKCS8PrivateKey(der)
	if err != nil {
		return Private{}, err
	}
	if on256, isEC := key.(*ecdsa.PrivateKey); isEC && on256.Curve == elliptic.P256() {
		return private(on256)
	}
	return Private{}, errors.New("the key is not on P-256")
}

// private derives the public part. The id is its hash (RFC 7638), so no two keys share one.
func private(key *ecdsa.PrivateKey) (p Private, err error) {
	point, err := key.PublicKey.Bytes()
	if err != nil {
		return p, err
	}
	text := base64.RawURLEncoding.EncodeToString
	k := JWK{Type: "EC", Curve: "P-256", X: text(point[1:33]), Y: text(point[33:]), Use: "sig", Algorithm: "ES256"}
	sum := sha256.Sum256([]byte(`{"crv":"P-256","kty":"EC","x":"` + k.X + `","y":"` + k.Y + `"}`))
	k.ID = text(sum[:])
	return Private{Public: k, key: key}, nil
}

// Bytes returns the key for storing it, sealed.
func (p Private) Bytes() ([]byte, error) { return x509.MarshalPKCS8PrivateKey(p.key) }
