package admin_test

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"vitrine/admin/api"
	"vitrine/admin/api/apitest"
	"vitrine/internal/shop"
	"vitrine/internal/store/people"
)

// world is a shop with a published and an unpublished thing of every kind that public endpoints
// read.
type world struct {
	*apitest.API
	t       *testing.T
	ids     map[string]string // placeholders of paths
	secrets []string          // texts of unpublished things
}

func newWorld(t *testing.T) *world {
	t.Helper()
	w := &world{API: apitest.New(t), t: t, ids: map[string]string{}}
	w.add("section", "/categories", apitest.Map{"name": "Teas", "type": "product", "is_published": true, "seo": apitest.Map{"slug": "teas"}})
	w.add("hidden-section", "/categories", apitest.Map{"name": "Secret-section", "type": "page", "seo": apitest.Map{"slug": "secret-section"}})
	w.add("rubric", "/categories", apitest.Map{"name": "News", "type": "news", "is_published": true})
	w.add("attribute", "/attributes", apitest.Map{"name": "Colour", "options": []any{apitest.Map{"value": "red", "label": "Red"}}})
	w.add(
		"product", "/products",
		apitest.Map{"name": "Green tea", "category_id": w.ids["section"], "is_published": true, "seo": apitest.Map{"slug": "green-tea"}},
	)
	w.add(
		"hidden-product", "/products",
		apitest.Map{"name": "Secret-product", "category_id": w.ids["section"], "seo": apitest.Map{"slug": "secret-product"}},
	)
	w.add("article", "/articles", apitest.Map{"title": "Harvest", "category_id": w.ids["rubric"], "is_published": true, "slug": "harvest"})
	w.add("hidden-article", "/articles", apitest.Map{"title": "Secret-article", "category_id": w.ids["rubric"], "slug": "secret-article"})
	w.add("form", "/forms", apitest.Map{"name": "Letter", "fields": []any{apitest.Map{"name": "email", "type": "email"}}})
	w.OK("PUT", "/products/"+w.ids["product"], w.Owner, apitest.Map{"item": apitest.Map{"seo": apitest.Map{"slug": "sencha"}}})
	w.secrets = []string{"Secret-section", "Secret-product", "Secret-article"}
	return w
}

func (w *world) add(name, path string, item apitest.Map) {
	w.t.Helper()
	w.ids[name] = fmt.Sprint(w.Result("POST", path, w.Owner, apitest.Map{"item": item})["id"])
}

// lists are the endpoints that list hidden things beside visible ones for the owner.
var lists = []string{"GET /products", "GET /categories", "GET /articles"}

// eachPublic calls f with the addresses of every public endpoint.
func (w *world) eachPublic(f func(name, show, hide string)) {
	w.t.Helper()
	for _, e := range w.Admin.Table() {
		name, ask := decided(e)
		public := e.Auth == api.Public && e.Class != api.Free && !ask.anonymousWrite // documents of the API belong to no shop
		if public != (ask.show != "") {
			w.t.Errorf("%s: is public %v, decided: %q", name, public, ask.show)
		}
		if !public {
			continue
		}
		for placeholder, id := range w.ids {
			ask.show = strings.ReplaceAll(ask.show, "{"+placeholder+"}", id)
			ask.hide = strings.ReplaceAll(ask.hide, "{"+placeholder+"}", id)
		}
		f(name, ask.show, ask.hide)
	}
}

// named adds the shop to an address the way an anonymous caller names it.
func named(name, address string, company any) string {
	parameter := "company_id"
	if name == "GET /products" {
		parameter = "filter.company_id"
	}
	return fmt.Sprintf("%s&%s=%v", address, parameter, company)
}

func (w *world) read(path, key string, header map[string]string) apitest.Answer {
	w.t.Helper()
	answer := w.Send(apitest.Request{Method: "GET", Path: path, Key: key, Header: header})
	answer.Body = views.ReplaceAll(answer.Body, []byte(`"views":"n"`))
	answer.Body = tokens.ReplaceAll(answer.Body, []byte(`"token":"t"`))
	return answer
}

// views matches view counts, which these reads change.
var views = regexp.MustCompile(`"views":"\d+"`)

// tokens matches form tokens: each is valid once, so they differ between calls.
var tokens = regexp.MustCompile(`"token":"[\w-]{43}"`)

