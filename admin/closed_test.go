package admin_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"

	"vitrine/admin/api"
	"vitrine/admin/api/apitest"
	"vitrine/internal/shop"
)

// canary matches the names, slugs, texts and prices of everything that is closed.
var canary = regexp.MustCompile(`(?i)canary|77777`)

// aviary is a shop full of canaries, with a buyer who reviewed them, wished for them and put
// them in a cart while they were open.
type aviary struct {
	*apitest.API
	t      *testing.T
	ids    map[string]string // placeholders of paths
	buyer  string            // a session of Ann, who is not a customer yet
	policy string
	shows  *regexp.Regexp // matches responses that show a canary
	skips  *regexp.Regexp // endpoints that are skipped; nil: none
}

func newAviary(t *testing.T) *aviary {
	t.Helper()
	a := &aviary{API: apitest.New(t), t: t, ids: map[string]string{}, shows: canary}
	section := func(name, slug, kind, parent string) {
		a.add(slug, "/categories", apitest.Map{"name": name, "type": kind, "parent_id": parent, "is_published": true, "is_show_menu": true, "seo": apitest.Map{"slug": slug}})
	}
	section("Teas", "teas", "product", "0")
	section("Canary cage", "canary-cage", "product", "0")
	section("Canary nest", "canary-nest", "product", a.ids["canary-cage"])
	section("News", "news", "news", "0")
	section("Canary papers", "canary-papers", "news", "0")
	a.add("finish", "/attributes", apitest.Map{"name": "Finish", "filterable": true, "options": []any{apitest.Map{"value": "odd", "label": "Odd"}}})
	a.add("text", "/attributes", apitest.Map{"name": "Note", "kind": "text"})
	product := func(name, slug, section string, more apitest.Map) {
		item := apitest.Map{
			"name": name, "category_id": a.ids[section], "is_published": true, "price": apitest.Map{"price": 77777}, "sku": strings.ToUpper(slug),
			"seo": apitest.Map{"slug": slug}, "description": "A canary shows.",
			"attributes": []any{apitest.Map{"attribute_id": a.ids["finish"], "option_ids": []any{a.option()}}, apitest.Map{"attribute_id": a.ids["text"], "text": "canary yellow"}},
		}
		for k, v := range more {
			item[k] = v
		}
		a.add(slug, "/products", item)
	}
	product("Canary bird", "was-canary", "canary-nest", nil)
	a.OK("PUT", "/products/"+a.ids["was-canary"], a.Owner, apitest.Map{"item": apitest.Map{"seo": apitest.Map{"slug": "canary-bird"}}})
	product("Canary alone", "canary-alone", "teas", nil)
	product("Set", "set", "teas", apitest.Map{
		"kind": "combo", "sku": "SET", "description": "", "attributes": []any{}, "combo_items": []any{apitest.Map{"product_id": a.ids["was-canary"], "quantity": 1}},
	})
	product("Green tea", "green-tea", "teas", apitest.Map{"price": apitest.Map{"price": 7}, "description": "", "sku": "GREEN", "attributes": []any{}})
	a.add("canary-news", "/articles", apitest.Map{"title": "Canary news", "category_id": a.ids["canary-papers"], "is_published": true, "slug": "canary-news"})
	a.add("canary-letter", "/articles", apitest.Map{"title": "Canary letter", "category_id": a.ids["news"], "is_published": true, "slug": "canary-letter"})
	a.add("harvest", "/articles", apitest.Map{"title": "Harvest", "category_id": a.ids["news"], "is_published": true, "slug": "harvest"})
	a.OK("PUT", "/articles/"+a.ids["harvest"]+"/related", a.Owner, apitest.Map{"ids": []any{a.ids["canary-news"], a.ids["canary-letter"]}})
	a.add("promotion", "/promotions", apitest.Map{
		"name": "Canary sale", "kind": "order_discount", "value": apitest.Map{"percent": 5},
		"conditions": apitest.Map{"product_ids": []any{a.ids["was-canary"]}, "min_quantity": 500},
	})
	a.add("gift", "/promotions", apitest.Map{"name": "A canary comes along", "kind": "gift", "value": apitest.Map{"product_id": a.ids["canary-alone"], "quantity": 1}})
	a.add("rule", "/storefront-redirects", apitest.Map{"kind": "exact", "from_path": "/old", "to_target": "/canary-cage/canary-nest/canary-bird", "code": 301, "enabled": true})
	a.buyer = a.Session(a.Buyer("ann@people.test"))
	for _, kind := range []string{"reviews", "questions"} {
		said := a.Result("POST", "/products/"+a.ids["was-canary"]+"/"+kind, a.buyer, apitest.Map{"company_id": a.Shop.ID, "rating": 5, "text": "A canary!"})
		a.ids[kind] = fmt.Sprint(said["id"])
		a.OK("PUT", "/"+kind+"/"+a.ids[kind], a.Owner, apitest.Map{"status": "approved"})
	}
	for _, id := range []string{"was-canary", "canary-alone", "green-tea", "set"} {
		a.OK("PUT", fmt.Sprintf("/v1/account/wishlist/%s?company_id=%d", a.ids[id], a.Shop.ID), a.buyer, nil)
		a.OK("POST", "/cart/items/"+a.ids[id]+"/default", a.buyer, apitest.Map{"quantity": 1})
	}
	return a
}

