package api

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"errors"
)

// derive makes 32 bytes for one purpose out of a token, which has the strength
// of a key of its own.
func derive(token, purpose string) []byte {
	mac := hmac.New(sha256.New, []byte(token))
	mac.Write([]byte("vitrine idempotency " + purpose))
	return mac.Sum(nil)
}

func gcm(key []byte) (cipher.AEAD, error) {
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil, err
	}
	return cipher.NewGCM(block)
}

// seal encrypts with AES-256-GCM; the random nonce stands in front.
func seal(key, plain []byte) ([]byte, error) {
	box, err := gcm(key)
	if err != nil {
		return nil, err
	}
	nonce := make([]byte, box.NonceSize(), box.NonceSize()+len(plain)+box.Overhead())
	if _, err := rand.Read(nonce); err != nil {
		return nil, err
	}
	return box.Seal(nonce, nonce, plain, nil), nil
}

func unseal(key, sealed []byte) ([]byte, error) {
	box, err := gcm(key)
	if err != nil {
		return nil, err
	}
	if len(sealed) < box.NonceSize() {
		return nil, errors.New("a stored answer is damaged")
	}
	return box.Open(nil, sealed[:box.NonceSize()], sealed[box.NonceSize():], nil)
}
