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

// questions are the calls of every endpoint that a visitor, a guest or a buyer may call and
// that shows parts of the catalogue. Placeholders of paths and bodies are ids.
var questions = map[string][]question{
	"GET /products": {
		{path: "/products?"}, {path: "/products?filter.query=canary"}, {path: "/products?filter.query=canery+brd"}, {path: "/products?filter.ids={was-canary}"},
		{path: "/products?filter.ids={canary-alone}"}, {path: "/products?filter.category_id={canary-cage}&filter.include_subtree=true"},
		{path: "/products?filter.category_id={teas}"}, {path: "/products?filter.min_price=70000"}, {path: "/products?sort.field=price&sort.order=desc"},
		{path: "/products?sort.field=name&page.number=1&page.limit=100"}, {path: "/products?filter.ids={set}"},
		{path: "/products?attribute_filters[0].attribute_id={finish}&attribute_filters[0].values=odd"},
	},
	"GET /products/{id}": {
		{path: "/products/{was-canary}?"}, {path: "/products/{canary-alone}?"}, {path: "/products/{set}?"}, {path: "/products/{was-canary}?galleries=cover"},
	},
	"GET /products/by-slug/{slug}": {{path: "/products/by-slug/canary-bird?"}, {path: "/products/by-slug/canary-alone?"}, {path: "/products/by-slug/set?"}},
	"GET /products/{id}/reviews":   {{path: "/products/{was-canary}/reviews?"}},
	"GET /products/{id}/questions": {{path: "/products/{was-canary}/questions?"}},
	"GET /categories":              {{path: "/categories?"}, {path: "/categories?view=menu"}},
	"GET /categories/{id}":         {{path: "/categories/{canary-cage}?"}, {path: "/categories/{canary-nest}?"}, {path: "/categories/{canary-papers}?"}},
	"GET /categories/by-slug/{slug}": {
		{path: "/categories/by-slug/canary-cage?"}, {path: "/categories/by-slug/canary-nest?"},
	},
	"GET /articles": {
		{path: "/articles?"}, {path: "/articles?query=canary"}, {path: "/articles?category_id={canary-papers}"}, {path: "/articles?category_id={news}&sort=popular"},
	},
	"GET /articles/by-slug/{slug}": {{path: "/articles/by-slug/canary-news?"}, {path: "/articles/by-slug/canary-letter?"}, {path: "/articles/by-slug/harvest?"}},
	"GET /slug-redirects/resolve":  {{path: "/slug-redirects/resolve?entity_type=product&slug=was-canary"}},
	"GET /storefront/redirects":    {{path: "/storefront/redirects?slug=tea", same: true}},
	"POST /cart/quote": {
		{path: "/cart/quote?", body: `{"company_id": {shop}, "items": [{"product_id": "{was-canary}"}, {"product_id": "{green-tea}"}], "explain": true}`},
		{path: "/cart/quote?", body: `{"company_id": {shop}, "items": [{"product_id": "{green-tea}"}], "explain": true}`}, // gifts, and why other products are not gifts
		{path: "/cart/quote?", body: `{"company_id": {shop}, "items": [{"product_id": "{set}"}]}`},
	},
	"GET /cart/items":          {{path: "/cart/items?explain=1", who: "buyer"}},
	"GET /v1/account/wishlist": {{path: "/v1/account/wishlist?", who: "buyer"}},
	"POST /v1/account/wishlist/merge": {
		{path: "/v1/account/wishlist/merge", who: "buyer", body: `{"company_id": {shop}, "product_ids": ["{was-canary}"]}`},
	},
	"POST /cart/merge": {
		{path: "/cart/merge", who: "buyer", body: `{"company_id": {shop}, "items": [{"product_id": "{was-canary}"}]}`},
	},
	"POST /cart/promo":   {{path: "/cart/promo", who: "buyer", body: `{"company_id": {shop}, "code": "none"}`}},
	"DELETE /cart/promo": {{path: "/cart/promo", who: "buyer", body: `{"company_id": {shop}}`}},
}

// notAsked gives the reason why the other endpoints of visitors and buyers are not asked.
var notAsked = map[string]string{
	`^(GET|PUT|POST|DELETE) /v1/auth/|^POST /v1/orgs/invitations`:                         "people",
	`^\w+ /v1/account( |$|/(addresses|tokens|companies|main-company|export|coupons))`:     "data of the person, including what they bought",
	`^\w+ /v1/orgs/|^\w+ /v1/shop/(letters|settings|domain)|^\w+ /webhooks|^GET /events`:  "for the shop's people",
	`^\w+ /v1/shop/(delivery-options|payment-methods)|^\w+ /v1/payments/|/payment`:        "delivery and payment",
	`^\w+ /orders|^POST /cart/confirm`:                                                    "orders have their own tests",
	`^(POST|PUT|DELETE) /cart/items|^(PUT|DELETE) /v1/account/wishlist`:                   "answers {}, has its own tests",
	`^\w+ /(reviews|questions)/\{id\}/helpful|^POST /products/\{id\}/(reviews|questions)`: "has its own tests",
	`^GET /products/\{id\}/reviews/own|^GET /reviews/\{id\}/files/`:                       "the caller's own texts and pictures",
	`^GET /attributes`:                                                            "definitions of attributes, without values of products",
	`^GET /v1/storefronts/resolve`:                                                "only ids of documents",
	`^\w+ /(forms|form-leads|form-files|uploads|v1/storages)`:                     "forms and files",
	`^PUT /products/(\{id\}|batch)/stock|^GET /products/(low-stock|\{id\}/stock)`: "for the shop's people",
	`^GET /(docs|llms|openapi|v1/openapi|compiled|partner)|^POST /docs/|^GET /$`:  "the API itself",
	`^\w+ /v1/sandbox/`:                                                           "one payment",
	`^\w+ /access-policies`:                                                       "for the shop's people",
	`^(GET|PUT) /cart/checkout$`:                                                  "the buyer's checkout form",
	`^(PUT|POST|DELETE) /v1/(storages|shop)`:                                      "for the shop's people",
}

// TestEveryVisitorEndpointIsAskedForCanaries fails on a new endpoint that is in neither
// list.
func TestEveryVisitorEndpointIsAskedForCanaries(t *testing.T) {
	t.Parallel()
	a := apitest.New(t)
	for _, e := range a.Admin.Table() {
		if e.Auth == api.Private || e.Manage != nil || len(questions[e.Method+" "+e.Path]) > 0 {
			continue
		}
		known := false
		for pattern := range notAsked {
			known = known || regexp.MustCompile(pattern).MatchString(e.Method+" "+e.Path)
		}
		if !known {
			t.Errorf("%s %s: decide what it shows visitors of closed things", e.Method, e.Path)
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
	for row, list := range questions {
		if a.skips != nil && a.skips.MatchString(row) {
			continue
		}
		method, _, _ := strings.Cut(row, " ")
		for _, q := range list {
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
	for _, q := range questions["GET /products"] {
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
