package catalog_test

import (
	"fmt"
	"testing"
)

// Create and edit store each plain field of document 1, 2.2 as it is sent.
func TestFieldsAreStoredAsSent(t *testing.T) {
	b := open(t)
	p := b.add("products", m{"name": "Tea"})
	for _, c := range []struct {
		field  string
		values l
	}{
		{"description", l{"<b>text</b>\n", ""}},
		{"is_published", l{true, false}}, {"is_shared", l{true, false}},
		{"catalog_hidden", l{"true", "false", ""}}, {"comments_enabled", l{"true", "false", ""}}, {"questions_enabled", l{"true", "false", ""}},
		{"kind", l{"combo", "multi", "standard"}}, {"gtin", l{"96385074", ""}}, {"brand", l{"Meissen", ""}}, {"tags", l{l{"b", "a"}, l{}}},
	} {
		for n, value := range c.values {
			show(t, "edited", b.put("products", p, m{c.field: value}), value, c.field)
			show(t, "kept by others", b.put("products", p, m{"name": fmt.Sprint("Tea ", n)}), value, c.field)
			show(t, "created", b.add("products", m{"name": c.field, c.field: value}), value, c.field)
			b.put("products", p, m{c.field: nil})
			show(t, "null is ignored", b.Result("GET", at("products", p), b.Owner, nil), value, c.field)
		}
	}
}

func TestListsShowTheFirstPhotoAsPreview(t *testing.T) {
	b := open(t)
	one, two, promo := b.picture(b.Shop.ID), b.picture(b.Shop.ID), b.picture(b.Shop.ID)
	b.add("products", m{"name": "A", "gallery": l{m{"id": two}, m{"id": one}}})
	b.add("products", m{"name": "B", "gallery": l{m{"id": one}}, "preview": m{"id": promo}})
	b.add("products", m{"name": "C"})
	var got []string
	for _, p := range b.Result("GET", "/products", b.Owner, nil)["items"].(l) {
		preview, _ := p.(m)["preview"].(m)
		got = append(got, fmt.Sprint(preview["id"], " ", p.(m)["preview_id"]))
	}
	wantRows(t, "previews", got, two+" <nil>", promo+" "+promo, "<nil> <nil>")
}

func TestAProductWhoseSlugWasTakenIsRestoredWithAnother(t *testing.T) {
	b := open(t)
	old := b.add("products", m{"name": "Tea", "seo": m{"slug": "tea", "meta_title": "T"}})
	b.OK("DELETE", at("products", old), b.Owner, nil)
	b.add("products", m{"name": "Tea"})
	b.refused("PUT", at("products", old), m{"is_deleted": false}, 409, "SLUG_TAKEN")
	b.Refused("GET", at("products", old), b.Owner, nil, 404, "PRODUCT_NOT_FOUND")
	show(t, "another", b.put("products", old, m{"is_deleted": false, "seo": m{"slug": "tea-old"}}), "tea-old", "slug")
	b.OK("DELETE", at("products", old), b.Owner, nil)
	b.put("products", old, m{"is_deleted": false, "seo": m{}}) // or without an address
}

func TestABulkEditRestoresWithinThePlanLimit(t *testing.T) {
	b := open(t)
	old := b.add("products", m{"name": "Tea"})
	b.OK("DELETE", at("products", old), b.Owner, nil)
	b.Limit(map[string]int64{"products_max": 1})
	b.add("products", m{"name": "Cup"})
	answer := b.OK("PATCH", "/products/batch", b.Owner, m{"ids": l{old["id"]}, "item": m{"is_deleted": false}})
	wantRows(t, "restore", outcomes(answer), "PRODUCT_LIMIT_REACHED")
}

func TestAnOptionUsedInADraftCannotBeDeleted(t *testing.T) {
	b := open(t)
	colour := b.attribute(m{"name": "Colour", "options": options("red", "blue")})
	p := b.add("products", m{"name": "Cup"})
	b.Result("PUT", at("products", p), b.Dev, item(m{"attributes": l{m{"attribute_id": colour["id"], "values": l{"blue"}}}}))
	b.refused("PUT", at("attributes", colour), m{"options": options("red")}, 400, "OPTION_IN_USE:blue")
	b.refused("PUT", at("attributes", colour), m{"kind": "number"}, 400, "ATTRIBUTE_IN_USE")
	b.Refused("PUT", at("attributes", colour), b.Dev, item(m{"options": options("red")}), 403, "PAT_CONTOUR_MISMATCH")
	b.OK("POST", "/drafts/discard", b.Owner, m{"all": true})
	b.put("attributes", colour, m{"options": options("red")})
}

func TestTheRequestedVariantIsActive(t *testing.T) {
	b := open(t)
	p := b.add("products", m{"name": "Cup", "is_published": true})
	show(t, "without sets", p, nil, "active_variant_id")
	sets := b.Result("PUT", at("products", p)+"/variants", b.Owner, m{"items": l{
		m{"sku": "OFF", "is_active": false}, m{"sku": "A"}, m{"sku": "B", "gallery_id": 0}, m{},
	}})["variants"].(l)
	ids := names(sets, "id")
	for query, want := range map[string]string{
		"": ids[1], "?variant=B": ids[2], "?variant=" + ids[3]: ids[3], "?variant=OFF": ids[1], "?variant=" + ids[0]: ids[1], "?variant=none&galleries=active": ids[1],
		"?variant=": ids[1],
	} {
		show(t, query, b.Result("GET", at("products", p)+query, b.Owner, nil), want, "active_variant_id")
	}
	show(t, "visitors", b.Result("GET", at("products", p)+"?variant=B&company_id="+b.company(), "", nil), ids[2], "active_variant_id")
	show(t, "no gallery", sets[2].(m), "0", "gallery_id")
}
