package shop

import (
	"strconv"
	"strings"
)

// FormPrefix is the prefix of the pages of lead forms, before the id.
const FormPrefix = "/_vitrine/form/"

// FormAddress parses form:<id>, the address of a lead form inside documents and widgets
// (document 3, 4.6.8). It returns the form and its page on the storefront with the query
// and fragment after the id; the scheme is case-insensitive. ok is false for any other
// address.
func FormAddress(address string) (id FormID, page string, ok bool) {
	rest, ok := CutForm(address)
	if !ok {
		return 0, "", false
	}
	rest = strings.TrimRight(rest, " \t\r\n\f")
	digits, tail := rest, ""
	if i := strings.IndexAny(rest, "?#"); i >= 0 {
		digits, tail = rest[:i], rest[i:]
	}
	n, err := strconv.ParseInt(digits, 10, 64)
	if err != nil || n <= 0 || digits[0] == '+' {
		return 0, "", false
	}
	id = FormID(n)
	return id, FormPrefix + id.String() + tail, true
}

// CutForm returns the part of an address after the scheme form:.
func CutForm(address string) (rest string, ok bool) {
	const scheme = "form:"
	address = strings.TrimLeft(address, " \t\r\n\f")
	if len(address) < len(scheme) || !strings.EqualFold(address[:len(scheme)], scheme) {
		return "", false
	}
	return address[len(scheme):], true
}
