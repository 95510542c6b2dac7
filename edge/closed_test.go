package edge

import (
	"context"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/valyala/fasthttp"

	"vitrine/compile"
	"vitrine/internal/shop"
	"vitrine/render"
)

// policies sets the policies of shop 7 and the passwords that open them, as "policy
// password" to grant.
func (w *world) policies(words map[string]shop.GrantID, list ...compile.Policy) {
	w.t.Helper()
	if list == nil {
		list = []compile.Policy{}
	}
	w.change(7, compile.Delta{Policies: list}, func(s *fixtureShop) { s.words = words },
		shop.Key{Kind: shop.KeyAccess}, shop.Key{Kind: shop.KeyCategories})
}

// tradeOnly closes the shoes, and everything below, with the password "sesame".
func tradeOnly() compile.Policy {
	return compile.Policy{ID: 1, Kind: shop.ByPassword, Title: "For <partners>", Text: "Ask Ann.", Sections: []shop.CategoryID{1}, Grants: []compile.Grant{{ID: 5}}}
}

var sesame = map[string]shop.GrantID{"1 sesame": 5}

func (w *world) tryPassword(password, next string, lines ...string) reply {
	w.t.Helper()
	body := "password=" + url.QueryEscape(password) + "&next=" + url.QueryEscape(next)
	return w.raw("POST", requestOf("POST", "/_vitrine/access",
		append(lines, "Content-Type: application/x-www-form-urlencoded", "Content-Length: "+itoa(len(body)))...)+body)
}

// pass returns the cookie that a password gives, as a header line.
func (w *world) pass(password, next string, lines ...string) string {
	w.t.Helper()
	got := w.tryPassword(password, next, lines...)
	w.expect("the password", got, 303, "Location", next, "Cache-Control", "no-store")
	value, _, _ := strings.Cut(got.has("Set-Cookie"), ";")
	return "Cookie: " + value
}

// expectClosed fails unless the response is the page in place of a closed resource.
func (w *world) expectClosed(what string, got reply) {
	w.t.Helper()
	w.expect(what, got, 403, "Cache-Control", "private, no-store", "X-Robots-Tag", "noindex", "ETag", "", "Location", "", "Surrogate-Key", "",
		"Content-Range", "", "Last-Modified", "")
	for _, secret := range []string{"Boot", "Clog", "Opening", "<p>guide", "words words", `"key"`} {
		if strings.Contains(got.Body, secret) {
			w.t.Errorf("%s: the page holds %s", what, secret)
		}
	}
}