// A key without catalog:read, another shop's session on the storefront and a person without a
// shop see what anonymous visitors see: the published things.
func TestPublicRowsShowTheAnonymousProjection(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	lone, err := people.CreatePerson(t.Context(), w.Store, "lone@people.test", "", "-")
	if err != nil {
		t.Fatal(err)
	}
	session, narrow := w.Session(lone), w.Scoped("storage:read")
	narrowDev := w.Key(w.OwnerID, shop.Owner, shop.Dev, "storage:read")
	w.eachPublic(func(name, show, hide string) {
		anonymous := w.read(named(name, show, w.Shop.ID), "", nil)
		if anonymous.Status != 200 {
			t.Errorf("%s: %d %s", name, anonymous.Status, anonymous.Body)
		}
		for who, got := range map[string]apitest.Answer{
			"a key without the scope":       w.read(show, narrow, nil),
			"a draft key without the scope": w.read(show, narrowDev, nil),
			"a person without a shop":       w.read(named(name, show, w.Shop.ID), session, nil),
			"a visitor of the storefront":   w.read(show, "", w.ThroughStorefront()),
			"a stranger on the storefront":  w.read(show, w.Stranger, w.ThroughStorefront()),
		} {
			if got.Status != 200 || string(got.Body) != string(anonymous.Body) {
				t.Errorf("%s, %s: %d %s, an anonymous caller gets %s", name, who, got.Status, got.Body, anonymous.Body)
			}
		}
		owner := w.read(show, w.Owner, nil)
		for _, secret := range w.secrets {
			if strings.Contains(string(anonymous.Body), secret) {
				t.Errorf("%s shows %s to anonymous callers", name, secret)
			}
		}
		if slices.Contains(lists, name) && !strings.Contains(string(owner.Body), "Secret-") {
			t.Errorf("%s hides drafts from the owner: %s", name, owner.Body)
		}
		if hide == "" {
			return
		}
		for who, got := range map[string]apitest.Answer{
			"anonymous": w.read(named(name, hide, w.Shop.ID), "", nil), "a key without the scope": w.read(hide, narrow, nil),
		} {
			if got.Status != 404 {
				t.Errorf("%s, %s: %d %s", name, who, got.Status, got.Body)
			}
		}
		if got := w.read(hide, w.Owner, nil); got.Status != 200 {
			t.Errorf("%s, owner: %d %s", name, got.Status, got.Body)
		}
	})
}

// private matches fields that only the shop's own people read: authors and pending changes of
// the draft.
var private = regexp.MustCompile(
	`"(created_by|updated_by|moderated_by|status_by|dev_dirty|draft_[a-z]+|password[a-z_]*|[a-z_]*(hash|secret))":|"user_id":"?[1-9]`,
)

// No response to a stranger reveals authors of the shop (document 1, 2.7), on any endpoint.
func TestStrangersReadNoPrivateFields(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.OK(
		"PUT", "/articles/"+w.ids["article"], w.Owner,
		apitest.Map{"item": apitest.Map{"author": apitest.Map{"mode": "member", "user_id": w.EditorID}}},
	)
	owners := 0
	w.eachPublic(func(name, show, _ string) {
		for who, got := range map[string]apitest.Answer{
			"anonymous": w.read(named(name, show, w.Shop.ID), "", nil), "menu": w.read(named(name, show, w.Shop.ID)+"&view=menu", "", nil),
			"a stranger on the storefront": w.read(show, w.Stranger, w.ThroughStorefront()),
		} {
			if found := private.FindAllString(string(got.Body), -1); got.Status != 200 || found != nil {
				t.Errorf("%s, %s: %d %v in %s", name, who, got.Status, found, got.Body)
			}
		}
		if private.Match(w.read(show, w.Owner, nil).Body) {
			owners++
		}
	})
	if owners < 5 {
		t.Errorf("the owner reads private fields in %d endpoints; sections and articles have some", owners)
	}
}

