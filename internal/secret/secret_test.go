package secret_test

import (
	"bytes"
	"strings"
	"testing"

	"vitrine/internal/secret"
)

func TestSecretsAreUniqueAndRecognisable(t *testing.T) {
	token, hash, err := secret.New(secret.Key)
	if err != nil || !strings.HasPrefix(token, "vt_") || len(token) != 39 {
		t.Fatalf("%q, %v", token, err)
	}
	other, otherHash, err := secret.New(secret.Key)
	if err != nil || token == other || bytes.Equal(hash, otherHash) {
		t.Error("two secrets are alike")
	}
	if !bytes.Equal(hash, secret.Hash(token)) {
		t.Error("Hash differs from the hash returned by New")
	}
	if !secret.WellFormed(token, secret.Key) || secret.WellFormed(token, secret.Session) {
		t.Error("WellFormed does not check the prefix")
	}
	flipped := []byte(token)
	flipped[10] ^= 1
	for _, bad := range []string{string(flipped), token[:38], token + "x", "vt_", ""} {
		if secret.WellFormed(bad, secret.Key) {
			t.Errorf("%q is accepted as a key", bad)
		}
	}
}

func TestPasswords(t *testing.T) {
	phc, err := secret.HashPassword("correct horse")
	if err != nil || !strings.HasPrefix(phc, "$argon2id$v=19$m=19456,t=2,p=1$") {
		t.Fatalf("%q, %v", phc, err)
	}
	if !secret.CheckPassword(phc, "correct horse") || secret.CheckPassword(phc, "correct horsf") {
		t.Error("CheckPassword does not distinguish right and wrong passwords")
	}
	for _, bad := range []string{"", "$argon2id$", strings.Replace(phc, "argon2id", "argon2i", 1), strings.Replace(phc, "m=19456", "m=99999999", 1), phc[:len(phc)-60] + "$$"} {
		if secret.CheckPassword(bad, "correct horse") {
			t.Errorf("%q was accepted", bad)
		}
	}
}
