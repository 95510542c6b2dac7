// Package forwarded determines which client sent a request that came through proxies.
//
// Headers about the origin of a request count only as far as they were written by proxies
// that the operator trusts (CONTRACT, VITRINE_TRUSTED_PROXIES). The walk starts at the
// socket's address. While the address is a trusted one, the header entry that it appended
// is believed, from the right:
//
//	X-Forwarded-For: 6.6.6.6, 203.0.113.9, 10.0.0.2      from the socket of 10.0.0.1
//	                 forged   the client   trusted       trusted
//
// The first address that is not trusted is the client; anybody may have written the entries
// to its left. An entry that is no address (unknown, _hidden, garbage) ends the walk at the
// proxy that wrote it, and so does the end of the list or a list of more than 16 trusted
// hops. For a request from an untrusted socket the client is the socket's address, whatever
// the headers contain.
//
// Proxies write X-Forwarded-For or Forwarded (RFC 7239) and pass the other one on as the
// client sent it. If a request has both, it is unknown which of them is forged: they count
// only if they name the same client. Otherwise the client is the proxy's address, and
// clients that forge the second header share one budget.
//
// Addresses are for budgets and statistics. No host or link is built from a header, and
// this package reads neither X-Forwarded-Host nor -Port.
package forwarded

import (
	"fmt"
	"net"
	"net/netip"
	"strings"

	"github.com/valyala/fasthttp"
)

const (
	maxProxies = 64 // networks in the setting
	maxHops    = 16 // trusted proxies between the client and this server
)

// Proxies are the networks whose headers about the origin of a request are trusted; none by
// default.
type Proxies []netip.Prefix

// Parse reads networks and single addresses separated by commas or spaces, at most 64.
func Parse(text string) (list Proxies, err error) {
	for _, field := range strings.FieldsFunc(text, func(r rune) bool { return r == ',' || r == ' ' || r == '\t' || r == '\n' }) {
		network, err := parseNetwork(field)
		if err != nil {
			return nil, err
		}
		if list = append(list, network); len(list) > maxProxies {
			return nil, fmt.Errorf("more than %d trusted networks", maxProxies)
		}
	}
	return list, nil
}

func parseNetwork(text string) (netip.Prefix, error) {
	if !strings.Contains(text, "/") {
		a, err := netip.ParseAddr(text)
		if err != nil || a.Zone() != "" {
			return netip.Prefix{}, fmt.Errorf("%q is not an address or network", text)
		}
		a = a.Unmap()
		return netip.PrefixFrom(a, a.BitLen()), nil
	}
	p, err := netip.ParsePrefix(text)
	if err != nil {
		return netip.Prefix{}, fmt.Errorf("%q is not a network", text)
	}
	if p.Addr().Is4In6() && p.Bits() >= 96 {
		p = netip.PrefixFrom(p.Addr().Unmap(), p.Bits()-96)
	}
	return p.Masked(), nil
}

// trusts reports whether an address is trusted. It must be unmapped.
func (p Proxies) trusts(a netip.Addr) bool {
	for _, network := range p {
		if network.Contains(a) {
			return true
		}
	}
	return false
}

// Client is the sender of a request.
type Client struct {
	Address netip.Addr // never an IPv4-mapped IPv6 address
	HTTPS   bool       // a trusted proxy reports that the client used TLS
}

// Network is the key of a client's budget: an IPv4 address, or the /64 of an IPv6 address,
// within which one client can use any address.
func (c Client) Network() netip.Prefix {
	bits := c.Address.BitLen()
	if c.Address.Is6() {
		bits = 64
	}
	network, err := c.Address.Prefix(bits)
	if err != nil {
		return netip.Prefix{} // the zero Client
	}
	return network
}

// Socket returns the client as the remote address of a connection, for a request made on
// behalf of a visitor.
func (c Client) Socket() net.Addr {
	return net.TCPAddrFromAddrPort(netip.AddrPortFrom(c.Address, 0))
}

// Client returns the sender of a request.
func (p Proxies) Client(rc *fasthttp.RequestCtx) Client {
	socket := socketOf(rc)
	if !p.trusts(socket) {
		return Client{Address: socket}
	}
	return p.resolve(socket, func(name string) (lines []string) {
		for _, line := range rc.Request.Header.PeekAll(name) {
			lines = append(lines, string(line))
		}
		return lines
	})
}

// socketOf is the only reader of the socket's address; a connection without one counts as
// 0.0.0.0.
func socketOf(rc *fasthttp.RequestCtx) netip.Addr {
	if tcp, ok := rc.RemoteAddr().(*net.TCPAddr); ok {
		if a := tcp.AddrPort().Addr(); a.IsValid() {
			return a.Unmap().WithZone("")
		}
	}
	return netip.IPv4Unspecified()
}

// Socket returns the address that a request came from, and whether it is trusted. To
// recognize returning clients no Client is needed: two requests from one trusted socket
// come from the same client if all their Hop headers are equal.
func (p Proxies) Socket(rc *fasthttp.RequestCtx) (socket netip.Addr, trusted bool) {
	socket = socketOf(rc)
	return socket, p.trusts(socket)
}

// maxTraceparent is the length of a header of version 00; later ones may be longer.
const maxTraceparent = 55

// Traceparent returns the trace (W3C Trace Context) that a trusted proxy has begun, empty for
// requests from elsewhere.
func (p Proxies) Traceparent(rc *fasthttp.RequestCtx) string {
	if len(p) == 0 || !p.trusts(socketOf(rc)) {
		return ""
	}
	value := rc.Request.Header.Peek("Traceparent")
	if len(value) != maxTraceparent {
		return ""
	}
	return string(value)
}

// IsHopHeader reports whether a header, by its canonical name, contains addresses of the origin of
// a request.
func IsHopHeader(name []byte) bool {
	return string(name) == "X-Forwarded-For" || string(name) == "Forwarded"
}

// resolve reads the headers of a request from a trusted socket.
func (p Proxies) resolve(socket netip.Addr, header func(name string) []string) Client {
	hops := listed(header("X-Forwarded-For"))
	standard := elements(header("Forwarded"))
	c := Client{Address: p.walk(socket, hops)}
	if len(standard) > 0 {
		other := p.walk(socket, nodes(standard))
		switch {
		case len(hops) == 0:
			c.Address = other
		case other != c.Address:
			c.Address = socket
		}
	}
	c.HTTPS = https(listed(header("X-Forwarded-Proto")), standard)
	return c
}

// walk follows the hops, nearest first, as long as the current one is trusted and names the
// next.
func (p Proxies) walk(at netip.Addr, hops []string) netip.Addr {
	for _, hop := range hops {
		if !p.trusts(at) {
			return at
		}
		next, ok := address(hop)
		if !ok {
			return at
		}
		at = next
	}
	return at
}

// https reports whether the nearest proxy names https, in either header. If the two
// contradict each other it returns false.
func https(protos []string, standard []element) bool {
	said := ""
	if len(protos) > 0 {
		said = protos[0]
	}
	if len(standard) > 0 && standard[0].proto != "" {
		if said != "" && !strings.EqualFold(said, standard[0].proto) {
			return false
		}
		said = standard[0].proto
	}
	return strings.EqualFold(said, "https")
}
