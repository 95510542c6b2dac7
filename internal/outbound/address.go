package outbound

import "net/netip"

// block is a range outside the public internet, and its purpose.
type block struct {
	prefix netip.Prefix
	what   string
}

// blocks are the ranges that no request may reach: those of the specification (document 1,
// 4.4) and all that IANA's special-purpose registries do not call globally reachable.
// Addresses that embed another address, through which a gateway may lead back into a
// private network, are refused entirely.
var blocks = []block{
	{netip.MustParsePrefix("0.0.0.0/8"), "this network"},
	{netip.MustParsePrefix("10.0.0.0/8"), "private"},
	{netip.MustParsePrefix("100.64.0.0/10"), "shared by a carrier"},
	{netip.MustParsePrefix("127.0.0.0/8"), "loopback"},
	{netip.MustParsePrefix("169.254.0.0/16"), "link-local, cloud metadata"},
	{netip.MustParsePrefix("172.16.0.0/12"), "private"},
	{netip.MustParsePrefix("192.0.0.0/24"), "protocol assignments"},
	{netip.MustParsePrefix("192.0.2.0/24"), "documentation"},
	{netip.MustParsePrefix("192.31.196.0/24"), "AS112"},
	{netip.MustParsePrefix("192.52.193.0/24"), "AMT relay"},
	{netip.MustParsePrefix("192.88.99.0/24"), "6to4 relay"},
	{netip.MustParsePrefix("192.168.0.0/16"), "private"},
	{netip.MustParsePrefix("192.175.48.0/24"), "AS112"},
	{netip.MustParsePrefix("198.18.0.0/15"), "benchmarks"},
	{netip.MustParsePrefix("198.51.100.0/24"), "documentation"},
	{netip.MustParsePrefix("203.0.113.0/24"), "documentation"},
	{netip.MustParsePrefix("224.0.0.0/4"), "multicast"},
	{netip.MustParsePrefix("240.0.0.0/4"), "reserved, broadcast"},

	{netip.MustParsePrefix("::/96"), "unspecified, loopback, IPv4-compatible"},
	{netip.MustParsePrefix("::ffff:0:0:0/96"), "IPv4-translated"},
	{netip.MustParsePrefix("64:ff9b::/96"), "NAT64"},
	{netip.MustParsePrefix("64:ff9b:1::/48"), "local NAT64"},
	{netip.MustParsePrefix("100::/64"), "discard"},
	{netip.MustParsePrefix("100:0:0:1::/64"), "dummy"},
	{netip.MustParsePrefix("2001::/23"), "Teredo, ORCHID, protocol assignments"},
	{netip.MustParsePrefix("2001:db8::/32"), "documentation"},
	{netip.MustParsePrefix("2002::/16"), "6to4"},
	{netip.MustParsePrefix("2620:4f:8000::/48"), "AS112"},
	{netip.MustParsePrefix("3fff::/20"), "documentation"},
	{netip.MustParsePrefix("5f00::/16"), "segment routing"},
	{netip.MustParsePrefix("fc00::/7"), "unique local"},
	{netip.MustParsePrefix("fe80::/10"), "link-local"},
	{netip.MustParsePrefix("fec0::/10"), "site-local"},
	{netip.MustParsePrefix("ff00::/8"), "multicast"},
}

// public is the part of IPv6 that IANA has allocated.
var public = netip.MustParsePrefix("2000::/3")

// check returns what an address is if it is not on the public internet, else "".
func check(addr netip.Addr) (what string) {
	if addr.Zone() != "" {
		return "an address with a zone"
	}
	addr = addr.Unmap() // ::ffff:10.0.0.1 is 10.0.0.1
	for _, b := range blocks {
		if b.prefix.Contains(addr) {
			return b.what
		}
	}
	switch {
	case !addr.IsValid():
		return "no address"
	case addr.Is6() && !public.Contains(addr):
		return "not assigned"
	case addr.Is6() && isatap(addr.As16()):
		return "ISATAP"
	}
	return ""
}

// isatap reports whether an address has the interface id 0:5efe or 200:5efe, which is
// followed by an IPv4 address (RFC 5214, 6.1).
func isatap(b [16]byte) bool {
	return b[8]&^2 == 0 && b[9] == 0 && b[10] == 0x5e && b[11] == 0xfe
}
