package render

import "vitrine/internal/shop"

// RobotsTxt is the shop's /robots.txt. A closed shop (document 3, section 5) excludes all
// crawlers; an open one excludes them from visitors' private pages.
func RobotsTxt(origin string, closed bool) []byte {
	if closed {
		return []byte("User-agent: *\nDisallow: /\n")
	}
	out := []byte("User-agent: *\n")
	out = append(out, "Disallow: /api/\n"...)
	for _, zone := range shop.Zones {
		// Two lines, so that /cart does not also exclude /cartography.
		out = append(out, "Disallow: /"+zone+"$\nDisallow: /"+zone+"/\n"...)
	}
	return append(out, "\nSitemap: "+origin+"/sitemap.xml\n"...)
}
