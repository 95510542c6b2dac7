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
	ErrSealKey = errors.New("secret: the key is not 32 bytes in base64, nor a list of up to 8 such keys separated by commas")
	ErrSealed  = errors.New("secret: this was not sealed with the server's key")
)

const (
	sealKey     = 32 // bytes
	maxSealKeys = 8
)

// Sealer encrypts data that a server must read again, such as the keys of payment
// providers, so that it is not readable in the database: AES-256-GCM with the server's key.
// While a key is rotated there are several: the first one seals, all of them open.
type Sealer struct{ keys []sealingKey }

type sealingKey struct {
	aead cipher.AEAD
	mark []byte // key for MAC
}

// NewSealer reads a list of keys separated by commas, each of 32 bytes in base64.
func NewSealer(keys string) (*Sealer, error) {
	list := strings.Split(keys, ",")
	if len(list) > maxSealKeys {
		return nil, ErrSealKey
	}
	s := &Sealer{}
	for _, key := range list {
		raw, err := base64.StdEncoding.DecodeString(strings.TrimSpace(key))
		if err != nil || len(raw) != sealKey {
			return nil, ErrSealKey
		}
		block, err := aes.NewCipher(raw)
		if err != nil {
			return nil, err
		}
		aead, err := cipher.NewGCMWithRandomNonce(block)
		if err != nil {
			return nil, err
		}
		mac := hmac.New(sha256.New, raw)
		mac.Write([]byte("marks")) // never fails (hash.Hash)
		s.keys = append(s.keys, sealingKey{aead, mac.Sum(nil)})
	}
	return s, nil
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
// make. Check it with Verify.
func (s *Sealer) MAC(of string) string { return s.keys[0].mac(of) }

// Verify reports whether a MAC was made for an owner with one of the keys.
func (s *Sealer) Verify(mac, of string) bool {
	ok := false
	for _, key := range s.keys {
		ok = Equal([]byte(mac), []byte(key.mac(of))) || ok
	}
	return ok
}

// Fingerprints returns a MAC for an owner by each key, in their order. They identify the keys
// without revealing anything about them.
func (s *Sealer) Fingerprints(of string) (list []string) {
	for _, key := range s.keys {
		list = append(list, key.mac(of))
	}
	return list
}

func (k *sealingKey) mac(of string) string {
	mac := hmac.New(sha256.New, k.mark)
	mac.Write([]byte(of))
	return base64.RawURLEncoding.EncodeToString(mac.Sum(nil)[:24])
}

// Seal encrypts a text. of names its owner and must be the same in Open.
func (s *Sealer) Seal(text []byte, of string) []byte {
	return s.keys[0].aead.Seal(nil, nil, text, []byte(of))
}

// Rotates reports whether there are former keys besides the present one.
func (s *Sealer) Rotates() bool { return len(s.keys) > 1 }

// Reseal returns a sealed text as the present key seals it, and whether a former key had sealed it.
func (s *Sealer) Reseal(sealed []byte, of string) (now []byte, changed bool, err error) {
	if _, err := s.keys[0].aead.Open(nil, nil, sealed, []byte(of)); err == nil {
		return sealed, false, nil
	}
	text, err := s.Open(sealed, of)
	if err != nil {
		return nil, false, err
	}
	return s.Seal(text, of), true, nil
}

// Open decrypts a text that was sealed with one of the keys.
func (s *Sealer) Open(sealed []byte, of string) ([]byte, error) {
	for _, key := range s.keys {
		if text, err := key.aead.Open(nil, nil, sealed, []byte(of)); err == nil {
			return text, nil
		}
	}
	return nil, ErrSealed
}
