package sitefile_test

import "vitrine/admin/api/apitest"

type (
	m = apitest.Map
	l = []any
)

func section(a *apitest.API, slug string, parent any) any {
	return a.Result("POST", "/categories", a.Owner, m{"item": m{"name": slug, "is_published": true, "parent_id": parent, "seo": m{"slug": slug}}})["id"]
}
