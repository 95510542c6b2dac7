package outbound

import (
	"fmt"
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/net/idna"
)

// maxURL is how many bytes an address may have.
const maxURL = 8 << 10

// badPorts speak protocols that an HTTP request could be mistaken for (the Fetch
// Standard, "bad port").
var badPorts = []uint16{
	0, 1, 7, 9, 11, 13, 15, 17, 19, 20, 21, 22, 23, 25, 37, 42, 43, 53, 69, 77, 79, 87, 95, 101, 102, 103, 104, 109, 110, 111, 113, 115,
	117, 119, 123, 135, 137, 139, 143, 161, 179, 389, 427, 465, 512, 513, 514, 515, 526, 530, 531, 532, 540, 548, 554, 556, 563, 587,
	601, 636, 989, 990, 993, 995, 1719, 1720, 1723, 2049, 3659, 4045, 4190, 5060, 5061, 6000, 6566, 6665, 6666, 6667, 6668, 6669, 6679,
	6697, 10080,
}

// ParseURL reads an absolute http or https address and refuses with
// ErrNotAllowed what is wrong with it already as text. What its name leads to is
// checked when it is dialled.
func ParseURL(raw string) (*url.URL, error) { return parse(raw, false) }

// parse is ParseURL, and takes localhost where this machine may be called.
func parse(raw string, local bool) (*url.URL, error) {
	if len(raw) > maxURL {
		return nil, fmt.Errorf("%w: it is too long", ErrNotAllowed)
	}
	u, err := url.Parse(raw)
	if err != nil {
		return nil, fmt.Errorf("%w: it cannot be read", ErrNotAllowed)
	}
	return u, checkURL(u, local)
}

func checkURL(u *url.URL, local bool) error {
	switch {
	case u.Scheme != "http" && u.Scheme != "https":
		return fmt.Errorf("%w: only http and https", ErrNotAllowed)
	case u.User != nil:
		return fmt.Errorf("%w: it names a user", ErrNotAllowed)
	case u.Hostname() == "":
		return fmt.Errorf("%w: it names no host", ErrNotAllowed)
	}
	if text := u.Port(); text != "" || strings.HasSuffix(u.Host, ":") {
		port, err := strconv.ParseUint(text, 10, 16)
		if err != nil || slices.Contains(badPorts, uint16(port)) {
			return fmt.Errorf("%w: port %q", ErrNotAllowed, text)
		}
	}
	return checkHost(u.Hostname(), local)
}

// checkHost refuses names that never leave the machine, and the spellings of
// IPv4 addresses that some resolvers read and others do not: 127.1, 0x7f000001,
// 2130706433, 0177.0.0.1.
func checkHost(host string, local bool) error {
	if _, err := netip.ParseAddr(host); err == nil {
		return nil // looked at with its range by the dialler, where a test may allow it
	}
	// Full-width and circled digits and dots are mapped to plain ones when the name is
	// looked up, so the name is judged as it will be dialled.
	name, err := idna.Lookup.ToASCII(host)
	if err != nil && !isASCII(host) {
		return fmt.Errorf("%w: %s is no name of a host", ErrNotAllowed, host)
	} else if err != nil {
		name = host // an underscore, say, which resolvers take
	}
	if _, err := netip.ParseAddr(name); err == nil {
		return fmt.Errorf("%w: %s is no way to write an address", ErrNotAllowed, host)
	}
	name = strings.ToLower(strings.TrimSuffix(name, "."))
	last := name[strings.LastIndexByte(name, '.')+1:]
	if numeric(last) {
		return fmt.Errorf("%w: %s is no way to write an address", ErrNotAllowed, host)
	}
	if last == "localhost" && !local {
		return fmt.Errorf("%w: %s is this machine", ErrNotAllowed, host)
	}
	return nil
}

func isASCII(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return r >= 0x80 })
}

// numeric reports a label that the URL Standard takes for the end of an IPv4
// address.
func numeric(label string) bool {
	if strings.Trim(label, "0123456789") == "" {
		return true
	}
	digits, hex := strings.CutPrefix(label, "0x")
	return hex && strings.Trim(digits, "0123456789abcdef") == ""
}
