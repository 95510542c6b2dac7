package shop

import (
	"strconv"
	"strings"
)

// spaces are ignored around an address.
const spaces = " \t\r\n\f"

// safePrefixes are the allowed prefixes of addresses in an owner's texts.
var safePrefixes = [...]string{"/", "#", "https://", "http://", "mailto:", "tel:"}

// SafeLink checks an address in an owner's texts and widgets that a visitor may follow, and
// returns its URL: a path of the shop, an anchor, another website, an e-mail, a phone
// number. form:<id> becomes the page of the form. It rejects any other scheme, an address
// with a host but no scheme, and one that browsers read differently from how it is written.
func SafeLink(address string) (url string, ok bool) {
	address = strings.Trim(address, spaces)
	if _, page, ok := FormAddress(address); ok {
		return page, true
	}
	if strings.HasPrefix(address, "//") || strings.ContainsFunc(address, func(r rune) bool { return r < ' ' || r == '\\' || r == 0x7f }) {
		return "", false
	}
	for _, start := range safePrefixes {
		if len(address) >= len(start) && strings.EqualFold(address[:len(start)], start) {
			return address, true
		}
	}
	return "", false
}

// PageAddress parses svc:page/<id>, the address of a section independent of its path
// (document 3, 4.6.8), with the query and fragment after the id. The id is 0 if it is
// invalid; ok is false for any other address.
func PageAddress(address string) (id CategoryID, tail string, ok bool) {
	const prefix = "svc:page/"
	rest := strings.Trim(address, spaces)
	if len(rest) < len(prefix) || !strings.EqualFold(rest[:len(prefix)], prefix) {
		return 0, "", false
	}
	rest = rest[len(prefix):]
	if i := strings.IndexAny(rest, "?#"); i >= 0 {
		rest, tail = rest[:i], rest[i:]
	}
	if n, err := strconv.ParseInt(rest, 10, 64); err == nil && n > 0 {
		id = CategoryID(n)
	}
	return id, tail, true
}
