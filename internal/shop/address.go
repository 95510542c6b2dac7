package shop

import (
	"strconv"
	"strings"
)

// spaces are what stands around an address without being part of it.
const spaces = " \t\r\n\f"

// followed are the beginnings of addresses that an owner's words may lead to.
var followed = [...]string{"/", "#", "https://", "http://", "mailto:", "tel:"}

// Followed passes on an address that a visitor may follow from the words and
// widgets of an owner: a path of the shop, a place on the page, another website,
// a letter, a call. form:<id> becomes the page of the form. Any other scheme, an
// address that names a host without one, and one that browsers read otherwise
// than it is written is none.
func Followed(address string) (url string, ok bool) {
	address = strings.Trim(address, spaces)
	if _, page, ok := FormAddress(address); ok {
		return page, true
	}
	if strings.HasPrefix(address, "//") || strings.ContainsFunc(address, func(r rune) bool { return r < ' ' || r == '\\' || r == 0x7f }) {
		return "", false
	}
	for _, start := range followed {
		if len(address) >= len(start) && strings.EqualFold(address[:len(start)], start) {
			return address, true
		}
	}
	return "", false
}

// PageAddress reads svc:page/<id>, the address of a section whatever its path is
// (document 3, 4.6.8), with the query and fragment behind the id. The id is 0
// where what stands there is none; ok is false for any other address.
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
