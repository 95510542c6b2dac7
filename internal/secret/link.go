package secret

import (
	"crypto/hmac"
	"crypto/sha256"
)

// The links that a server signs for a shop have a key of their own, derived from the server's key. Another
// server that the shop has moved to gets it, to check links that were given out before. It opens
// nothing and signs nothing else.

// LinkMAC is MAC for a link of a shop.
func (s *Sealer) LinkMAC(shop, of string) string { return s.keys[0].links(shop).mac(of) }

// VerifyLink reports whether a MAC was made by LinkMAC with one of the keys, or by MAC.
func (s *Sealer) VerifyLink(shop, mac, of string) bool {
	ok := s.Verify(mac, of)
	for _, key := range s.keys {
		ok = Equal([]byte(mac), []byte(key.links(shop).mac(of))) || ok
	}
	return ok
}

// LinkKeys returns what VerifyMovedLink needs to check the links of a shop.
func (s *Sealer) LinkKeys(shop string) (keys []byte) {
	for _, key := range s.keys {
		keys = append(keys, key.links(shop).mark...)
	}
	return keys
}

// VerifyMovedLink reports whether a MAC was made by LinkMAC of the server that LinkKeys are from.
func VerifyMovedLink(keys []byte, mac, of string) (ok bool) {
	for ; len(keys) >= sha256.Size; keys = keys[sha256.Size:] {
		key := sealingKey{mark: keys[:sha256.Size]}
		ok = Equal([]byte(mac), []byte(key.mac(of))) || ok
	}
	return ok
}

func (k *sealingKey) links(shop string) *sealingKey {
	mac := hmac.New(sha256.New, k.mark)
	mac.Write([]byte("links of shop " + shop))
	return &sealingKey{mark: mac.Sum(nil)}
}
