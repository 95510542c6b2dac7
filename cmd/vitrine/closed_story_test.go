package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"vitrine/internal/shop"
)

// hiddenShop is a shop with an entity of every kind that a policy can close.
type hiddenShop struct {
	p         *program
	key       string
	resources []any
	addresses []string // everything that the policy closes
	words     []string // that occur nowhere else
}

// hidden creates the entities.
func (p *program) hidden(key string) *hiddenShop {
	p.t.Helper()
	h := &hiddenShop{p: p, key: key}
	made := func(path string, item map[string]any) string {
		return itoa(p.must(key, "POST", path, map[string]any{"item": item})["id"])
	}
	closes := func(kind, id string) {
		h.resources = append(h.resources, map[string]any{"type": kind, "id": id})
	}
	section := func(name, kind string, parent string) string {
		return made("/categories", map[string]any{"name": name, "type": kind, "parent_id": parent, "is_published": true, "is_show_menu": true, "description": name + "-words"})
	}
	product := func(name, in string) {
		h.words = append(h.words, name)
		id := made("/products", map[string]any{"name": name, "category_id": in, "is_published": true, "price": map[string]any{"price": 77123}, "seo": map[string]any{"slug": strings.ToLower(name)}})
		if in == "0" {
			closes("product", id)
		}
	}
	trade := section("Tradehall", "product", "0")
	nested := section("Cellar", "product", trade)
	closes("category", trade)
	product("Puerh", trade)
	product("Sheng", nested)
	open := section("Teas", "product", "0")
	loose := made("/products", map[string]any{"name": "Rarissima", "category_id": open, "is_published": true, "price": map[string]any{"price": 77123}, "seo": map[string]any{"slug": "rarissima"}})
	closes("product", loose)
	news := section("News", "news", "0")
	article := made("/articles", map[string]any{"title": "Secretive", "category_id": news, "is_published": true, "announce": "Announced", "seo": map[string]any{"slug": "secretive"}})
	closes("article", article)
	folder, picture := filepath.Join(p.t.TempDir(), "handbook"), tinyPNG(p.t, 90)
	if err := errors.Join(os.CopyFS(folder, os.DirFS("testdata/website")), os.WriteFile(filepath.Join(folder, "tea.png"), picture, 0o600)); err != nil {
		p.t.Fatal(err)
	}
	site := p.website(key, "handbook", folder)
	closes("site_folder", site)
	if status, answer := p.call(key, "POST", "/site-files", map[string]any{"name": "list.csv", "body": "insider,list", "category_id": nested, "is_published": true}); status != 200 {
		p.t.Fatalf("the site file: %d %v", status, answer)
	}
	h.words = append(h.words, "Rarissima", "Secretive", "Announced", "Tradehall", "Cellar", "insider", "77123", "77,123")
	h.addresses = []string{"/tradehall", "/tradehall/cellar", "/tradehall/puerh", "/tradehall/cellar/sheng", "/teas/rarissima", "/news/secretive",
		"/handbook", "/handbook/", "/handbook/style.css", "/handbook/data.json", "/tradehall/cellar/list.csv",
		fmt.Sprintf("%s%s%s/%x", shop.FilesPrefix, shop.FolderImages, site, sha256.Sum256(picture))}
	return h
}

// policy closes all of them.
func (h *hiddenShop) policy(kind string, groups ...any) string {
	h.p.t.Helper()
	return itoa(h.p.must(h.key, "POST", "/access-policies", map[string]any{"name": "Trade", "kind": kind, "group_ids": groups,
		"title": "For our partners", "text": "Ask Ann at the fair.\n\nShe has the password.", "resources": h.resources})["id"])
}

// shut fails unless a visitor with the cookie gets the closed page, and nothing else, at
// every address.
func (h *hiddenShop) shut(visitor *program, what, cookie string) {
	h.p.t.Helper()
	for _, address := range h.addresses {
		for _, method := range []string{"GET", "HEAD"} {
			status, header, body := visitor.browse(method, "tea", address, cookie)
			if status != 403 || header.Get("Cache-Control") != "private, no-store" || header.Get("ETag") != "" || method == "GET" && !strings.Contains(body, "For our partners") {
				h.p.t.Errorf("%s: %s %s answers %d %v", what, method, address, status, header)
			}
			for name, values := range header {
				body += name + strings.Join(values, " ")
			}
			h.silent(what+": "+address, strings.ReplaceAll(body, url.QueryEscape(address), ""), address)
		}
	}
}

// silent fails if a text contains anything closed.
func (h *hiddenShop) silent(what, text, address string) {
	h.p.t.Helper()
	text = strings.ReplaceAll(text, address, "")
	for _, word := range h.words {
		if strings.Contains(text, word) {
			h.p.t.Errorf("%s reveals %s", what, word)
		}
	}
}

// open fails unless the visitor gets everything, uncached.
func (h *hiddenShop) open(visitor *program, what, cookie string) {
	h.p.t.Helper()
	for _, address := range h.addresses {
		status, header, _ := visitor.browse("GET", "tea", address, cookie)
		if status != 200 && (address != "/handbook" || status != 308) || header.Get("Cache-Control") != "private, no-store" {
			h.p.t.Errorf("%s: %s answers %d %v", what, address, status, header)
		}
	}
}

