package forwarded

import (
	"net"
	"net/netip"
	"slices"
	"strings"
	"testing"

	"github.com/valyala/fasthttp"
	"pgregory.net/rapid"
)

func mustParse(t testing.TB, text string) Proxies {
	t.Helper()
	p, err := Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// from returns the client of a request with header lines from a socket.
func from(p Proxies, socket string, lines ...string) Client {
	var rc fasthttp.RequestCtx
	rc.Init(&fasthttp.Request{}, net.TCPAddrFromAddrPort(netip.AddrPortFrom(netip.MustParseAddr(socket), 4711)), nil)
	for _, line := range lines {
		name, value, _ := strings.Cut(line, ": ")
		rc.Request.Header.Add(name, value)
	}
	return p.Client(&rc)
}

func TestClientAddress(t *testing.T) {
	t.Parallel()
	p := mustParse(t, "10.0.0.0/8, 2001:db8:f::/48 192.0.2.1")
	hops := func(n int) string { return strings.Repeat("6.6.6.6, ", n) }
	for _, c := range []struct {
		name, socket string
		lines        []string
		want         string
	}{
		{"no header", "10.0.0.1", nil, "10.0.0.1"},
		{"one hop", "10.0.0.1", []string{"X-Forwarded-For: 203.0.113.9"}, "203.0.113.9"},
		{"headers from an untrusted socket are ignored", "198.51.100.7", []string{"X-Forwarded-For: 203.0.113.9", "Forwarded: for=203.0.113.9"}, "198.51.100.7"},
		{"next to the trusted one", "192.0.2.2", []string{"X-Forwarded-For: 203.0.113.9"}, "192.0.2.2"},
		{"a single address is a network", "192.0.2.1", []string{"X-Forwarded-For: 203.0.113.9"}, "203.0.113.9"},
		{"left of the client is forged", "10.0.0.1", []string{"X-Forwarded-For: 6.6.6.6, 203.0.113.9"}, "203.0.113.9"},
		{"a trusted address left of the client is forged", "10.0.0.1", []string{"X-Forwarded-For: 10.0.0.9, 203.0.113.9, 10.0.0.2"}, "203.0.113.9"},
		{"a chain of trusted ones", "10.0.0.1", []string{"X-Forwarded-For: 203.0.113.9, 10.0.0.3, 10.0.0.2"}, "203.0.113.9"},
		{"all are trusted", "10.0.0.1", []string{"X-Forwarded-For: 10.0.0.3, 10.0.0.2"}, "10.0.0.3"},
		{"several lines are one list", "10.0.0.1", []string{"X-Forwarded-For: 6.6.6.6", "X-Forwarded-For: 203.0.113.9"}, "203.0.113.9"},
		{"a chain of 50 forged ones", "10.0.0.1", []string{"X-Forwarded-For: " + hops(50) + "203.0.113.9"}, "203.0.113.9"},
		{"a chain of 50 trusted ones", "10.0.0.1", []string{"X-Forwarded-For: 203.0.113.9" + strings.Repeat(", 10.0.0.2", 50)}, "10.0.0.2"},
		{"50 lines", "10.0.0.1", append(slices.Repeat([]string{"X-Forwarded-For: 6.6.6.6"}, 50), "X-Forwarded-For: 203.0.113.9"), "203.0.113.9"},
		{"ports", "10.0.0.1", []string{"X-Forwarded-For: 203.0.113.9:5555, 10.0.0.2:80"}, "203.0.113.9"},
		{"IPv6", "10.0.0.1", []string{"X-Forwarded-For: 2001:db8::1"}, "2001:db8::1"},
		{"IPv6 in brackets", "10.0.0.1", []string{"X-Forwarded-For: [2001:db8::1]"}, "2001:db8::1"},
		{"IPv6 with a port", "2001:db8:f::7", []string{"X-Forwarded-For: [2001:db8::1]:443"}, "2001:db8::1"},
		{"IPv4 as IPv6 is IPv4", "10.0.0.1", []string{"X-Forwarded-For: ::ffff:203.0.113.9"}, "203.0.113.9"},
		{"a trusted IPv4 as IPv6", "::ffff:10.0.0.1", []string{"X-Forwarded-For: 203.0.113.9, ::ffff:10.0.0.2"}, "203.0.113.9"},
		{"a zone is garbage", "10.0.0.1", []string{"X-Forwarded-For: fe80::1%eth0"}, "10.0.0.1"},
		{"garbage ends the walk", "10.0.0.1", []string{"X-Forwarded-For: 203.0.113.9, <script>, 10.0.0.2"}, "10.0.0.2"},
		{"unknown", "10.0.0.1", []string{"X-Forwarded-For: 203.0.113.9, unknown"}, "10.0.0.1"},
		{"empty", "10.0.0.1", []string{"X-Forwarded-For: "}, "10.0.0.1"},
		{"an empty entry", "10.0.0.1", []string{"X-Forwarded-For: 203.0.113.9, "}, "10.0.0.1"},
		{"a long entry", "10.0.0.1", []string{"X-Forwarded-For: " + strings.Repeat("1", 8000)}, "10.0.0.1"},
		{"a leading zero", "10.0.0.1", []string{"X-Forwarded-For: 203.0.113.09"}, "10.0.0.1"},
		{"half a bracket", "10.0.0.1", []string{"X-Forwarded-For: [2001:db8::1"}, "10.0.0.1"},
		{"IPv4 in brackets", "10.0.0.1", []string{"X-Forwarded-For: [203.0.113.9]"}, "10.0.0.1"},
		{"words behind a bracket", "10.0.0.1", []string{"X-Forwarded-For: [2001:db8::1]x"}, "10.0.0.1"},

		{"the standard", "10.0.0.1", []string{"Forwarded: for=203.0.113.9;proto=https;by=10.0.0.1"}, "203.0.113.9"},
		{"the standard, forged on the left", "10.0.0.1", []string{"Forwarded: for=6.6.6.6, for=203.0.113.9"}, "203.0.113.9"},
		{"the standard in any case and quoted", "10.0.0.1", []string{`forwarded: proto=http ; FOR="[2001:db8::1]:4711"`}, "2001:db8::1"},
		{"a quoted comma", "10.0.0.1", []string{`Forwarded: for=203.0.113.9;host="a,for=6.6.6.6"`}, "203.0.113.9"},
		{"a quote that swallows the proxy's entry", "10.0.0.1", []string{`Forwarded: for=6.6.6.6;x=", for=203.0.113.9`}, "10.0.0.1"},
		{"a quote that swallows half of it", "10.0.0.1", []string{`Forwarded: for=6.6.6.6;x=", for="[2001:db8::1]"`}, "10.0.0.1"},
		{"a broken line left of the proxy's", "10.0.0.1", []string{`Forwarded: for="`, "Forwarded: for=203.0.113.9"}, "203.0.113.9"},
		{"unknown in the standard", "10.0.0.1", []string{"Forwarded: for=203.0.113.9, for=unknown"}, "10.0.0.1"},
		{"obfuscated", "10.0.0.1", []string{"Forwarded: for=203.0.113.9, for=_hidden, for=10.0.0.2"}, "10.0.0.2"},
		{"an obfuscated port", "10.0.0.1", []string{`Forwarded: for="203.0.113.9:_p"`}, "203.0.113.9"},
		{"no address", "10.0.0.1", []string{"Forwarded: proto=https"}, "10.0.0.1"},
		{"named twice", "10.0.0.1", []string{"Forwarded: for=6.6.6.6;for=203.0.113.9"}, "10.0.0.1"},
		{"a long line", "10.0.0.1", []string{"Forwarded: for=203.0.113.9;x=" + strings.Repeat("y", 8000)}, "10.0.0.1"},
		{"50 elements", "10.0.0.1", []string{"Forwarded: " + strings.Repeat("for=6.6.6.6, ", 50) + "for=203.0.113.9"}, "203.0.113.9"},

		{"both agree", "10.0.0.1", []string{"X-Forwarded-For: 203.0.113.9", "Forwarded: for=203.0.113.9"}, "203.0.113.9"},
		{"both disagree", "10.0.0.1", []string{"X-Forwarded-For: 203.0.113.9", "Forwarded: for=6.6.6.6"}, "10.0.0.1"},
		{"one is garbage", "10.0.0.1", []string{"X-Forwarded-For: 203.0.113.9", "Forwarded: garbage"}, "10.0.0.1"},
		{"other headers are ignored", "10.0.0.1", []string{"X-Real-IP: 6.6.6.6", "True-Client-IP: 6.6.6.6", "CF-Connecting-IP: 6.6.6.6"}, "10.0.0.1"},
	} {
		if got := from(p, c.socket, c.lines...).Address; got != netip.MustParseAddr(c.want) {
			t.Errorf("%s: %v, want %s", c.name, got, c.want)
		}
	}
}

func TestHeadersAreIgnoredByDefault(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"", " ", ",", " , "} {
		c := from(mustParse(t, text), "127.0.0.1", "X-Forwarded-For: 203.0.113.9", "X-Forwarded-Proto: https")
		if c.Address.String() != "127.0.0.1" || c.HTTPS {
			t.Errorf("%q: %v", text, c)
		}
	}
}

