package secret

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"fmt"
	"math/big"
)

// NewCode is six random digits, for people to type. It has 20 bits, so whoever
// takes it counts the tries.
func NewCode() string {
	n, err := rand.Int(rand.Reader, big.NewInt(1_000_000))
	if err != nil {
		panic(err) // rand.Reader never fails (crypto/rand)
	}
	return fmt.Sprintf("%06d", n)
}

// CodeFormed reports whether a text could be a code.
func CodeFormed(code string) bool {
	if len(code) != 6 {
		return false
	}
	for i := range len(code) {
		if code[i] < '0' || code[i] > '9' {
			return false
		}
	}
	return true
}

// CodeHash is how a code is stored: under a secret, since a plain hash of six
// digits hides nothing.
func CodeHash(code string, with []byte) []byte {
	mac := hmac.New(sha256.New, with)
	mac.Write([]byte("code " + code)) // never fails (hash.Hash)
	return mac.Sum(nil)
}

// Equal compares hashes in constant time.
func Equal(a, b []byte) bool { return hmac.Equal(a, b) }
