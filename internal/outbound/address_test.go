package outbound

import (
	"net/netip"
	"testing"

	"pgregory.net/rapid"
)

// Addresses that a server must not be made to reach (document 1, 4.4, and beyond).
var private = []struct{ why, addr string }{
	{"this network", "0.0.0.0"}, {"this network", "0.255.255.255"},
	{"private", "10.0.0.0"}, {"private", "10.255.255.255"}, {"private", "172.16.0.0"}, {"private", "172.31.255.255"},
	{"private", "192.168.0.0"}, {"private", "192.168.255.255"},
	{"carrier", "100.64.0.0"}, {"carrier", "100.127.255.255"},
	{"loopback", "127.0.0.1"}, {"loopback", "127.255.255.255"}, {"loopback", "::1"}, {"unspecified", "::"},
	{"link-local", "169.254.0.0"}, {"metadata", "169.254.169.254"}, {"link-local", "169.254.255.255"}, {"link-local", "fe80::1"},
	{"link-local with a zone", "fe80::1%eth0"}, {"a zone", "2606:4700::1111%eth0"}, {"site-local", "fec0::1"}, {"site-local", "feff::1"},
	{"unique local", "fc00::"}, {"unique local", "fdff:ffff::1"}, {"metadata", "fd00:ec2::254"},
	{"protocol", "192.0.0.8"}, {"NAT64 discovery", "192.0.0.170"}, {"documentation", "192.0.2.1"}, {"documentation", "198.51.100.9"},
	{"documentation", "203.0.113.255"}, {"documentation", "2001:db8::1"}, {"documentation", "3fff::1"}, {"relay", "192.88.99.1"},
	{"benchmarks", "198.18.0.1"}, {"benchmarks", "198.19.255.255"},
	{"multicast", "224.0.0.1"}, {"multicast", "239.255.255.255"}, {"multicast", "ff02::1"}, {"reserved", "240.0.0.1"}, {"broadcast", "255.255.255.255"},

	{"IPv4-mapped loopback", "::ffff:127.0.0.1"}, {"IPv4-mapped private", "::ffff:10.1.2.3"}, {"IPv4-mapped metadata", "::ffff:a9fe:a9fe"},
	{"IPv4-mapped carrier", "::ffff:100.64.0.1"}, {"IPv4-compatible", "::127.0.0.1"}, {"IPv4-compatible", "::a9fe:a9fe"},
	{"IPv4-translated", "::ffff:0:127.0.0.1"}, {"NAT64", "64:ff9b::10.0.0.1"}, {"NAT64 of a public address", "64:ff9b::8.8.8.8"},
	{"local NAT64", "64:ff9b:1::1"}, {"local NAT64", "64:ff9b:1:ffff::7f00:1"}, {"6to4 of loopback", "2002:7f00:1::"}, {"6to4 of private", "2002:a00:1::1"},
	{"6to4 of a public address", "2002:808:808::1"}, {"Teredo", "2001::1"}, {"Teredo", "2001:0:4136:e378:8000:63bf:3fff:fdd2"},
	{"ISATAP", "2606:4700::5efe:10.0.0.1"}, {"ISATAP", "2606:4700::200:5efe:10.0.0.1"}, {"ORCHID", "2001:20::1"}, {"discard", "100::1"},
	{"segment routing", "5f00::1"}, {"not assigned", "4000::1"}, {"not assigned", "1::1"}, {"not assigned", "fb00::1"},
}

func TestPrivateAddresses(t *testing.T) {
	t.Parallel()
	for _, c := range private {
		if check(netip.MustParseAddr(c.addr)) == "" {
			t.Errorf("%s (%s) is treated as public", c.addr, c.why)
		}
	}
	if check(netip.Addr{}) == "" {
		t.Error("the zero address is treated as public")
	}
}

func TestPublicAddresses(t *testing.T) {
	t.Parallel()
	for _, addr := range []string{
		"1.1.1.1", "8.8.8.8", "9.255.255.255", "11.0.0.0", "100.63.255.255", "100.128.0.0", "126.255.255.255", "128.0.0.1", "169.253.255.255",
		"169.255.0.0", "172.15.255.255", "172.32.0.0", "192.0.1.1", "192.167.255.255", "192.169.0.0", "198.17.255.255", "198.20.0.0",
		"223.255.255.255", "2606:4700::1111", "2a00:1450:4001:80b::200e", "2001:4860:4860::8888", "::ffff:8.8.8.8", "2400:cb00::1",
	} {
		if what := check(netip.MustParseAddr(addr)); what != "" {
			t.Errorf("%s is refused as %s", addr, what)
		}
	}
}

func TestAnAddressInsideAnotherIsNeverPublic(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		var v4 [4]byte
		for i := range v4 {
			v4[i] = rapid.Byte().Draw(t, "byte")
		}
		plain := check(netip.AddrFrom4(v4)) == ""
		if mapped := check(netip.AddrFrom16(netip.AddrFrom4(v4).As16())) == ""; mapped != plain {
			t.Fatalf("%v is public %v, mapped %v", v4, plain, mapped)
		}
		for _, lead := range []string{"::", "64:ff9b::", "::ffff:0:0:0", "64:ff9b:1::"} {
			b := netip.MustParseAddr(lead).As16()
			copy(b[12:], v4[:])
			if check(netip.AddrFrom16(b)) == "" {
				t.Fatalf("%v is public behind %s", v4, lead)
			}
		}
		sixToFour := [16]byte{0x20, 0x02, v4[0], v4[1], v4[2], v4[3]}
		if check(netip.AddrFrom16(sixToFour)) == "" {
			t.Fatalf("%v is public by 6to4", v4)
		}
	})
}