func TestClientProtocol(t *testing.T) {
	t.Parallel()
	p := mustParse(t, "10.0.0.0/8")
	for name, c := range map[string]struct {
		socket string
		lines  []string
		want   bool
	}{
		"no header":          {"10.0.0.1", nil, false},
		"https":              {"10.0.0.1", []string{"X-Forwarded-Proto: https"}, true},
		"HTTPS":              {"10.0.0.1", []string{"X-Forwarded-Proto: HTTPS"}, true},
		"http":               {"10.0.0.1", []string{"X-Forwarded-Proto: http"}, false},
		"garbage":            {"10.0.0.1", []string{"X-Forwarded-Proto: https://"}, false},
		"the nearest counts": {"10.0.0.1", []string{"X-Forwarded-Proto: https, http"}, false},
		"the standard":       {"10.0.0.1", []string{"Forwarded: proto=http, proto=https;for=6.6.6.6"}, true},
		"they disagree":      {"10.0.0.1", []string{"X-Forwarded-Proto: http", "Forwarded: proto=https"}, false},
		"untrusted":          {"6.6.6.6", []string{"X-Forwarded-Proto: https", "Forwarded: proto=https"}, false},
	} {
		if got := from(p, c.socket, c.lines...).HTTPS; got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

func TestTraceparentCountsFromATrustedProxyAlone(t *testing.T) {
	t.Parallel()
	const trace = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
	for _, c := range []struct{ trusted, socket, value, want string }{
		{"10.0.0.0/8", "10.0.0.1", trace, trace},
		{"10.0.0.0/8", "6.6.6.6", trace, ""},
		{"", "10.0.0.1", trace, ""},
		{"10.0.0.0/8", "10.0.0.1", "", ""},
		{"10.0.0.0/8", "10.0.0.1", trace + "-" + strings.Repeat("x", 10_000), ""},
	} {
		var rc fasthttp.RequestCtx
		rc.Init(&fasthttp.Request{}, &net.TCPAddr{IP: net.ParseIP(c.socket)}, nil)
		rc.Request.Header.Set("traceparent", c.value)
		if got := mustParse(t, c.trusted).Traceparent(&rc); got != c.want {
			t.Errorf("%+v: %q", c, got)
		}
	}
}

func TestNetworkOfAClient(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]string{
		"203.0.113.9": "203.0.113.9/32", "2001:db8:1:2:3::4": "2001:db8:1:2::/64", "2001:db8:1:2:ffff::1": "2001:db8:1:2::/64", "::1": "::/64",
	} {
		c := Client{Address: netip.MustParseAddr(address)}
		if got := c.Network(); got.String() != want {
			t.Errorf("%s is in %v", address, got)
		}
		if again := from(nil, address); again.Address != c.Address || from(nil, c.Socket().(*net.TCPAddr).AddrPort().Addr().String()) != again {
			t.Errorf("%s changes on its way through Socket: %v", address, again)
		}
	}
	if got := (Client{}).Network(); got != (netip.Prefix{}) {
		t.Errorf("the zero client is in %v", got)
	}
}

func TestInvalidProxiesAreRefused(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"proxy.local", "10.0.0.0/33", "10.0.0.0/", "fe80::1%eth0", "10.0.0.1:80", "10.0.0.0/8;10.1.0.0/16", strings.Repeat("10.0.0.1,", 65)} {
		if p, err := Parse(text); err == nil {
			t.Errorf("%q is %v", text, p)
		}
	}
	for text, want := range map[string]string{"127.0.0.1/8": "127.0.0.0/8", "::ffff:10.0.0.0/104": "10.0.0.0/8", "::ffff:10.0.0.1": "10.0.0.1/32", "::1": "::1/128"} {
		if p := mustParse(t, text); len(p) != 1 || p[0].String() != want {
			t.Errorf("%q is %v", text, p)
		}
	}
}

