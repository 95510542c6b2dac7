package openapi

import (
	"reflect"
	"strings"

	"vitrine/admin/api"
)

// prefixes are the component prefixes of packages that were renamed. Generated clients refer to
// components by name, so a component keeps its name when its type moves. For all other packages
// the prefix is the package name.
var prefixes = map[string]string{
	"vitrine/admin/design":   "Site",
	"vitrine/admin/form":     "Site",
	"vitrine/admin/redirect": "Site",
	"vitrine/admin/release":  "Site",
	"vitrine/admin/sitefile": "Site",
}

// names are the component names of types that were renamed, by package path and type.
var names = map[string]string{
	"vitrine/compile/lead.Field":          "SiteFormField",
	"vitrine/admin/redirect.slugAnswer":   "SiteFormerAnswer",
	"vitrine/admin/redirect.importView":   "SiteImportReport",
	"vitrine/admin/redirect.ImportedLine": "SiteImportRow",
	"vitrine/admin/release.layoutSite":    "SiteThemeSite",

	"vitrine/admin/company.orgView":                  "AccessOrgView",
	"vitrine/admin/company.usageLine":                "AccessUsageLine",
	"vitrine/internal/store/catalog.Author":          "StoreAuthor",
	"vitrine/internal/store/catalog.SEO":             "StoreSEO",
	"vitrine/internal/store/design.Block":            "StoreBlock",
	"vitrine/internal/store/draft.Conflict":          "StoreDraftConflict",
	"vitrine/internal/store/draft.Field":             "StoreDraftField",
	"vitrine/internal/store/draft.Item":              "StoreDraftItem",
	"vitrine/internal/store/draft.Ref":               "StoreDraftRef",
	"vitrine/internal/store/people.APIKey":           "StoreKey",
	"vitrine/internal/store/people.EndedCredentials": "StoreEnded",
	"vitrine/internal/store/people.Invitation":       "StoreInvitation",
	"vitrine/internal/store/people.Member":           "StoreMember",
	"vitrine/internal/store/people.Membership":       "StoreMembership",
	"vitrine/internal/store/release.DocumentPage":    "StoreDocumentPage",
}

// component returns catalog.productCard as CatalogProductCard, and "" for types without a name.
func (t types) component(g reflect.Type) string {
	if g.Name() == "" || strings.Contains(g.Name(), "[") || g == reflect.TypeFor[api.None]() {
		return ""
	}
	name, kept := names[g.PkgPath()+"."+g.Name()]
	if !kept {
		name = prefixOf(g) + capital(g.Name())
	}
	if t.input {
		name += "Input"
	}
	return name
}

// prefixOf returns the component prefix of a type's package.
func prefixOf(g reflect.Type) string {
	if prefix, kept := prefixes[g.PkgPath()]; kept {
		return prefix
	}
	pkg, _, _ := strings.Cut(g.String(), ".")
	return capital(pkg)
}

func capital(word string) string { return strings.ToUpper(word[:1]) + word[1:] }