func TestClosedPagesAskForTheirPasswordAtEveryAddress(t *testing.T) {
	w := newDocs(t)
	w.putFile(30, 1, "shoes.csv", "sku\n")
	closed := []string{"/shoes", "/shoes/", "/shoes?page=2", "/category/1", "/shoes/boot", "/shoes/boot?variant=RED+7", "/product/11", "/elsewhere/boot", "/boot",
		"/shoes/nothing", "/docs", "/docs/", "/docs/guide/", "/docs/big.json", "/docs/nothing", "/docs//app.js", "/news/opening", "/article/21",
		"/shoes/shoes.csv", "/_file/30"}
	open := []string{"/about", "/news", "/"}
	for range 3 { // twice from the cache
		for _, target := range append(closed, open...) {
			w.get(target)
		}
	}
	policy := tradeOnly()
	policy.Sections, policy.Articles = append(policy.Sections, 9), []shop.ArticleID{21}
	w.policies(sesame, policy)
	for range 2 {
		for _, target := range closed {
			got := w.get(target)
			w.expectClosed(target, got)
			if !strings.Contains(got.Body, "For &lt;partners&gt;") || !strings.Contains(got.Body, `name="password"`) || !strings.Contains(got.Body, "<title>For &lt;partners&gt;") {
				t.Errorf("%s: %s", target, got.Body)
			}
			w.expectClosed("a part of "+target, w.get(target, "Range: bytes=0-3"))
			w.expectClosed("conditional request for "+target, w.get(target, "If-None-Match: *"))
			if head := w.ask("HEAD", target); head.Body != "" {
				t.Errorf("HEAD %s has a body", target)
			} else {
				w.expectClosed("HEAD "+target, head)
			}
			w.expect("POST "+target, w.ask("POST", target, "Content-Length: 0"), 405)
		}
		for _, target := range open {
			w.expect(target, w.get(target), 200)
		}
	}
	if got := w.get("/"); strings.Contains(got.Body, "/shoes") {
		t.Error("a stranger's menu contains a closed section")
	}
	if got := w.get("/sitemap.xml"); strings.Contains(got.Body, "/shoes") || strings.Contains(got.Body, "/docs") || !strings.Contains(got.Body, "/about") {
		t.Errorf("the sitemap: %s", got.Body)
	}
	w.expect("the .html redirect reveals nothing", w.get("/shoes/boot.html"), 308, "Location", "/shoes/boot")

	pass := w.pass("sesame", "/shoes/boot")
	for _, target := range []string{"/shoes", "/shoes/boot", "/docs/", "/docs/big.json", "/news/opening", "/shoes/shoes.csv", "/_file/30"} {
		for range 2 {
			got := w.get(target, pass)
			w.expect("with the cookie "+target, got, 200, "Cache-Control", "private, no-store", "X-Robots-Tag", "noindex", "Surrogate-Key", "")
		}
		w.expectClosed("without it "+target, w.get(target))
		w.pass("sesame", target)
	}
	w.expect("a redirect", w.get("/product/11", pass), 308, "Location", "/shoes/boot", "Cache-Control", "private, no-store")
	w.expect("a missing page", w.get("/shoes/nothing", pass), 404, "Cache-Control", "private, no-store")
	if got := w.get("/shoes", pass); !strings.Contains(got.Body, `href="/shoes"`) {
		t.Error("the menu of a visitor with access lacks the section")
	}
	if got := w.get("/about", pass); got.has("Cache-Control") != pageCaching || strings.Contains(got.Body, `href="/shoes"`) {
		t.Error("an open page differs for a visitor with access to closed ones")
	}
	w.policies(nil)
	for _, target := range []string{"/shoes", "/shoes/boot", "/docs/", "/news/opening"} {
		got := w.get(target)
		w.expect("opened again "+target, got, 200)
		if cache := got.has("Cache-Control"); strings.Contains(cache, "no-store") {
			t.Errorf("%s: %s", target, cache)
		}
	}
}

