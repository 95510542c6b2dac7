// Package secret creates, recognizes and hashes secrets: keys, session tokens, upload
// addresses, passwords and PINs.
package secret

import (
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"fmt"
	"hash/crc32"
	"math/big"
	"strings"

	"golang.org/x/crypto/argon2"
)

// Secrets have a prefix with their kind, 30 random letters and a checksum, so that a
// scanner can distinguish a leaked key from noise: vt_<30 base62><6 base62 of CRC-32>.
const (
	Key     = "vt_"
	Session = "vs_"
	Upload  = "vu_"

	Invitation = "vi_"
	Reset      = "vr_"

	// Shopping is the token that a shop gives to an assistant.
	Shopping = "vp_"

	// Of OAuth: a code is exchanged for an access token and a refresh token.
	Code    = "vc_"
	Access  = "va_"
	Refresh = "vf_"

	// Assistant is an access token of an assistant that a buyer has linked. The prefix is not that of
	// Access, so that what identifies callers of the admin API does not even look for it.
	Assistant = "vb_"

	alphabet = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
)

// New returns a secret and the hash under which it is stored. The secret has 178 bits of
// entropy, so a plain SHA-256 suffices.
func New(prefix string) (secret string, hash []byte, err error) {
	body := make([]byte, 30)
	for i := range body {
		n, err := rand.Int(rand.Reader, big.NewInt(int64(len(alphabet))))
		if err != nil {
			return "", nil, err
		}
		body[i] = alphabet[n.Int64()]
	}
	secret = prefix + string(body) + checksum(string(body))
	return secret, Hash(secret), nil
}

// WellFormed reports whether a text has the form of a secret with that prefix, so that a
// typing error costs no database call.
func WellFormed(secret, prefix string) bool {
	body, ok := strings.CutPrefix(secret, prefix)
	return ok && len(body) == 36 && subtle.ConstantTimeCompare([]byte(checksum(body[:30])), []byte(body[30:])) == 1
}

func checksum(body string) string {
	n := crc32.ChecksumIEEE([]byte(body))
	out := make([]byte, 6)
	for i := range out {
		out[len(out)-1-i] = alphabet[n%62]
		n /= 62
	}
	return string(out)
}

// Hash is the stored form of a secret.
func Hash(secret string) []byte {
	sum := sha256.Sum256([]byte(secret))
	return sum[:]
}

// argon2id parameters: 19 MiB, two passes, one lane.
const (
	argonMemory = 19 << 10
	argonTime   = 2
)

// HashPassword hashes a password or a PIN with argon2id and returns a PHC string.
func HashPassword(password string) (string, error) {
	salt := make([]byte, 16)
	if _, err := rand.Read(salt); err != nil {
		return "", err
	}
	sum := argon2.IDKey([]byte(password), salt, argonTime, argonMemory, 1, 32)
	enc := base64.RawStdEncoding.EncodeToString
	return fmt.Sprintf("$argon2id$v=19$m=%d,t=%d,p=1$%s$%s", argonMemory, argonTime, enc(salt), enc(sum)), nil
}

// HashShared hashes a password with a salt shared by several passwords, at the cost of
// HashPassword: one computation finds which of them it is.
func HashShared(password string, salt []byte) []byte {
	return argon2.IDKey([]byte(password), salt, argonTime, argonMemory, 1, 32)
}

// CheckPassword compares a password with a PHC string in constant time.
func CheckPassword(phc, password string) bool {
	parts := strings.Split(phc, "$")
	if len(parts) != 6 || parts[1] != "argon2id" {
		return false
	}
	var memory, time uint32
	if _, err := fmt.Sscanf(parts[3], "m=%d,t=%d,p=1", &memory, &time); err != nil || memory > 1<<20 || time > 16 {
		return false
	}
	salt, err1 := base64.RawStdEncoding.DecodeString(parts[4])
	want, err2 := base64.RawStdEncoding.DecodeString(parts[5])
	if err1 != nil || err2 != nil || len(want) == 0 {
		return false
	}
	got := argon2.IDKey([]byte(password), salt, time, memory, 1, uint32(len(want)))
	return subtle.ConstantTimeCompare(got, want) == 1
}
