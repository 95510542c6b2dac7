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

// maxURL is the maximum length of an address in bytes.
const maxURL = 8 << 10

// badPorts speak protocols that an HTTP request could be mistaken for (the Fetch
// Standard, "bad port").
var badPorts = []uint16{
	0, 1, 7, 9, 11, 13, 15, 17, 19, 20, 21, 22, 23, 25, 37, 42, 43, 53, 69, 77, 79, 87, 95, 101, 102, 103, 104, 109, 110, 111, 113, 115,
	117, 119, 123, 135, 137, 139, 143, 161, 179, 389, 427, 465, 512, 513, 514, 515, 526, 530, 531, 532, 540, 548, 554, 556, 563, 587,
	601, 636, 989, 990, 993, 995, 1719, 1720, 1723, 2049, 3659, 4045, 4190, 5060, 5061, 6000, 6566, 6665, 6666, 6667, 6668, 6669, 6679,
	6697, 10080,
}

// ParseURL reads an absolute http or https address, and returns ErrNotAllowed if its text
// alone is not allowed. The addresses of its host are checked when it is dialled.
func ParseURL(raw string) (*url.URL, error) { return parse(raw, false) }

// parse is ParseURL, and accepts localhost if local is set.
func parse(raw string, local bool) (*url.URL, error) {
	if len(raw) > maxURL {
		return nil, fmt.Errorf("%w: it is too long", ErrNotAllowed)
	}
	u, err := url.Parse(raw)
	if err != nil {
		return nil, fmt.Errorf("%w: it is malformed", ErrNotAllowed)
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

// checkHost refuses names of this machine, and the spellings of IPv4 addresses
// that only some resolvers accept: 127.1, 0x7f000001, 2130706433, 0177.0.0.1.
func checkHost(host string, local bool) error {
	if _, err := netip.ParseAddr(host); err == nil {
		return nil // the dialler checks its range, which a test may allow
	}
	// Full-width and circled digits and dots are mapped to plain ones at the look-up, so
	// the name is checked in the form that will be dialled.
	name, err := idna.Lookup.ToASCII(host)
	if err != nil && !isASCII(host) {
		return fmt.Errorf("%w: %s is not a host name", ErrNotAllowed, host)
	} else if err != nil {
		name = host // such as an underscore, which resolvers accept
	}
	if _, err := netip.ParseAddr(name); err == nil {
		return fmt.Errorf("%w: %s is not a valid spelling of an address", ErrNotAllowed, host)
	}
	name = strings.ToLower(strings.TrimSuffix(name, "."))
	last := name[strings.LastIndexByte(name, '.')+1:]
	if numeric(last) {
		return fmt.Errorf("%w: %s is not a valid spelling of an address", ErrNotAllowed, host)
	}
	if last == "localhost" && !local {
		return fmt.Errorf("%w: %s is this machine", ErrNotAllowed, host)
	}
	return nil
}

func isASCII(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return r >= 0x80 })
}

// numeric reports whether the URL Standard treats a label as the end of an IPv4 address.
func numeric(label string) bool {
	if strings.Trim(label, "0123456789") == "" {
		return true
	}
	digits, hex := strings.CutPrefix(label, "0x")
	return hex && strings.Trim(digits, "0123456789abcdef") == ""
}