func (a *aviary) add(name, path string, item apitest.Map) {
	a.t.Helper()
	a.ids[name] = fmt.Sprint(a.Result("POST", path, a.Owner, apitest.Map{"item": item})["id"])
}

func (a *aviary) option() string {
	options := a.Result("GET", "/attributes/"+a.ids["finish"], a.Owner, nil)["options"].([]any)
	return fmt.Sprint(options[0].(apitest.Map)["id"])
}

// close restricts all canaries by one policy of a kind.
func (a *aviary) close(kind string) shop.PolicyID {
	a.t.Helper()
	var resources []apitest.Map
	for _, c := range [][2]string{
		{"category", "canary-cage"}, {"category", "canary-papers"}, {"product", "canary-alone"}, {"article", "canary-letter"},
	} {
		resources = append(resources, apitest.Map{"type": c[0], "id": a.ids[c[1]]})
	}
	made := a.Result("POST", "/access-policies", a.Owner, apitest.Map{"name": "Cages", "kind": kind, "resources": resources})
	a.policy = fmt.Sprint(made["id"])
	var id shop.PolicyID
	if err := id.UnmarshalText([]byte(a.policy)); err != nil {
		a.t.Fatal(err)
	}
	return id
}

// question is a call of an endpoint that shows a canary while nothing is closed.
type question struct {
	path string
	body any
	who  string // "buyer" if a session is needed
	same bool   // visitors who opened the policy get the same response as others
}

// TestEveryVisitorEndpointIsAskedForCanaries fails on a new endpoint about which it
// is not decided what it shows visitors.
func TestEveryVisitorEndpointIsAskedForCanaries(t *testing.T) {
	t.Parallel()
	a := apitest.New(t)
	for _, e := range a.Admin.Table() {
		name, d := decided(e)
		if visitors := e.Auth != api.Private && e.Manage == nil; visitors && len(d.asks) == 0 && d.notAsked == "" {
			t.Errorf("%s: decide what it shows visitors of closed things", name)
		}
	}
}

func (a *aviary) fill(text string) string {
	for name, id := range a.ids {
		text = strings.ReplaceAll(text, "{"+name+"}", id)
	}
	return strings.ReplaceAll(text, "{shop}", a.Shop.ID.String())
}

