package secret

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"fmt"
	"math/big"
)

// NewCode returns six random digits for people to type. A code has only 20 bits, so
// attempts must be counted.
func NewCode() string {
	n, err := rand.Int(rand.Reader, big.NewInt(1_000_000))
	if err != nil {
		panic(err) // rand.Reader never fails (crypto/rand)
	}
	return fmt.Sprintf("%06d", n)
}

// NewPassword returns a password that people can pass on and type: twelve unambiguous letters
// and digits in groups of four. It has 59 bits.
func NewPassword() string {
	const letters = "23456789abcdefghjkmnpqrstuvwxyz"
	word := make([]byte, 0, 14)
	for i := range 12 {
		if i > 0 && i%4 == 0 {
			word = append(word, '-')
		}
		n, err := rand.Int(rand.Reader, big.NewInt(int64(len(letters))))
		if err != nil {
			panic(err) // rand.Reader never fails (crypto/rand)
		}
		word = append(word, letters[n.Int64()])
	}
	return string(word)
}

// IsCode reports whether a text has the form of a code.
func IsCode(code string) bool {
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

// CodeHash is the stored form of a code: keyed with a secret, since a plain hash of six
// digits can be reversed.
func CodeHash(code string, with []byte) []byte {
	mac := hmac.New(sha256.New, with)
	mac.Write([]byte("code " + code)) // never fails (hash.Hash)
	return mac.Sum(nil)
}

// Equal compares hashes in constant time.
func Equal(a, b []byte) bool { return hmac.Equal(a, b) }