// enter tries a password at an address, and returns the resulting cookie.
func (p *program) enter(address, password string) (status int, cookie string) {
	p.t.Helper()
	status, cookie, _ = p.storefront("tea", "/_vitrine/access", map[string]string{"Content-Type": "application/x-www-form-urlencoded"},
		url.Values{"password": {password}, "next": {address}})
	return status, cookie
}

// Through the API of one process, every kind of entity is closed, opened by a password and
// closed again, and the edge in another process follows; its earlier cache entries are not
// served to anyone.
func TestPolicyAppliesInAnotherProcess(t *testing.T) {
	t.Parallel()
	processes := sharing(t, 2)
	writer, visitor := processes[0], processes[1]
	key := writer.shop("tea")
	writer.startRole("admin")
	visitor.startRole("edge")
	h := writer.hidden(key)
	for _, address := range h.addresses {
		wait(t, address, func() bool { status, _, _ := visitor.visit("tea", address); return status == 200 || status == 308 })
		visitor.visit("tea", address) // from the cache
	}
	visitor.visit("tea", "/sitemap.xml")

	policy := h.policy("password")
	at := "/access-policies/" + policy
	grant := writer.must(key, "POST", at+"/passwords", map[string]any{"label": "Fair", "uses": 2})
	password := grant["password"].(string)
	wait(t, "it is closed", func() bool { status, _, _ := visitor.visit("tea", "/tradehall"); return status == 403 })
	h.shut(visitor, "a stranger", "")
	h.shut(visitor, "a visitor with a forged cookie", "vitrine-access-"+policy+"=1.99999999999.00; __Host-vitrine-session=x")
	for _, address := range []string{"/", "/teas", "/news", "/sitemap.xml", "/nothing", "/deals"} {
		_, _, body := visitor.visit("tea", address)
		h.silent(address, body, "-")
	}
	if status, cookie := visitor.enter("/tradehall", "wrong"); status != 403 || cookie != "" {
		t.Errorf("a wrong password: %d %s", status, cookie)
	}
	status, cookie := visitor.enter("/tradehall", password)
	if status != 303 || !strings.HasPrefix(cookie, "vitrine-access-"+policy+"=") {
		t.Fatalf("the password: %d %s", status, cookie)
	}
	wait(t, "the edge accepts the password", func() bool { status, _, _ := visitor.browse("GET", "tea", "/tradehall", cookie); return status == 200 })
	h.open(visitor, "with the password", cookie)
	h.shut(visitor, "a visitor without access after another one entered", "")
	if _, _, body := visitor.browse("GET", "tea", "/tradehall", cookie); !strings.Contains(body, "Puerh") || !strings.Contains(body, "/tradehall/cellar") {
		t.Error("a visitor with access does not see everything")
	}
	if status, _ := visitor.enter("/tradehall", password); status != 303 {
		t.Errorf("the second entry of two: %d", status)
	}
	if status, cookie := visitor.enter("/tradehall", password); status != 403 || cookie != "" {
		t.Errorf("the third entry of two: %d %s", status, cookie)
	}
	h.open(visitor, "a visitor with access keeps it after the entries are used up", cookie)

	writer.must(key, "DELETE", at+"/passwords/"+grant["id"].(string), nil)
	wait(t, "the password has ended", func() bool { status, _, _ := visitor.browse("GET", "tea", "/tradehall", cookie); return status == 403 })
	h.shut(visitor, "a visitor whose password was deleted", cookie)

	writer.must(key, "DELETE", at, nil)
	wait(t, "it is open", func() bool { status, _, _ := visitor.visit("tea", "/tradehall"); return status == 200 })
	for _, address := range h.addresses {
		if status, header, _ := visitor.visit("tea", address); status != 200 && status != 308 || strings.Contains(header.Get("Cache-Control"), "private") {
			t.Errorf("opened again: %s answers %d %v", address, status, header)
		}
	}
}

// Access by customer: for all customers of the shop, and for those of a group. Guests and
// expired sessions have no access.
func TestPolicyGivesAccessToCustomers(t *testing.T) {
	t.Parallel()
	p := newProgram(t)
	key := p.shop("tea")
	p.start()
	h := p.hidden(key)
	group := p.must(key, "POST", "/customer-groups", map[string]any{"name": "Partners"})["id"]
	session := func(email string) string {
		p.signs("", "/api/v1/auth/code", map[string]any{"email": email})
		code := sixDigits.FindString(p.letterTo(email))
		return p.signs("", "/api/v1/auth/code/confirm", map[string]any{"email": email, "code": code})
	}
	ann, ben, eve := session("ann@people.test"), session("ben@people.test"), session("eve@people.test")
	guest := p.signs("", "/api/v1/auth/guest", map[string]any{})
	p.must(key, "POST", "/customers", map[string]any{"email": "ann@people.test", "group_ids": []any{group}})
	p.must(key, "POST", "/customers", map[string]any{"email": "ben@people.test"})

	policy := h.policy("customers")
	h.shut(p, "a stranger", "")
	h.shut(p, "a guest", guest)
	h.shut(p, "a registered visitor who is not a customer of the shop", eve)
	h.open(p, "a customer", ben)
	h.open(p, "another one", ann)
	p.must(key, "PUT", "/access-policies/"+policy, map[string]any{"kind": "group", "group_ids": []any{group}})
	h.shut(p, "a customer in no group", ben)
	h.open(p, "one of the group", ann)
	if status, cookie := p.enter("/tradehall", "word"); status != 303 || cookie != "" {
		t.Errorf("a password for a policy without passwords: %d %s", status, cookie)
	}
	p.opensInItsSection(key, ann)
	p.confirmsAddress(key, group, h)
	p.signs(ann, "/api/v1/auth/logout", map[string]any{})
	h.shut(p, "a group member with an expired session", ann)
}

