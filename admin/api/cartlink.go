package api

import (
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"
	"time"

	"vitrine/internal/secret"
	"vitrine/internal/shop"
)

// Reminders of carts that were left have two links: one opens the cart on any device, the other ends
// the reminders of a shop to an address. Both are signed for one shop; neither is a session.

// CartLinkLife is how long the link of a cart is valid.
const CartLinkLife = 30 * 24 * time.Hour

// CartKey returns the key in the link that opens a cart until a moment.
func CartKey(s *secret.Sealer, company shop.CompanyID, cart int64, until time.Time) string {
	text := fmt.Sprintf("%d.%d", cart, until.Unix())
	return text + "." + s.MAC(fmt.Sprintf("cart %d %s", company, text))
}

// ReadCartKey returns the cart that a key opens in a shop.
func ReadCartKey(s *secret.Sealer, company shop.CompanyID, key string, now time.Time) (cart int64, ok bool) {
	text, mac, _ := cutLast(key, '.')
	id, end, _ := strings.Cut(text, ".")
	cart, err := strconv.ParseInt(id, 10, 64)
	until, wrong := strconv.ParseInt(end, 10, 64)
	if err != nil || wrong != nil || !s.Verify(mac, fmt.Sprintf("cart %d %s", company, text)) {
		return 0, false
	}
	return cart, now.Unix() <= until
}

// RefusalKey returns the key in the link that ends the reminders of a shop to an address, by its hash.
func RefusalKey(s *secret.Sealer, company shop.CompanyID, recipient []byte) string {
	text := hex.EncodeToString(recipient)
	return text + "." + s.MAC(fmt.Sprintf("no reminders %d %s", company, text))
}

// ReadRefusalKey returns the hash of the address of such a key.
func ReadRefusalKey(s *secret.Sealer, company shop.CompanyID, key string) (recipient []byte, ok bool) {
	text, mac, _ := strings.Cut(key, ".")
	recipient, err := hex.DecodeString(text)
	return recipient, err == nil && len(recipient) > 0 && s.Verify(mac, fmt.Sprintf("no reminders %d %s", company, text))
}

func cutLast(text string, at byte) (before, after string, found bool) {
	if i := strings.LastIndexByte(text, at); i >= 0 {
		return text[:i], text[i+1:], true
	}
	return text, "", false
}
