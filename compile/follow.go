package compile

import "strings"

// host returns the canonical host of the shop, without port.
func (s *Site) host() string {
	if len(s.shop.Hosts) > 0 {
		return s.shop.Hosts[0]
	}
	return ""
}

// local resolves a Location as a browser on host would: it returns the next host and target. It
// fails when the Location leaves the shop. A host of the shop matches whatever its port and
// scheme (CONTRACT: an external target on the shop's own host is a shop path for loops).
func (s *Site) local(location, host string) (string, string, bool) {
	location, _, _ = strings.Cut(location, "#")
	if strings.HasPrefix(location, "/") {
		return host, location, true
	}
	_, rest, found := strings.Cut(location, "://")
	if !found {
		return "", "", false
	}
	authority, path := rest, "/"
	if i := strings.IndexAny(rest, "/?"); i >= 0 {
		authority, path = rest[:i], rest[i:]
		if path[0] == '?' {
			path = "/" + path
		}
	}
	name := strings.TrimSuffix(authority, ".")
	if i := strings.LastIndexByte(authority, ':'); i >= 0 && !strings.HasSuffix(authority, "]") {
		name = strings.TrimSuffix(authority[:i], ".")
	}
	for _, own := range s.shop.Hosts {
		if equalFold(name, own) {
			return own, path, true
		}
	}
	return "", "", false
}
