package openapi

import (
	"reflect"
	"strings"

	"vitrine/admin/api"
)

// prefixes are those of components whose package has another name than they
// had: programs made from the document know components by name, so a name stays
// where its type goes. Others are called after their package.
var prefixes = map[string]string{
	"vitrine/admin/design":   "Site",
	"vitrine/admin/form":     "Site",
	"vitrine/admin/redirect": "Site",
	"vitrine/admin/release":  "Site",
	"vitrine/admin/sitefile": "Site",
}

// names are those of components whose type has another name than it had, with
// the package in front.
var names = map[string]string{
	"vitrine/compile/lead.Field":        "SiteFormField",
	"vitrine/admin/redirect.slugAnswer": "SiteFormerAnswer",
	"vitrine/admin/release.layoutSite":  "SiteThemeSite",
}

// component is catalog.productCard as CatalogProductCard, empty for types
// without a name.
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

// prefixOf is what the components of a package begin with.
func prefixOf(g reflect.Type) string {
	if prefix, kept := prefixes[g.PkgPath()]; kept {
		return prefix
	}
	pkg, _, _ := strings.Cut(g.String(), ".")
	return capital(pkg)
}

func capital(word string) string { return strings.ToUpper(word[:1]) + word[1:] }
