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

// component is catalog.productCard as CatalogProductCard, empty for types
// without a name.
func (t types) component(g reflect.Type) string {
	if g.Name() == "" || strings.Contains(g.Name(), "[") || g == reflect.TypeFor[api.None]() {
		return ""
	}
	prefix, kept := prefixes[g.PkgPath()]
	if !kept {
		pkg, _, _ := strings.Cut(g.String(), ".")
		prefix = capital(pkg)
	}
	name := prefix + capital(g.Name())
	if t.input {
		name += "Input"
	}
	return name
}

func capital(word string) string { return strings.ToUpper(word[:1]) + word[1:] }