func TestPolicyCookieIsBoundToItsPolicyAndGrant(t *testing.T) {
	w := newWorld(t)
	second := compile.Policy{ID: 2, Kind: shop.ByPassword, Sections: []shop.CategoryID{3}, Grants: []compile.Grant{{ID: 7}}}
	words := map[string]shop.GrantID{"1 sesame": 5, "2 other": 7}
	w.policies(words, tradeOnly(), second)
	got := w.tryPassword("wrong", "/shoes")
	w.expectClosed("wrong", got)
	if got.has("Set-Cookie") != "" || !strings.Contains(got.Body, "aria-invalid") {
		t.Errorf("wrong: %s", got.Body)
	}
	got = w.tryPassword(" sesame ", "/shoes/boot?variant=RED+7")
	w.expect("right", got, 303, "Location", "/shoes/boot?variant=RED+7")
	cookie := got.has("Set-Cookie")
	for _, part := range []string{"vitrine-access-1=5.", "HttpOnly", "SameSite=Lax", "Path=/"} {
		if !strings.Contains(cookie, part) {
			t.Errorf("the cookie %q lacks %s", cookie, part)
		}
	}
	value, _, _ := strings.Cut(cookie, ";")
	pass := "Cookie: " + value
	w.expect("its own policy", w.get("/shoes", pass), 200)
	w.expectClosed("another policy's", w.get("/news", pass))
	w.expectClosed("under the name of another policy", w.get("/news", "Cookie: "+strings.Replace(value, "access-1=", "access-2=", 1)))
	w.expectClosed("of another grant", w.get("/shoes", "Cookie: "+strings.Replace(value, "=5.", "=6.", 1)))
	w.expectClosed("forged", w.get("/shoes", "Cookie: "+value[:len(value)-1]+"g"))
	w.expectClosed("stretched", w.get("/shoes", "Cookie: "+strings.Replace(value, "=5.", "=5.9", 1)))
	for _, junk := range []string{"", ".", "..", "5", "5.", "x.y.z", strings.Repeat("9", 400) + ".1.2"} {
		w.expectClosed("junk", w.get("/shoes", "Cookie: vitrine-access-1="+junk+"; vitrine-access-x=1; vitrine-access-99999999999999999999=1"))
	}
	both := w.pass("other", "/news")
	w.expect("both at once", w.get("/news", pass+"; "+strings.TrimPrefix(both, "Cookie: ")), 200)
	w.expect("an open address redirects", w.tryPassword("x", "/about"), 303, "Location", "/about", "Set-Cookie", "")
	w.expect("so does one with access already", w.tryPassword("x", "/shoes", pass), 303, "Location", "/shoes", "Set-Cookie", "")
	w.expect("GET", w.get("/_vitrine/access"), 405)
	w.expect("too large", w.tryPassword(strings.Repeat("x", maxAccessForm), "/shoes"), 400)
	for _, next := range []string{"//evil.com", "https://evil.com", "/\\evil.com", ""} {
		w.expect(next, w.tryPassword("sesame", next), 303, "Location", "/", "Set-Cookie", "")
	}

	w.policies(words, second)
	w.policies(words, tradeOnly(), second)
	w.expect("the grant remains", w.get("/shoes", pass), 200)
	gone := tradeOnly()
	gone.Grants = []compile.Grant{{ID: 6}}
	w.policies(words, gone, second)
	w.expectClosed("the grant was deleted", w.get("/shoes", pass))
	other := tradeOnly()
	other.Kind = shop.ByCustomers
	w.policies(words, other, second)
	w.expectClosed("the policy is of another kind", w.get("/shoes", pass))
	ends := tradeOnly()
	ends.Grants[0].Until = w.edge.cfg.Now().Add(time.Minute)
	w.policies(words, ends, second)
	w.expect("before it ends", w.get("/shoes", pass), 200)
	if brief := w.tryPassword("sesame", "/shoes").has("Set-Cookie"); !strings.Contains(brief, "Max-Age=60;") {
		t.Errorf("a cookie lasts longer than its grant: %s", brief)
	}
	w.clock.Add(60)
	w.expectClosed("it has ended", w.get("/shoes", pass))
	w.policies(words, tradeOnly(), second)
	w.clock.Add(int64(accessValid/time.Second) - 61)
	w.expect("almost a month", w.get("/shoes", pass), 200)
	w.clock.Add(1)
	w.expectClosed("a month", w.get("/shoes", pass))

	sh := w.src.shops[7].in.Shop
	sh.Origin = "https://shop.localhost"
	w.changeShop(sh)
	if secure := w.tryPassword("sesame", "/shoes").has("Set-Cookie"); !strings.HasPrefix(secure, "__Host-vitrine-access-1=") || !strings.Contains(strings.ToLower(secure), "secure") {
		t.Errorf("under https: %s", secure)
	}
}

func TestOneOfSeveralPoliciesIsEnough(t *testing.T) {
	w := newWorld(t)
	groups := compile.Policy{ID: 2, Kind: shop.ByGroup, Groups: []shop.CustomerGroupID{8}, Sections: []shop.CategoryID{1}}
	customers := compile.Policy{ID: 3, Kind: shop.ByCustomers, Text: "Ours only.", Sections: []shop.CategoryID{3}}
	words := map[string]shop.GrantID{"1 sesame": 5}
	w.policies(words, tradeOnly(), groups, customers)
	w.change(7, compile.Delta{}, func(s *fixtureShop) {
		s.sessions = map[string]Customer{"ann": {SignedIn: true, Known: true, Groups: []shop.CustomerGroupID{8}}, "ben": {SignedIn: true, Known: true}, "guest": {}, "new": {SignedIn: true}, "unproven": {SignedIn: true, Unproven: true}}
	}, shop.Key{Kind: shop.KeyShop})
	session := func(token string) string { return "Cookie: vitrine-session=" + token }
	for token, status := range map[string][2]int{"ann": {200, 200}, "ben": {403, 200}, "guest": {403, 403}, "new": {403, 403}, "unproven": {403, 403}, "over": {403, 403}} {
		w.expect(token, w.get("/shoes", session(token)), status[0], "Cache-Control", "private, no-store")
		w.expect(token, w.get("/news", session(token)), status[1], "Cache-Control", "private, no-store")
	}
	w.expect("the password", w.get("/shoes", w.pass("sesame", "/shoes")), 200)

	got := w.get("/shoes")
	if !strings.Contains(got.Body, `name="password"`) || !strings.Contains(got.Body, `href="/account?next=%2Fshoes"`) {
		t.Errorf("the page offers both: %s", got.Body)
	}
	got = w.get("/news/opening")
	if strings.Contains(got.Body, `name="password"`) || !strings.Contains(got.Body, "Ours only.") || !strings.Contains(got.Body, `href="/account?next=%2Fnews%2Fopening"`) {
		t.Errorf("the page asks for a sign-in: %s", got.Body)
	}
	if got = w.get("/news", session("new")); !strings.Contains(got.Body, "not open to your account") {
		t.Errorf("a signed-in visitor gets: %s", got.Body)
	}
	if got = w.get("/news", session("unproven")); !strings.Contains(got.Body, "your e-mail address is not confirmed") || !strings.Contains(got.Body, `href="/account?next=%2Fnews"`) || strings.Contains(got.Body, "another account") {
		t.Errorf("a signed-in visitor without a confirmed address gets: %s", got.Body)
	}
	w.src.setAway(true)
	w.expect("outage while the customer is read", w.get("/news", session("ann")), 503)
	w.src.setAway(false)
}

