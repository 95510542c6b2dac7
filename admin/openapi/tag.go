package openapi

import (
	"strings"

	"vitrine/admin/api"
)

type tag struct {
	Name        string `json:"name"`
	Description string `json:"description,omitempty"`
}

// areas map the first path segments to the area they belong to. A segment that is not listed is
// its own area.
var areas = map[string]string{
	"account": "access", "auth": "access", "orgs": "access", "tariff": "access", "audit": "access", "members": "access",
	"attributes": "products", "product-groups": "products",
	"content-blocks": "design", "html-documents": "documents", "uploads": "documents",
	"storefront-redirects": "redirects", "storefront": "redirects", "slug-redirects": "redirects",
	"storages": "storage", "docs": "discovery", "llms.txt": "discovery", "openapi.json": "discovery",
	"compiled.swagger.json": "discovery", "partner": "discovery", "": "discovery",
}

var descriptions = map[string]string{
	"access":     "People, sessions, keys, the shop of the caller, who changed what",
	"articles":   "Editorial material in rubrics",
	"categories": "Sections: products, pages, rubrics, site folders",
	"design":     "Content blocks and the slots they are bound to",
	"discovery":  "Descriptions of the API itself",
	"documents":  "Html documents and their releases",
	"drafts":     "Pending changes of the draft contour",
	"galleries":  "Pictures, videos, sounds and texts that products, sections and articles show",
	"products":   "Products, attributes, variants and groups",
	"redirects":  "Old URLs and their targets",
	"stats":      "Statistics of visits and orders",
	"storage":    "The media library",
}

func tagOf(e *api.Endpoint) string {
	first, _, _ := strings.Cut(strings.TrimPrefix(strings.TrimPrefix(e.Path, "/v1/"), "/"), "/")
	if area, listed := areas[first]; listed {
		return area
	}
	return first
}

func describe(names []string) []tag {
	list := []tag{}
	for _, name := range names {
		list = append(list, tag{name, descriptions[name]})
	}
	return list
}
