package main

import (
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

// cabinetScreens are the screens of the cabinet, with a text that each shows when it is ready, and
// the button that opens more of it. ID is the id of the first object that a list has, DOC that of the
// first html document.
var cabinetScreens = []struct{ path, shows, pushes string }{
	{"/cabinet/#open", "Open a shop", ""},
	{"/cabinet/account", "Where you are signed in", "Set up the app"},
	{"/cabinet/account", "Where you are signed in", "Delete the account"},
	{"/cabinet/account", "Where you are signed in", "Leave a shop"},
	{"/cabinet/demo/start", "Last 30 days", ""},
	{"/cabinet/demo/start", "Last 30 days", "Account"},
	{"/cabinet/demo/start", "Last 30 days", "Search"},
	{"/cabinet/demo/orders", "40 orders", ""},
	{"/cabinet/demo/orders", "40 orders", "Views"},
	{"/cabinet/demo/orders?q=xqzt", "No order matches.", ""},
	{"/cabinet/demo/orders/ID", "For members of the shop", "Show"},
	{"/cabinet/demo/orders/ID", "For members of the shop", "State"},
	{"/cabinet/demo/orders/ID", "For members of the shop", "Add a parcel"},
	{"/cabinet/demo/orders/ID", "For members of the shop", "Refund"},
	{"/cabinet/demo/orders/99999999", "There is nothing at this address.", ""},
	{"/cabinet/demo/orders/new", "Way of delivery", ""},
	{"/cabinet/demo/orders/carts", "No carts were left.", ""},
	{"/cabinet/demo/products", "62 products", "Help"},
	{"/cabinet/demo/products?q=matcha", "Uji ceremonial matcha", "As a call"},
	{"/cabinet/demo/products?q=xqzt", "No product matches.", ""},
	{"/cabinet/demo/products/new", "New product", ""},
	{"/cabinet/demo/products/ID", "Search engines", ""},
	{"/cabinet/demo/products/99999999", "There is nothing at this address.", ""},
	{"/cabinet/demo/products?view=grid", "Fill down", ""},
	{"/cabinet/demo/sections", "Teapots and kettles", "New section"},
	{"/cabinet/demo/sections/ID", "Search engines", ""},
	{"/cabinet/demo/attributes", "New attribute", ""},
	{"/cabinet/demo/attributes/ID", "Values", ""},
	{"/cabinet/demo/groups", "New group", ""},
	{"/cabinet/demo/groups/new", "New group", ""},
	{"/cabinet/demo/design", "21 pages", "New page"},
	{"/cabinet/demo/design/slots", "Group bound here", ""},
	{"/cabinet/demo/design/drafts", "Nothing is waiting to be published.", ""},
	{"/cabinet/demo/design/category/17", "Template", "Add a block"},
	{"/cabinet/demo/design/shop/0", "The platform draws it.", ""},
	{"/cabinet/demo/articles", "New article", ""},
	{"/cabinet/demo/articles/ID", "Search engines", ""},
	{"/cabinet/demo/articles/new", "New article", ""},
	{"/cabinet/demo/articles/rubrics", "New rubric", ""},
	{"/cabinet/demo/customers", "New customer", ""},
	{"/cabinet/demo/customers/ID", "Customer since", "Erase"},
	{"/cabinet/demo/customers/new", "New customer", ""},
	{"/cabinet/demo/customers/groups", "There are no groups yet.", ""},
	{"/cabinet/demo/customers/groups/new", "Who is in it", ""},
	{"/cabinet/demo/reviews", "next", "Answer"},
	{"/cabinet/demo/reviews?kind=questions&status=any", "Questions", ""},
	{"/cabinet/demo/leads?status=any", "1 lead", ""},
	{"/cabinet/demo/leads?status=spam", "No leads here.", ""},
	{"/cabinet/demo/leads/ID", "What was sent", ""},
	{"/cabinet/demo/leads/99999999", "There is nothing at this address.", ""},
	{"/cabinet/demo/files", "133 files", ""},
	{"/cabinet/demo/files/ID", "Used in", ""},
	{"/cabinet/demo/files/galleries", "New gallery", ""},
	{"/cabinet/demo/files/galleries/new", "New gallery", ""},
	{"/cabinet/demo/websites", "New document", "New document"},
	{"/cabinet/demo/websites?kind=folders", "New site folder", ""},
	{"/cabinet/demo/websites/documents/ID", "Bring a website", "Paste a page"},
	{"/cabinet/demo/websites/documents/DOC/ID", "It can be published.", ""},
	{"/cabinet/demo/forms", "New form", ""},
	{"/cabinet/demo/forms/new", "Add a field", "Choice by buttons"},
	{"/cabinet/demo/letters", "20 letters", ""},
	{"/cabinet/demo/letters/sent", "letters", ""},
	{"/cabinet/demo/letters/order_made_buyer", "Your order 1", ""},
	{"/cabinet/demo/policies", "Close a part", ""},
	{"/cabinet/demo/policies/new", "Who may enter", ""},
	{"/cabinet/demo/team", "3 members", "Invite"},
	{"/cabinet/demo/team", "3 members", "Change the role: owner@demo.example"},
	{"/cabinet/demo/team/audit", "Audit log", ""},
	{"/cabinet/demo/integrations", "New key", "Everything: demo"},
	{"/cabinet/demo/integrations/keys/new", "Products and prices", ""},
	{"/cabinet/demo/integrations/assistants", "1 assistant", ""},
	{"/cabinet/demo/integrations/selling", "No assistant has begun a cart yet", ""},
	{"/cabinet/demo/integrations/selling/1", "Nothing was sent yet.", ""},
	{"/cabinet/demo/integrations/webhooks", "New webhook", ""},
	{"/cabinet/demo/integrations/webhooks/new", "An order was made", ""},
	{"/cabinet/demo/integrations/events", "50 events", ""},
	{"/cabinet/invitation#vi_0", "This invitation has expired", ""},
	{"/cabinet/demo/transfer", "The whole shop", ""},
	{"/cabinet/demo/transfer/move-in", "Drop files here", ""},
	{"/cabinet/demo/promotions", "8 promotions", ""},
	{"/cabinet/demo/promotions?q=xqzt", "No promotion matches.", ""},
	{"/cabinet/demo/promotions/ID", "What it would have done", "Delete"},
	{"/cabinet/demo/promotions/new", "New promotion", "When"},
	{"/cabinet/demo/promotions/new", "New promotion", "Limits"},
	{"/cabinet/demo/promotions/explain?product=1", "To pay for the goods", ""},
	{"/cabinet/demo/promotions/prices", "Black tea by the tin", ""},
	{"/cabinet/demo/promotions/prices/ID", "What is counted", ""},
	{"/cabinet/demo/promotions/prices/new", "New quantity price", ""},
	{"/cabinet/demo/redirects", "In the order in which they are tried", ""},
	{"/cabinet/demo/redirects?q=xqzt", "No rule matches.", ""},
	{"/cabinet/demo/redirects/1", "What visitors would notice", ""},
	{"/cabinet/demo/redirects/new", "New rule", ""},
	{"/cabinet/demo/redirects/misses", "Lead unknown addresses", ""},
	{"/cabinet/demo/redirects/check?url=/spring", "A page of the shop", ""},
	{"/cabinet/demo/redirects/order", "Addresses by a mask", ""},
	{"/cabinet/demo/redirects/versions", "Version 2", ""},
	{"/cabinet/demo/redirects/versions/2", "A rule was made", "Restore these rules"},
	{"/cabinet/demo/site-files", "2 files", ""},
	{"/cabinet/demo/site-files/1", "Checked by the rules of Yandex Market", "What is checked"},
	{"/cabinet/demo/site-files/1", "Checked by the rules of Yandex Market", "Delete"},
	{"/cabinet/demo/site-files/new", "New file", ""},
	{"/cabinet/demo/statistics", "Products by revenue", ""},
	{"/cabinet/demo/statistics?from=2026-01-02&to=2025-01-01", "at most 366 days", ""},
	{"/cabinet/demo/settings", "Plan usage", ""},
	{"/cabinet/demo/settings/shop", "Search engines and link previews", ""},
	{"/cabinet/demo/settings/look", "Preview", ""},
	{"/cabinet/demo/settings/orders", "Carts that were left", ""},
	{"/cabinet/demo/settings/delivery", "3 delivery options", ""},
	{"/cabinet/demo/settings/delivery/1", "Courier", "Delete"},
	{"/cabinet/demo/settings/delivery/new", "New delivery option", "Add a rate"},
	{"/cabinet/demo/settings/payments", "By agreement", ""},
	{"/cabinet/demo/settings/payments/yookassa", "Keys of the account", ""},
	{"/cabinet/demo/settings/tax", "Rates by country and class", ""},
	{"/cabinet/demo/settings/address", "Own domain", ""},
	{"/cabinet/demo/settings/usage", "Feeds and site files", ""},
	{"/cabinet/demo/settings/state", "Delete the shop", ""},
	{"/cabinet/new/start", "Steps of a new shop", "First product"},
	{"/cabinet/new/settings/delivery", "Without a delivery option", ""},
}

// axe-core finds no violation on any screen of the cabinet, wide and narrow, light and dark, and
// none is wider than the window.
func TestCabinetIsAccessible(t *testing.T) {
	t.Parallel()
	p := newDemo(t)
	p.env = append(p.env, "VITRINE_ADMIN_URL=http://admin.localhost:"+portOf(t, p.admin))
	p.start()
	p.verb("shop", "create", "--slug", "new", "--name", "New", "--currency", "EUR", "--owner-email", "owner@demo.example", "--owner-password", "tea-at-four")
	key := p.verb("key", "issue", "--shop", "demo", "--scopes", "all")["key"].(string)
	ids := map[string]string{}
	for area, list := range map[string]string{
		"products": "/products?page.limit=1", "sections": "/categories", "attributes": "/attributes", "articles": "/articles?page.limit=1", "files": "/v1/storages/files?page.limit=1",
		"customers": "/customers?page.limit=1", "promotions": "/promotions?page.limit=1", "prices": "/pricing-rules?page.limit=1", "documents": "/html-documents",
	} {
		_, answer := p.call(key, "GET", list, nil)
		entries, ok := answer["result"].([]any)
		if !ok {
			entries = answer["result"].(map[string]any)["items"].([]any)
		}
		ids[area] = itoa(entries[0].(map[string]any)["id"])
	}
	ids["DOC"] = p.must(key, "GET", "/html-documents/"+ids["documents"], nil)["active_release_id"].(string)
	ids["orders"] = itoa(p.must(key, "POST", "/orders", map[string]any{"page": map[string]any{"limit": 1}})["items"].([]any)[0].(map[string]any)["id"])
	owner := p.token("owner@demo.example")
	p.must(owner, "PUT", "/v1/account/views/orders", map[string]any{"views": []any{map[string]any{"name": "New", "search": map[string]any{"status": "new"}}, map[string]any{"name": "To ship", "search": map[string]any{"waits": "shipment"}}}})
	company := itoa(p.must(key, "GET", "/v1/orgs/current", nil)["id"])
	form := p.must(key, "POST", "/forms", map[string]any{"item": map[string]any{"name": "Call me back", "submit_text": "Call me", "success": map[string]any{"action": "text", "text": "We call."}, "fields": []any{
		map[string]any{"name": "who", "label": "Your name", "type": "text"}, map[string]any{"name": "email", "label": "Email", "type": "email"}}}})["id"]
	ids["leads"] = itoa(p.must("", "POST", "/form-leads?company_id="+company, map[string]any{"form_id": form, "values": map[string]any{"who": "Ann", "email": "ann@people.test"}, "page_url": "/"})["id"])
	p.connectsAssistant(company)
	core := axeCore(t)
	for _, width := range []int64{1280, 390} {
		t.Run(fmt.Sprintf("at %d", width), func(t *testing.T) {
			b := cabinet(t, p, width)
			found := map[string]bool{}
			look := func(what string) {
				t.Helper()
				b.until(`!document.querySelector('.mantine-Skeleton-root, .mantine-Loader-root')`)
				b.axeHere(core, what, found)
				b.is(`document.documentElement.scrollWidth <= innerWidth`, "true")
			}
			for _, hash := range []string{"", "#register", "#forgot"} {
				b.open("/docs/scopes.json", width) // a change of the hash alone loads nothing
				b.open("/cabinet/"+hash, width)
				b.until(`document.querySelector('main [type=submit]')`)
				look("/cabinet/" + hash)
			}
			b.open("/cabinet/", width)
			b.until(`document.querySelector('[name=password]')`)
			b.entersCabinet("owner@demo.example", "tea-at-four")
			b.until(`!document.querySelector('[name=password]')`)
			for _, s := range cabinetScreens {
				b.open("/docs/scopes.json", width)
				path := s.path
				if list, found := strings.CutSuffix(path, "/ID"); found {
					path = list + "/" + ids[list[strings.LastIndex(list, "/")+1:]]
				}
				b.open(strings.Replace(path, "/DOC/", "/"+ids["documents"]+"/", 1), width)
				b.shows(s.shows)
				if s.pushes != "" {
					b.pushes(s.pushes)
				}
				look(s.path + " " + s.pushes)
			}
			for _, found := range b.complaints() {
				if !strings.Contains(found, "404") { // the product that is not there
					t.Error(found)
				}
			}
			if err := chromedp.Do(b.ctx, chromedp.Navigate("about:blank")); err != nil {
				t.Fatal(err)
			}
		})
	}
}

// connectsAssistant lets a program act for the owner of the demo shop, as its OAuth pages do.
func (p *program) connectsAssistant(company string) {
	p.t.Helper()
	const callback = "https://agent.test/callback"
	client := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	post := func(path, contentType, body string, want int) string {
		p.t.Helper()
		answer, err := client.Post("http://"+p.admin+path, contentType, strings.NewReader(body))
		if err != nil {
			p.t.Fatal(err)
		}
		text, err := io.ReadAll(answer.Body)
		if err = errors.Join(err, answer.Body.Close()); err != nil || answer.StatusCode != want {
			p.t.Fatalf("%s: %d %s, %v", path, answer.StatusCode, text, err)
		}
		return string(text) + answer.Header.Get("Location")
	}
	const form = "application/x-www-form-urlencoded"
	found := func(pattern, text string) string { return regexp.MustCompile(pattern).FindStringSubmatch(text)[1] }
	id := found(`"client_id":"([^"]+)"`, post("/oauth/register", "application/json", `{"client_name":"Agent of a very long name","redirect_uris":["`+callback+`"]}`, 201))
	const verifier = "an-unguessable-verifier-of-more-than-43-characters"
	sum := sha256.Sum256([]byte(verifier))
	consent := post("/oauth/authorize", form, url.Values{
		"email": {"owner@demo.example"}, "password": {"tea-at-four"}, "response_type": {"code"}, "client_id": {id}, "redirect_uri": {callback}, "state": {"s"},
		"code_challenge": {base64.RawURLEncoding.EncodeToString(sum[:])}, "code_challenge_method": {"S256"}, "resource": {"http://admin.localhost:" + portOf(p.t, p.admin) + "/mcp"},
	}.Encode(), 200)
	agreed := post("/oauth/authorize", form, url.Values{"consent": {found(`name="consent" value="([^"]+)"`, consent)}, "company_id": {company}, "contour": {"dev"}, "decision": {"allow"}}.Encode(), 303)
	post("/oauth/token", form, url.Values{"grant_type": {"authorization_code"}, "code": {found(`[?&]code=([^&]+)`, agreed)}, "redirect_uri": {callback}, "client_id": {id}, "code_verifier": {verifier}}.Encode(), 200)
}

// A new screen of the cabinet is checked, too.
func TestEveryScreenOfTheCabinetIsCheckedForAccess(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("../../admin/cabinet/web/src/pages/*/routes.ts")
	if err != nil || len(files) < 7 {
		t.Fatal(files, err)
	}
	route := regexp.MustCompile(`getParentRoute: \(\) => (root|shop),\s*path: "([^"]+)"`)
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range route.FindAllStringSubmatch(string(text), -1) {
			path := "/cabinet/" + m[2]
			if m[1] == "shop" {
				path = "/cabinet/$shop/" + m[2]
			}
			screen := regexp.MustCompile("^" + regexp.MustCompile(`\$\w+`).ReplaceAllString(path, `[^/]+`) + `([?#].*)?$`)
			if !slices.ContainsFunc(cabinetScreens, func(s struct{ path, shows, pushes string }) bool { return screen.MatchString(s.path) }) {
				t.Errorf("%s of %s is not in cabinetScreens", path, file)
			}
		}
	}
}