// A set is closed by the policies of each of its products, so it asks for one password
// after the other.
func TestASetRequiresEveryPolicyOfItsProducts(t *testing.T) {
	w := newWorld(t)
	words := map[string]shop.GrantID{"1 sesame": 5, "2 other": 7}
	w.change(7, compile.Delta{Products: []compile.Product{{ID: 13, Slug: "pair", Published: true, Parts: []shop.ProductID{11, 12}}}},
		func(s *fixtureShop) { s.names[13] = "Pair" }, shop.Key{Kind: shop.KeyProduct, ID: 13})
	set := w.get("/product/13").has("Location")
	if set == "" {
		set = "/product/13"
	}
	w.expect("open", w.get(set), 200)
	boots := compile.Policy{ID: 1, Kind: shop.ByPassword, Text: "Boots.", Products: []shop.ProductID{11}, Grants: []compile.Grant{{ID: 5}}}
	clogs := compile.Policy{ID: 2, Kind: shop.ByPassword, Text: "Clogs.", Products: []shop.ProductID{12}, Grants: []compile.Grant{{ID: 7}}}
	groups := compile.Policy{ID: 3, Kind: shop.ByGroup, Groups: []shop.CustomerGroupID{8}, Products: []shop.ProductID{11}}
	w.policies(words, boots, clogs, groups)
	w.change(7, compile.Delta{}, func(s *fixtureShop) {
		s.sessions = map[string]Customer{"ann": {SignedIn: true, Known: true, Groups: []shop.CustomerGroupID{8}}}
	}, shop.Key{Kind: shop.KeyShop})
	if got := w.get(set); got.Status != 403 || !strings.Contains(got.Body, "Boots.") {
		t.Errorf("a stranger: %d %s", got.Status, got.Body)
	}
	for who, cookie := range map[string]string{"the first password": w.pass("sesame", set), "the group": "Cookie: vitrine-session=ann"} {
		if got := w.get(set, cookie); got.Status != 403 || !strings.Contains(got.Body, "Clogs.") {
			t.Errorf("%s: %d %s", who, got.Status, got.Body)
		}
		second := strings.TrimPrefix(w.pass("other", set, cookie), "Cookie: ")
		w.expect(who+" and the second", w.get(set, cookie+"; "+second), 200, "Cache-Control", "private, no-store")
	}
}

// A signed-in visitor finds what their account opens, as a visitor who has entered a
// password does, and sees it in the menu of their own pages.
func TestSearchFindsWhatASessionOpens(t *testing.T) {
	w := newWorld(t, func(c *Config) { c.API = func(ctx *fasthttp.RequestCtx) { ctx.SetBodyString(`{"result":{}}`) } })
	w.policies(nil, compile.Policy{ID: 3, Kind: shop.ByCustomers, Sections: []shop.CategoryID{1}})
	w.change(7, compile.Delta{}, func(s *fixtureShop) {
		s.sessions = map[string]Customer{"ben": {SignedIn: true, Known: true}, "new": {SignedIn: true}}
	}, shop.Key{Kind: shop.KeyShop})
	for token, opens := range map[string]bool{"ben": true, "new": false} {
		session := "Cookie: vitrine-session=" + token
		for _, target := range []string{"/search", "/search?q=boot", "/account"} {
			if got := w.get(target, session); got.Status != 200 || strings.Contains(got.Body, `href="/shoes"`) != opens {
				t.Errorf("%s for %s: %d %s", target, token, got.Status, got.Body)
			}
		}
		if got := w.get("/_vitrine/suggest?q=boo", session); (got.has("Cache-Control") == guardedCaching) != opens {
			t.Errorf("suggestions for %s: %s", token, got.has("Cache-Control"))
		}
	}
	w.src.setAway(true)
	w.expect("outage while the customer is read", w.get("/search", "Cookie: vitrine-session=ben"), 503)
}