func TestAConnectionWithoutAnAddress(t *testing.T) {
	t.Parallel()
	var rc fasthttp.RequestCtx
	rc.Init(&fasthttp.Request{}, &net.UnixAddr{Name: "@", Net: "unix"}, nil)
	if got := Proxies(nil).Client(&rc); got.Network().String() != "0.0.0.0/32" {
		t.Errorf("%v", got)
	}
}

// Whatever headers a client sends, its request counts as its own or as that of a proxy it
// came through: the entry of the nearest proxy decides.
func TestClientsCannotChooseTheirAddress(t *testing.T) {
	t.Parallel()
	p := mustParse(t, "10.0.0.0/8")
	own, proxy := netip.MustParseAddr("203.0.113.9"), netip.MustParseAddr("10.0.0.1")
	piece := rapid.SampledFrom([]string{
		"6.6.6.6", "10.0.0.2", "[2001:db8::1]:1", "for=6.6.6.6", `for="6.6.6.6"`, `"`, `\`, ",", ";", "=", " ", "unknown", "_x", "proto=https", "for=", "\t", "::ffff:6.6.6.6", "é",
	})
	rapid.Check(t, func(t *rapid.T) {
		forged := func(name string) string { return strings.Join(rapid.SliceOfN(piece, 0, 30).Draw(t, name), "") }
		list, standard := forged("list"), forged("standard")
		var lines []string
		switch rapid.IntRange(0, 3).Draw(t, "proxy") {
		case 0:
			lines = []string{"X-Forwarded-For: " + list + ", 203.0.113.9"}
		case 1:
			lines = []string{"X-Forwarded-For: " + list, "X-Forwarded-For: 203.0.113.9", "Forwarded: " + standard}
		case 2:
			lines = []string{"Forwarded: " + standard + ", for=203.0.113.9"}
		case 3:
			lines = []string{"X-Forwarded-For: " + list, "Forwarded: " + standard, "Forwarded: for=203.0.113.9"}
		}
		if got := from(p, "10.0.0.1", lines...).Address; got != own && got != proxy {
			t.Fatalf("%q: %v", lines, got)
		}
	})
}

func FuzzClient(f *testing.F) {
	f.Add("203.0.113.9, 10.0.0.2", `for="[2001:db8::1]:4711";proto=https, for=_x`)
	f.Add(`","`, `for="\`)
	p := mustParse(f, "0.0.0.0/0, ::/0")
	f.Fuzz(func(t *testing.T, list, standard string) {
		c := p.resolve(netip.MustParseAddr("10.0.0.1"), func(name string) []string {
			return map[string][]string{"X-Forwarded-For": {list}, "Forwarded": {standard}}[name]
		})
		if !c.Address.IsValid() || c.Address.Is4In6() || c.Address.Zone() != "" || !c.Network().IsValid() {
			t.Errorf("%q and %q: %v", list, standard, c)
		}
	})
}
