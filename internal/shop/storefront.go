package shop

import (
	"fmt"
	"net/url"
	"strconv"
	"strings"
)

// Storefronts is the template of shop addresses, such as http://{shop}.localhost:8080: the
// scheme, a host that begins with the shop's slug, and the port shared by all hosts
// (CONTRACT, "Program").
type Storefronts struct {
	scheme, domain, port string // domain with its leading dot, port with its colon
}

// ParseStorefronts parses a template.
func ParseStorefronts(template string) (Storefronts, error) {
	const slot = "{shop}"
	u, err := url.Parse(strings.Replace(strings.TrimRight(template, "/"), slot, "shop", 1))
	if err != nil || !strings.Contains(template, "://"+slot+".") || u.Path != "" || u.RawQuery != "" ||
		(u.Scheme != "http" && u.Scheme != "https") {
		return Storefronts{}, fmt.Errorf("storefront url %q: expected http(s)://{shop}.domain[:port]", template)
	}
	s := Storefronts{scheme: u.Scheme, domain: strings.ToLower(strings.TrimPrefix(u.Hostname(), "shop"))}
	if u.Port() != "" {
		s.port = ":" + u.Port()
	}
	return s, nil
}

// Secure reports whether storefronts are reached through https.
func (s Storefronts) Secure() bool { return s.scheme == "https" }

// Hosts returns the hosts of a shop without port, the canonical one first: its custom
// domain if it has one.
func (s Storefronts) Hosts(slug, domain string) []string {
	if domain == "" {
		return []string{slug + s.domain}
	}
	return []string{domain, slug + s.domain}
}

// Origin returns scheme, canonical host and port, without a trailing slash.
func (s Storefronts) Origin(slug, domain string) string {
	return s.OriginOf(s.Hosts(slug, domain)[0])
}

// OriginOf is Origin for any host of a shop.
func (s Storefronts) OriginOf(host string) string { return s.scheme + "://" + host + s.port }

// Slug returns the shop slug in a host of the storefront domain.
func (s Storefronts) Slug(host string) (slug string, ok bool) {
	slug, ok = strings.CutSuffix(host, s.domain)
	return slug, ok && slug != "" && !strings.Contains(slug, ".")
}

// Owns reports whether a host is the storefront domain or below it, so that no shop can use
// it as a custom domain.
func (s Storefronts) Owns(host string) bool { return strings.HasSuffix("."+host, s.domain) }

// FolderImages is the prefix of the storage paths under which the image service finds the
// pictures of site folders (document 3, 4.2). No path of the media library begins with it.
const FolderImages = "_folder/"

// FolderPicture returns the storage path of a picture of a site folder. It contains the
// section, because the same picture may be in an open folder and in a closed one.
func FolderPicture(section CategoryID, sha string) string {
	return FolderImages + section.String() + "/" + sha
}

// ReadFolderPicture parses a path in exactly the form of FolderPicture.
func ReadFolderPicture(path string) (section CategoryID, sha string, ok bool) {
	number, sha, _ := strings.Cut(strings.TrimPrefix(path, FolderImages), "/")
	id, err := strconv.ParseInt(number, 10, 64)
	section = CategoryID(id)
	return section, sha, err == nil && id > 0 && path == FolderPicture(section, sha)
}
