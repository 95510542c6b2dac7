package render

import (
	"strings"

	"vitrine/compile"
	"vitrine/internal/shop"
)

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

// LLMsTxt is the shop's /llms.txt, in the format of llmstxt.org: where assistants find what they can
// do for a buyer. It is nil if the owner wants none.
func LLMsTxt(s compile.Shop) []byte {
	allowed := s.Face.Assistants.Or()
	if allowed == shop.AssistantsOff {
		return nil
	}
	var out strings.Builder
	out.WriteString("# " + shop.OneLine(s.Name) + "\n\n> An online shop. ")
	if allowed == shop.AssistantsCheckout {
		out.WriteString("Assistants find products here and buy them for people.")
	} else {
		out.WriteString("Assistants find products here.")
	}
	out.WriteString("\n\n## Protocols\n\n" +
		"- [Universal Commerce Protocol](" + s.Origin + "/.well-known/ucp): the profile of the shop; REST at " + s.Origin + "/api/ucp, described in " +
		s.Origin + "/api/ucp/openapi.json; Model Context Protocol at " + s.Origin + "/api/ucp/mcp\n")
	if allowed == shop.AssistantsCheckout {
		out.WriteString("- [Agentic Commerce Protocol](" + s.Origin + "/.well-known/acp.json): checkout at " + s.Origin + "/api/acp, described in " +
			s.Origin + "/api/acp/openapi.json; it needs a token of the shop\n")
	}
	out.WriteString("\n## Pages\n\n- [Sitemap](" + s.Origin + "/sitemap.xml)\n")
	return []byte(out.String())
}