// Anonymous reads name the shop, each in its own form (document 1, section 4).
func TestAnonymousReadsNameTheShop(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.eachPublic(func(name, show, _ string) {
		code, wrong := "COMPANY_ID_PROBLEM", "filter.company_id"
		switch name {
		case "GET /products":
			code, wrong = "AUTH_COMPANY_PROBLEM", "company_id"
		case "GET /storefront/redirects", "GET /v1/storefronts/resolve":
			return // these endpoints name the shop by slug or domain
		}
		for _, address := range []string{
			show, show + "&" + wrong + "=" + w.Shop.ID.String(), named(name, show, ""), named(name, show, 0), named(name, show, -1),
		} {
			w.Refused("GET", address, "", nil, 403, code)
		}
		w.Refused("GET", named(name, show, "tea"), "", nil, 400, "INVALID_REQUEST")
		w.Refused("GET", named(name, show, "99999999999"), "", nil, 400, "INVALID_REQUEST")
		w.Refused("GET", named(name, show, 2000000000), "", nil, 404, "SHOP_NOT_FOUND")
		// Things of the other shop are looked up there, never in this shop.
		if got := w.read(named(name, show, w.Other.ID), "", nil); strings.Contains(string(got.Body), "ea\"") ||
			got.Status == 200 && strings.Contains(show, "{") {
			t.Errorf("%s of another shop: %d %s", name, got.Status, got.Body)
		}
	})
}

// An owner who names another shop reads articles there as a visitor, and everything else in
// their own shop (document 1, section 4).
func TestAnOwnerIsAVisitorElsewhere(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for _, path := range []string{"/articles?", "/articles/by-slug/harvest?"} {
		address := path + "company_id=" + w.Shop.ID.String()
		visitor, stranger := w.read(address, "", nil), w.read(address, w.Stranger, nil)
		if stranger.Status != 200 || string(stranger.Body) != string(visitor.Body) {
			t.Errorf("%s: %d %s, visitors get %s", path, stranger.Status, stranger.Body, visitor.Body)
		}
	}
	w.Refused("GET", "/articles/by-slug/secret-article?company_id="+w.Shop.ID.String(), w.Stranger, nil, 404, "ARTICLE_NOT_FOUND")
	own := w.read("/articles/by-slug/secret-article?company_id="+w.Shop.ID.String(), w.Owner, nil)
	if own.Status != 200 {
		t.Errorf("naming the own shop changes nothing: %s", own.Body)
	}
	if total := w.Result("GET", "/products?filter.company_id="+w.Shop.ID.String(), w.Stranger, nil)["total"]; total != 0.0 {
		t.Errorf("a key read %v products of another shop", total)
	}
	w.Refused("GET", "/products/by-slug/sencha?company_id="+w.Shop.ID.String(), w.Stranger, nil, 404, "PRODUCT_NOT_FOUND")
}

// A shop behind a PIN does not exist for API callers, as for visitors.
func TestAClosedShopIsHiddenFromTheAPI(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	narrow := w.Scoped("storage:read")
	open := map[string]string{}
	w.eachPublic(func(name, show, _ string) { open[name] = string(w.read(named(name, show, w.Shop.ID), "", nil).Body) })
	w.Close(true)
	w.eachPublic(func(name, show, _ string) {
		for who, got := range map[string]apitest.Answer{
			"anonymous":              w.read(named(name, show, w.Shop.ID), "", nil),
			"a storefront visitor":   w.read(show, "", w.ThroughStorefront()),
			"a stranger, storefront": w.read(show, w.Stranger, w.ThroughStorefront()),
		} {
			if got.Status != 404 || apitest.Code(got.JSON) != "SHOP_NOT_FOUND" {
				t.Errorf("%s, %s: %d %s", name, who, got.Status, got.Body)
			}
		}
		if name == "GET /storefront/redirects" || name == "GET /v1/storefronts/resolve" {
			return // answers 404 to every caller (document 3, 4.4)
		}
		for who, got := range map[string]apitest.Answer{
			"a visitor with the PIN":  w.read(show, "", w.WithPIN()),
			"a key without the scope": w.read(show, narrow, nil),
		} {
			if got.Status != 200 || string(got.Body) != open[name] {
				t.Errorf("%s, %s: %d %s, want %s", name, who, got.Status, got.Body, open[name])
			}
		}
		if got := w.read(show, w.Owner, nil); got.Status != 200 {
			t.Errorf("%s, owner: %d %s", name, got.Status, got.Body)
		}
	})
	// The PIN of one shop does not open another one.
	header := w.WithPIN()
	w.Refused("GET", "/articles?company_id="+w.Shop.ID.String(), w.Stranger, nil, 404, "SHOP_NOT_FOUND")
	delete(header, "X-Test-Storefront")
	if got := w.read(named("GET /products", "/products?", w.Shop.ID), "", header); got.Status != 404 {
		t.Errorf("a header opened the shop: %d", got.Status)
	}
	w.Close(false)
	if got := w.read(named("GET /products", "/products?", w.Shop.ID), "", nil); string(got.Body) != open["GET /products"] {
		t.Errorf("opened again: %s", got.Body)
	}
}
