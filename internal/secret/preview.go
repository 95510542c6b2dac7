package secret

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"
	"time"
)

// Preview is the permission to view the draft of one shop on its storefront, issued by a
// person or a key of the shop. Its signed form needs no row: whether the issuer still has
// access is checked when it is used.
type Preview struct {
	Company int64
	Person  int64
	Key     int64 // 0: issued with a session
	Until   time.Time
}

// Sign encodes the permission as a token for addresses and cookies:
// company-person-key-seconds-mac, where the mac is HMAC-SHA-256 in hexadecimal.
func (p Preview) Sign(with []byte) string {
	text := fmt.Sprintf("%d-%d-%d-%d", p.Company, p.Person, p.Key, p.Until.Unix())
	return text + "-" + previewMark(text, with)
}

// ReadPreview decodes a token that Sign made with the same secret and that has not expired.
// For any other token it reveals nothing, and does no more work than the mac.
func ReadPreview(token string, with []byte, now time.Time) (p Preview, ok bool) {
	cut := strings.LastIndexByte(token, '-')
	if cut < 0 || len(token) > 200 || !hmac.Equal([]byte(token[cut+1:]), []byte(previewMark(token[:cut], with))) {
		return Preview{}, false
	}
	var until int64
	if n, err := fmt.Sscanf(token[:cut], "%d-%d-%d-%d", &p.Company, &p.Person, &p.Key, &until); n != 4 || err != nil {
		return Preview{}, false
	}
	p.Until = time.Unix(until, 0).UTC()
	return p, now.Before(p.Until)
}

func previewMark(text string, with []byte) string {
	mac := hmac.New(sha256.New, with)
	mac.Write([]byte("preview " + text)) // never fails (hash.Hash)
	return hex.EncodeToString(mac.Sum(nil))
}