// Visitors with access to a closed product see it listed in its open section, on a page
// drawn for them alone. Others do not.
func TestOpenSectionListsClosedProductsToVisitorsWithAccess(t *testing.T) {
	w := newWorld(t)
	boot := tradeOnly()
	boot.Sections, boot.Products = nil, []shop.ProductID{11}
	w.policies(sesame, boot)
	pass := w.pass("sesame", "/shoes/boot")
	for range 3 {
		w.expect("a stranger", w.get("/shoes"), 200, "Cache-Control", pageCaching)
		w.expect("a visitor with access", w.get("/shoes", pass), 200, "Cache-Control", guardedCaching, "Surrogate-Key", "")
		w.expect("a wrong cookie", w.get("/shoes", "Cookie: vitrine-access-1=5.1.x"), 200, "Cache-Control", pageCaching)
	}
	drawn := shop.Unlocked("")
	w.src.before = func(want render.PageRequest) { drawn = want.Opened }
	w.get("/shoes", pass)
	if w.src.before = nil; drawn != shop.NewUnlocked(1) {
		t.Errorf("the list was drawn for %q", drawn)
	}
	w.policies(nil)
	w.expect("after the policy was removed", w.get("/shoes", pass), 200, "Cache-Control", pageCaching)
}

func TestGuessedPasswordsAreLimited(t *testing.T) {
	w := newWorld(t)
	second := compile.Policy{ID: 2, Kind: shop.ByPassword, Sections: []shop.CategoryID{3}, Grants: []compile.Grant{{ID: 7}}}
	w.policies(map[string]shop.GrantID{"1 sesame": 5, "2 other": 7}, tradeOnly(), second)
	for range pinTypos + 1 {
		w.expectClosed("wrong", w.tryPassword("wrong", "/shoes"))
	}
	got := w.tryPassword("sesame", "/shoes")
	if w.expect("the flood", got, 429, "Set-Cookie", "", "Cache-Control", "private, no-store"); got.has("Retry-After") == "" {
		t.Error("Retry-After is missing")
	}
	w.expect("another policy", w.tryPassword("other", "/news"), 303)
	asked := w.src.called("EnterPolicy")
	w.tryPassword("wrong", "/shoes")
	if w.src.called("EnterPolicy") != asked {
		t.Error("an attempt beyond the limit is compared")
	}
	w.clock.Add(61)
	w.expect("later", w.tryPassword("sesame", "/shoes"), 303)
	for range 3 * pinTypos {
		w.expect("right ones cost nothing", w.tryPassword("other", "/news"), 303)
	}
	if before := w.src.called("EnterPolicy"); true {
		w.tryPassword("", "/shoes")
		w.tryPassword(strings.Repeat("x", shop.MaxAccessPassword+1), "/shoes")
		if w.src.called("EnterPolicy") != before {
			t.Error("a password that cannot be right is compared")
		}
	}
}