// confirmsAddress registers a customer of the shop, who sees that the address must be confirmed first,
// and does so with the code of a letter.
func (p *program) confirmsAddress(key string, group any, h *hiddenShop) {
	p.t.Helper()
	const email = "fay@people.test"
	p.must(key, "POST", "/customers", map[string]any{"email": email, "group_ids": []any{group}})
	fay := p.signs("", "/api/v1/auth/register", map[string]any{"email": email, "password": "a long password", "name": "Fay"})
	h.shut(p, "a customer whose address is not confirmed", fay)
	if _, _, body := p.browse("GET", "tea", "/tradehall", fay); !strings.Contains(body, "your e-mail address is not confirmed") || !strings.Contains(body, `href="/account?next=%2Ftradehall"`) {
		p.t.Errorf("the closed page does not say why: %s", body)
	}
	if _, _, body := p.browse("GET", "tea", "/account?next=%2Ftradehall", fay); !strings.Contains(body, "Your e-mail address is not confirmed") {
		p.t.Errorf("the account does not ask for a confirmation: %s", body)
	}
	form := url.Values{"email": {email}, "next": {"/tradehall"}, "do": {"code"}}
	send := func() (int, string) {
		status, cookie, _ := p.storefront("tea", "/account", map[string]string{"Content-Type": "application/x-www-form-urlencoded", "Cookie": fay}, form)
		return status, cookie
	}
	if status, _ := send(); status != 200 {
		p.t.Errorf("the code: %d", status)
	}
	form.Set("code", sixDigits.FindString(p.letterTo(email)))
	form.Set("do", "confirm")
	status, fay := send()
	if status != 303 {
		p.t.Errorf("the confirmation: %d", status)
	}
	h.open(p, "a customer who confirmed the address", fay)
}

// opensInItsSection closes one product of an open section; customers see it there, other
// visitors do not.
func (p *program) opensInItsSection(key, customer string) {
	p.t.Helper()
	item := func(fields map[string]any) map[string]any { return map[string]any{"item": fields} }
	section := p.must(key, "POST", "/categories", item(map[string]any{"name": "Open shelf", "type": "product", "is_published": true, "seo": map[string]any{"slug": "open-shelf"}}))["id"]
	for _, name := range []string{"Plain pot", "Secret pot"} {
		made := p.must(key, "POST", "/products", item(map[string]any{"name": name, "category_id": section, "is_published": true, "price": map[string]any{"price": 5}}))["id"]
		if name == "Secret pot" {
			p.must(key, "POST", "/access-policies", map[string]any{"name": "Pots", "kind": "customers", "resources": []any{map[string]any{"type": "product", "id": made}}})
		}
	}
	for range 2 {
		for cookie, sees := range map[string]bool{"": false, customer: true} {
			status, header, body := p.browse("GET", "tea", "/open-shelf", cookie)
			if status != 200 || !strings.Contains(body, "Plain pot") || strings.Contains(body, "Secret pot") != sees {
				p.t.Errorf("the open section, a customer %v: %d, %v", sees, status, strings.Contains(body, "Secret pot"))
			}
			if private := strings.Contains(header.Get("Cache-Control"), "no-store"); private != sees {
				p.t.Errorf("the open section, a customer %v: %s", sees, header.Get("Cache-Control"))
			}
		}
	}
}

// signs makes a buyer's API call through the shop's host, and returns the cookie it sets.
func (p *program) signs(cookie, path string, body map[string]any) string {
	p.t.Helper()
	text, err := json.Marshal(body)
	if err != nil {
		p.t.Fatal(err)
	}
	request, err := http.NewRequest("POST", "http://"+p.edge+path, bytes.NewReader(text))
	if err != nil {
		p.t.Fatal(err)
	}
	request.Host = "tea.localhost"
	request.Header.Set("Cookie", cookie)
	request.Header.Set("Content-Type", "application/json")
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		p.t.Fatal(err)
	}
	defer response.Body.Close()
	if response.StatusCode >= 300 {
		p.t.Errorf("%s: %d", path, response.StatusCode)
	}
	set, _, _ := strings.Cut(response.Header.Get("Set-Cookie"), ";")
	return set
}
