package admin_test

import (
	"reflect"
	"slices"
	"testing"

	"vitrine/admin/api/apitest"
	"vitrine/internal/golden"
)

// The values of a text come from the list that the code checks it with (Values of its type), so that
// the description cannot differ from what is accepted. A tag lists them only where the code has no
// list.
func TestTagsListOnlyValuesThatTheCodeHasNoListOf(t *testing.T) {
	t.Parallel()
	var got []string
	seen := map[reflect.Type]bool{}
	var walk func(reflect.Type)
	walk = func(g reflect.Type) {
		switch g.Kind() {
		case reflect.Pointer, reflect.Slice, reflect.Array:
			walk(g.Elem())
		case reflect.Map:
			walk(g.Elem())
		case reflect.Struct:
			if seen[g] {
				return
			}
			seen[g] = true
			for i := range g.NumField() {
				f := g.Field(i)
				if values := f.Tag.Get("enum"); values != "" {
					got = append(got, g.String()+"."+f.Name+": "+values)
					if _, listed := reflect.Zero(f.Type).Interface().(interface{ Values() []string }); listed {
						t.Errorf("%s.%s has a tag and a list", g, f.Name)
					}
				}
				walk(f.Type)
			}
		}
	}
	for _, e := range apitest.New(t).Admin.Table() {
		walk(e.Do.In)
		walk(e.Do.Out)
	}
	slices.Sort(got)
	golden.Rows(t, "fields whose values a tag lists", got, []string{
		"access.profileRequest.Language: en,ru",
		"catalog.Author.Mode: none,member,manual",
		"catalog.articlesRequest.Sort: recent,popular",
		"catalog.categoriesRequest.View: full,menu",
		"catalog.galleryFields.Source: images,canvas",
		"catalog.galleryView.Source: images,canvas",
		"catalog.importFile.Prices: decimal,units",
		"catalog.importProducts.Prices: decimal,units",
		"catalog.projection.Galleries: full,cover,active",
		"compile.TracedPage.Entity: category,product,article",
		"customer.importRow.Status: created,updated,skipped,error",
		"domain.Record.Type: TXT,CNAME",
		"domain.View.State: ,waiting_dns,waiting_certificate,active,failed",
		"draft.Item.Change: created,edited,deleted",
		"job.View.Kind: shop_export,shop_import,move_in,move_in_plan,move_in_undo",
		"redirect.moveRequest.Type: inside,before,after",
		"release.diffLine.Sign: -,+",
		"setting.settingsItem.Language: ru,en",
		"setting.settingsView.Language: ru,en",
	})
}