// An open page costs the same in a shop that closes others: the hot path does not check
// policies.
func TestPoliciesDoNotSlowOpenPages(t *testing.T) {
	w := newWorld(t)
	w.policies(sesame, tradeOnly())
	w.get("/about")
	w.get("/about")
	var ctx fasthttp.RequestCtx
	ctx.Request.Header.SetRequestURI("/about")
	ctx.Request.Header.SetHost("shop.localhost")
	ctx.Request.Header.Set("Cookie", "vitrine-access-1=5.1.x")
	if !w.edge.hot(&ctx) {
		t.Fatal("an open page did not take the hot path")
	}
	if n := testing.AllocsPerRun(1000, func() { w.edge.hot(&ctx) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
	for range 3 {
		w.get("/shoes", w.pass("sesame", "/shoes"))
	}
	ctx.Request.Header.SetRequestURI("/shoes")
	if w.edge.hot(&ctx) {
		t.Error("a closed page took the hot path")
	}
}

// Resources loaded by a page of a closed folder get no cookies, so a browser with access is
// redirected below a pass, which opens them and ends with the password.
func TestClosedFolderWorksInABrowser(t *testing.T) {
	w := newDocs(t)
	policy := tradeOnly()
	policy.Sections = []shop.CategoryID{9}
	w.policies(sesame, policy)
	cookie, html := w.pass("sesame", "/docs/guide/"), "Accept: text/html,*/*"
	led := w.get("/docs/guide/?a=b", cookie, html)
	to := led.has("Location")
	if w.expect("a browser", led, 303, "Cache-Control", "private, no-store"); !strings.HasPrefix(to, passPrefix+"1.5.") || !strings.HasSuffix(to, "/docs/guide/?a=b") {
		t.Fatalf("redirected to %q", to)
	}
	pass, _, _ := strings.Cut(to, "/docs/")
	w.expect("its page", w.get(to, cookie, html), 200, "Cache-Control", "private, no-store")
	w.expectClosed("its page without the cookie", w.get(to, html))
	for _, target := range []string{"/docs/app.js", "/docs/big.json", "/docs/pic.png"} {
		got := w.get(pass + target)
		w.expect("subresource "+target, got, 200, "Cache-Control", "private, no-store", "Access-Control-Allow-Origin", "*", "Content-Security-Policy", sandbox)
		w.expectClosed("the same without the pass", w.get(target))
	}
	w.expect("a frame", w.get(pass+"/docs/guide/", "Accept: text/html", "Sec-Fetch-Dest: iframe"), 200)
	w.expect("a directory", w.get(pass+"/docs/guide", cookie, html), 308, "Location", pass+"/docs/guide/", "Cache-Control", "private, no-store")
	w.expect("a missing file", w.get(pass+"/docs/nothing.js"), 404)
	for _, other := range []string{"/about", "/shoes/boot", "/cart", "/files/pics/plain.png", "/../about"} {
		if got := w.get(pass+other, cookie); got.Status == 200 {
			t.Errorf("a pass opens %s: %s", other, got.Body)
		}
	}
	forged := strings.Replace(pass, "1.5.", "1.0.", 1)
	for what, target := range map[string]string{
		"forged": forged + "/docs/app.js", "cut": pass[:len(pass)-1] + "/docs/app.js", "none": passPrefix + "/docs/app.js", "junk": passPrefix + "1.5.x.y/docs/app.js",
		"dots": passPrefix + "..../docs/app.js",
	} {
		w.expect(what, w.get(target), 403)
	}
	w.expect("nothing below the pass", w.get(pass), 404)
	w.expect("nothing at its root", w.get(pass+"/"), 404)
	w.expect("odd spelling", w.get(strings.Replace(pass, "/in/", "/%69n/", 1)+"/docs/app.js"), 404)
	w.clock.Add(int64(passValid / time.Second))
	w.expect("expired", w.get(pass+"/docs/app.js"), 403)
	w.expect("a browser gets another", w.get(pass+"/docs/guide/", cookie, html), 303, "Location", "/docs/guide/")
	pass, _, _ = strings.Cut(w.get("/docs/guide/", cookie, html).has("Location"), "/docs/")
	w.expect("the new pass", w.get(pass+"/docs/app.js"), 200)
	policy.Grants = nil
	w.policies(sesame, policy)
	w.expect("its password was deleted", w.get(pass+"/docs/app.js"), 403)
	w.policies(nil)
	w.expect("open to all", w.get(pass+"/docs/app.js"), 303, "Location", "/docs/app.js")
}

// A picture of a folder is available under /docs/, /w/ and /files/, and is closed under all
// of them.
func TestAClosedFolderClosesItsPictures(t *testing.T) {
	w := newDocs(t, func(c *Config) {
		c.Resize = func(context.Context, shop.CompanyID, string, int, int) (Image, error) {
			return Image{Body: []byte("cut"), ETag: `"w"`}, nil
		}
	})
	stored := shop.FolderPicture(9, shaOf(site()["pic.png"]))
	w.change(7, compile.Delta{}, func(s *fixtureShop) { s.media[stored] = []byte("original") })
	policy := tradeOnly()
	policy.Sections = []shop.CategoryID{9}
	cut, original := "/w/640/webp/"+stored, "/files/"+stored
	addresses := []string{cut, original, "/w/640/webp/files/" + stored, strings.Replace(cut, "_folder", "%5Ffolder", 1)}
	for _, address := range addresses {
		w.expect("open: "+address, w.get(address), 200)
	}
	other := compile.Policy{ID: 2, Kind: shop.ByPassword, Sections: []shop.CategoryID{1}}
	w.policies(sesame, policy, other)
	html := "Accept: text/html,*/*"
	for _, address := range addresses {
		w.expectClosed(address, w.get(address))
	}
	cookie := w.pass("sesame", cut)
	for _, address := range addresses {
		w.expect("with the cookie: "+address, w.get(address, cookie), 200, "Cache-Control", "private, no-store")
	}
	pass, _, _ := strings.Cut(w.get("/docs/guide/", cookie, html).has("Location"), "/docs/")
	led := w.get(pass + "/docs/pic.png?w=640")
	w.expect("below a pass", led, 302, "Location", pass+cut, "Cache-Control", "private, no-store")
	w.expect("the target of the redirect", w.get(pass+cut), 200, "Cache-Control", "private, no-store", "Content-Type", "image/webp")
	w.expect("a forged pass", w.get(pass[:len(pass)-1]+"0"+cut), 403)
	w.expect("another policy's picture", w.get(pass+strings.Replace(cut, "/9/", "/1/", 1)), 403)
	w.clock.Add(int64(passValid / time.Second))
	w.expect("an expired pass", w.get(pass+cut), 403)
	w.policies(nil)
	w.expect("open again", w.get(cut), 200, "Cache-Control", immutableCaching)
	w.change(7, compile.Delta{Categories: newFixture().shops[7].in.Categories}, nil, shop.Key{Kind: shop.KeyCategories})
	for _, address := range addresses {
		w.expect("without its section: "+address, w.get(address), 404)
	}
}

// The files of an html document are closed together with the pages that show it, if all of
// these are closed.
func TestADocumentIsClosedWithItsPages(t *testing.T) {
	w := newWorld(t)
	file := "/_html/5/9/ten.bin"
	show := func(pages ...shop.CategoryID) {
		w.change(7, compile.Delta{}, func(s *fixtureShop) {
			s.mounts = map[shop.CategoryID]render.Release{}
			for _, id := range pages {
				s.mounts[id] = render.Release{Document: 5, ID: 9}
			}
		}, shop.Key{Kind: shop.KeyDesign})
	}
	show(1)
	for range 3 {
		w.expect("open", w.get(file), 200, "Cache-Control", immutableCaching)
	}
	w.policies(sesame, tradeOnly())
	for range 2 {
		got := w.get(file)
		if w.expectClosed("closed", got); strings.Contains(got.Body, "0123456789") {
			t.Error("a stranger gets the file")
		}
		w.expectClosed("a part", w.get(file, "Range: bytes=0-3"))
	}
	pass := w.pass("sesame", file)
	for range 2 {
		w.expect("with the cookie", w.get(file, pass), 200, "Cache-Control", "private, no-store")
		w.expectClosed("without", w.get(file))
	}
	asked := w.src.called("DocumentPages")
	if w.get(file); w.src.called("DocumentPages") != asked {
		t.Error("the pages of a document are read at each visit")
	}
	show(1, 2)
	w.expect("an open page shows it too", w.get(file), 200, "Cache-Control", immutableCaching)
	show()
	w.expect("no page shows it", w.get(file), 200)
}

func TestAPreviewAndAPINComeBeforePolicies(t *testing.T) {
	w := newWorld(t)
	w.policies(sesame, tradeOnly())
	w.closeShop("http://shop.localhost:8080")
	if got := w.get("/shoes"); !strings.Contains(got.Body, `name="pin"`) {
		t.Errorf("the PIN is asked first: %s", got.Body)
	}
	if got := w.tryPassword("sesame", "/shoes"); !strings.Contains(got.Body, `name="pin"`) || got.has("Set-Cookie") != "" {
		t.Errorf("a password was accepted before the PIN: %s", got.Body)
	}
	admitted, _, _ := strings.Cut(w.tryPIN("4711", "/").has("Set-Cookie"), ";")
	w.expectClosed("then the password", w.get("/shoes", "Cookie: "+admitted))
	pass := w.pass("sesame", "/shoes", "Cookie: "+admitted)
	w.expect("both", w.get("/shoes", pass+"; "+admitted), 200)
}
