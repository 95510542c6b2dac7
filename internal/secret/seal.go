package secret

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// Errors of sealing, matched with errors.Is.
var (
	ErrSealKey = errors.New("secret: the key is not 32 bytes in base64")
	ErrSealed  = errors.New("secret: this was not sealed with the server's key")
)

const sealKey = 32 // bytes

// Sealer encrypts data that a server must read again, such as the keys of payment
// providers, so that it is not readable in the database: AES-256-GCM with the server's key.
type Sealer struct {
	aead cipher.AEAD
	mark []byte // key for Mark
}

// NewSealer reads a key of 32 bytes in base64.
func NewSealer(key string) (*Sealer, error) {
	raw, err := base64.StdEncoding.DecodeString(strings.TrimSpace(key))
	if err != nil || len(raw) != sealKey {
		return nil, ErrSealKey
	}
	block, err := aes.NewCipher(raw)
	if err != nil {
		return nil, err
	}
	aead, err := cipher.NewGCMWithRandomNonce(block)
	mac := hmac.New(sha256.New, raw)
	mac.Write([]byte("marks")) // never fails (hash.Hash)
	return &Sealer{aead, mac.Sum(nil)}, err
}

// SealKey returns the key in a file, which is created with a new key if it does not exist.
// If several processes create it at once, all use the same one.
func SealKey(file string) (string, error) {
	data, err := os.ReadFile(file)
	if !errors.Is(err, fs.ErrNotExist) {
		return string(data), err
	}
	raw := make([]byte, sealKey)
	if _, err := rand.Read(raw); err != nil {
		return "", err
	}
	fresh, err := os.CreateTemp(filepath.Dir(file), ".key-*") // 0600
	if err != nil {
		return "", err
	}
	defer os.Remove(fresh.Name()) //nolint:errcheck // the key is linked under its final name by then
	_, err = fresh.WriteString(base64.StdEncoding.EncodeToString(raw) + "\n")
	if err := errors.Join(err, fresh.Sync(), fresh.Close()); err != nil {
		return "", err
	}
	if err := os.Link(fresh.Name(), file); err != nil && !errors.Is(err, fs.ErrExist) {
		return "", err
	}
	data, err = os.ReadFile(file)
	return string(data), err
}

// MAC returns a MAC of 32 URL-safe characters for an owner, which only this server can
// make. Compare it with Equal.
func (s *Sealer) MAC(of string) string {
	mac := hmac.New(sha256.New, s.mark)
	mac.Write([]byte(of))
	return base64.RawURLEncoding.EncodeToString(mac.Sum(nil)[:24])
}

// Seal encrypts a text. of names its owner and must be the same in Open.
func (s *Sealer) Seal(text []byte, of string) []byte {
	return s.aead.Seal(nil, nil, text, []byte(of))
}

// Open decrypts a sealed text.
func (s *Sealer) Open(sealed []byte, of string) ([]byte, error) {
	text, err := s.aead.Open(nil, nil, sealed, []byte(of))
	if err != nil {
		return nil, ErrSealed
	}
	return text, nil
}