// ask asks every question with the given headers and key, and checks which responses show a
// canary.
func (a *aviary) ask(how string, header map[string]string, key string, see bool) {
	a.t.Helper()
	for row, d := range decisions {
		if a.skips != nil && a.skips.MatchString(row) {
			continue
		}
		method, _, _ := strings.Cut(row, " ")
		for _, q := range d.asks {
			as := key
			if q.who == "buyer" && as == "" {
				as = a.buyer
			}
			path := a.fill(q.path)
			if method == "GET" && !strings.Contains(path, "slug=tea") || q.who != "" {
				path += "&company_id=" + a.Shop.ID.String() + "&filter.company_id=" + a.Shop.ID.String()
				if !strings.Contains(path, "?") {
					path = strings.Replace(path, "&", "?", 1)
				}
			}
			r := apitest.Request{Method: method, Path: path, Key: as, Header: header}
			if q.body != nil {
				r.Body = a.fill(fmt.Sprint(q.body))
			}
			a.Clock.Advance(2 * time.Second)
			got := a.Send(r)
			if found := a.shows.Find(got.Body); see != (found != nil) && !(q.same && how == "opened") {
				a.t.Errorf("%s: %s %s shows %q, want shown: %v\n%d %.400s", how, method, path, found, see, got.Status, got.Body)
			}
		}
	}
}

// Closed things are visible before they are closed, hidden from strangers afterwards, visible
// to visitors who opened them and to the shop's people, and hidden again when the access has
// expired.
func TestClosedThingsAreInNoAnswerOfTheAPI(t *testing.T) {
	t.Parallel()
	a := newAviary(t)
	stranger := a.Session(a.Buyer("eve@people.test"))
	a.ask("open", nil, "", true)
	policy := a.close("password")
	a.ask("closed", nil, "", false)
	a.ask("closed, at the shop's host", a.ThroughStorefront(), "", false)
	a.ask("closed, with a session", nil, stranger, false)
	a.ask("closed, with another password", a.WithOpenedPolicies(policy+1), "", false)
	a.ask("opened", a.WithOpenedPolicies(policy), "", true)
	a.ask("ended", a.ThroughStorefront(), "", false)
	for _, q := range decisions["GET /products"].asks {
		if strings.Contains(q.path, "is_deleted") || strings.Contains(q.path, "stock") {
			continue // these filters narrow the lists of members only
		}
		if got := a.Send(apitest.Request{Method: "GET", Path: a.fill(q.path), Key: a.Owner}); !canary.Match(got.Body) {
			t.Errorf("the owner's key does not see %s: %s", q.path, got.Body)
		}
	}
	for _, path := range []string{"/articles?company_id=", "/articles/by-slug/canary-news?company_id="} {
		if got := a.Send(apitest.Request{Method: "GET", Path: path + a.Shop.ID.String(), Key: a.Stranger}); canary.Match(got.Body) {
			t.Errorf("another shop's key sees %s: %s", path, got.Body)
		}
	}
	a.OK("DELETE", "/access-policies/"+a.policy, a.Owner, nil)
	a.ask("open again", nil, "", true)
}

// Things in or below an unpublished section are in no response to visitors either: the test asks
// the same questions of every endpoint. Carts keep their lines, and a redirect to a typed
// address still shows its target. The set is hidden with its part, because it is sold whether
// the part is published or not.
func TestUnpublishedThingsAreInNoAnswerOfTheAPI(t *testing.T) {
	t.Parallel()
	a := newAviary(t)
	a.skips = regexp.MustCompile(` /cart/| /storefront/redirects`)
	publish := func(on bool) {
		a.OK("PUT", "/products/"+a.ids["set"], a.Owner, apitest.Map{"item": apitest.Map{"is_published": on}})
		for _, section := range []string{"canary-cage", "canary-papers"} {
			a.OK("PUT", "/categories/"+a.ids[section], a.Owner, apitest.Map{"item": apitest.Map{"is_published": on}})
		}
		a.OK("PUT", "/products/"+a.ids["canary-alone"], a.Owner, apitest.Map{"item": apitest.Map{"is_published": on}})
		a.OK("PUT", "/articles/"+a.ids["canary-letter"], a.Owner, apitest.Map{"item": apitest.Map{"is_published": on}})
	}
	a.ask("published", nil, "", true)
	publish(false)
	a.ask("unpublished", nil, "", false)
	a.ask("unpublished, at the shop's host", a.ThroughStorefront(), "", false)
	publish(true)
	a.ask("published again", nil, "", true)
}
