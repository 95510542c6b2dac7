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
	return text + "." + LinkMAC(s, company, linkOf("cart", text))
}

// linkOf is what a link of a kind is about.
func linkOf(kind, text string) func(shop.CompanyID) string {
	return func(company shop.CompanyID) string { return fmt.Sprintf("%s %d %s", kind, company, text) }
}

// ReadCartKey returns the cart that a key opens in a shop.
func ReadCartKey(check LinkCheck, key string, now time.Time) (cart int64, ok bool) {
	text, mac, _ := cutLast(key, '.')
	id, end, _ := strings.Cut(text, ".")
	cart, err := strconv.ParseInt(id, 10, 64)
	until, wrong := strconv.ParseInt(end, 10, 64)
	if err != nil || wrong != nil || !check(mac, linkOf("cart", text)) {
		return 0, false
	}
	return cart, now.Unix() <= until
}

// RefusalKey returns the key in the link that ends the reminders of a shop to an address, by its hash.
func RefusalKey(s *secret.Sealer, company shop.CompanyID, recipient []byte) string {
	text := hex.EncodeToString(recipient)
	return text + "." + LinkMAC(s, company, linkOf("no reminders", text))
}

// ReadRefusalKey returns the hash of the address of such a key.
func ReadRefusalKey(check LinkCheck, key string) (recipient []byte, ok bool) {
	text, mac, _ := strings.Cut(key, ".")
	recipient, err := hex.DecodeString(text)
	return recipient, err == nil && len(recipient) > 0 && check(mac, linkOf("no reminders", text))
}

func cutLast(text string, at byte) (before, after string, found bool) {
	if i := strings.LastIndexByte(text, at); i >= 0 {
		return text[:i], text[i+1:], true
	}
	return text, "", false
}
