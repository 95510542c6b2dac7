package redirect

import (
	"net/netip"
	"strconv"
	"strings"

	"golang.org/x/net/idna"
)

// canonicalAuthority checks the host and port of an external target and converts an
// internationalised host to ASCII. It refuses user info, stars, escapes and anything else that
// browsers interpret differently.
func canonicalAuthority(authority string) (string, bool) {
	host, port := authority, ""
	if i := strings.LastIndexByte(authority, ':'); i >= 0 && i > strings.LastIndexByte(authority, ']') {
		host, port = authority[:i], authority[i:]
		if n, err := strconv.ParseUint(port[1:], 10, 16); err != nil || n == 0 {
			return "", false
		}
	}
	if strings.HasPrefix(host, "[") {
		addr, err := netip.ParseAddr(strings.TrimSuffix(host[1:], "]"))
		return authority, err == nil && addr.Is6() && addr.Zone() == "" && strings.HasSuffix(host, "]")
	}
	ascii, ok := asciiHost(host)
	return ascii + port, ok
}

func asciiHost(host string) (string, bool) {
	for i := range len(host) {
		if host[i] >= 0x80 {
			name, err := idna.Lookup.ToASCII(host)
			if err != nil {
				return "", false
			}
			host = name
			break
		}
	}
	name := strings.TrimSuffix(host, ".")
	if name == "" || len(name) > 253 {
		return "", false
	}
	for label := range strings.SplitSeq(name, ".") {
		if !validLabel(label) {
			return "", false
		}
	}
	// A host that ends in a number must be an IPv4 address.
	last := name[strings.LastIndexByte(name, '.')+1:]
	if _, err := strconv.ParseUint(last, 0, 64); err == nil {
		addr, err := netip.ParseAddr(name)
		return host, err == nil && addr.Is4()
	}
	return host, true
}

func validLabel(label string) bool {
	if label == "" || len(label) > 63 {
		return false
	}
	for i := range len(label) {
		c := lower(label[i])
		if (c < 'a' || c > 'z') && (c < '0' || c > '9') && c != '-' && c != '_' {
			return false
		}
	}
	return true
}
