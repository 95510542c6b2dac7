package compile

import (
	"strings"
	"testing"
)

func TestOverrideRulesComeFirst(t *testing.T) {
	s := withRules(demo(),
		"/shoes /about override",
		"/shoes/boots /news override 302",
		"/docs/a /news override",
		"/ads.txt /news override",
		"/ /about override ?lang=en",
		"/go/* /$1 mask override",
		"/old.html /shoes override 302",
	)
	expect(t, s, "shop.test", []row{
		{"/shoes", "301 /about rule 1"},
		{"//SHOES//?a=b", "301 /about?a=b rule 1"},
		{"/shoes/boots", "302 /news rule 2"},
		{"/docs/a", "301 /news rule 3"},
		{"/ads.txt", "301 /news rule 4"},
		{"/", "category 1"},
		{"/?lang=en", "301 /about?lang=en rule 5"},
		{"/go//evil.test", "301 /evil.test rule 6"},
		{"/go/%2Fevil.test", "301 /evil.test rule 6"},
		{"/go/%5Cevil.test", "301 /%5Cevil.test rule 6"},
		{"/old.html", "302 /shoes rule 7"},
	})
	expect(t, s, "www.shop.test", []row{{"/shoes", "301 /about rule 1"}})
}

func TestServicePathsAreNeverRedirected(t *testing.T) {
	s := withRules(demo(), "/* / mask override", "/** /about override", "/c* /about mask override")
	rows := []row{
		{"/cart", "service"}, {"/CART/", "service"}, {"/%63art", "service"}, {"//cart", "service"}, {"/cart/x", "service"},
		{"/checkout", "service"}, {"/account", "service"}, {"/wishlist", "service"}, {"/orders/5", "service"},
		{"/deals", "service"}, {"/dashboard", "service"}, {"/api/x", "service"}, {"/_next/x", "service"},
		{"/_html/7/3/a.css", "service"}, {"/_file/5", "service"}, {"/_vitrine/app.js", "service"}, {"/files/a.png", "service"},
		{"/w/640/webp/a.png", "service"}, {"/robots.txt", "service"}, {"/sitemap.xml?x", "service"},
		{"/.well-known/acme-challenge/t", "service"},
		{"/cartoons", "301 / rule 1"},
	}
	expect(t, s, "shop.test", rows)
	expect(t, s, "www.shop.test", rows)
}

func TestAddressesRefusedBeforeTheSteps(t *testing.T) {
	s := withRules(demo(), "/** /about override")
	expect(t, s, "shop.test", []row{
		{"/a/../shoes", "404 unlogged"}, {"/%2e%2e/shoes", "404 unlogged"}, {"/a/..%2Fshoes", "404 unlogged"},
		{"/./shoes", "404 unlogged"}, {"/cart/..", "404 unlogged"},
		{"/public/..%2F%5cgithub.com%2F%3f%2F..%2F..", "404 unlogged"},
		{"/%09", "400"}, {"/a%0d%0aSet-Cookie:x", "400"}, {"/%00", "400"}, {"/old-page%00.html", "400"},
		{"/%zz", "400"}, {"/%", "400"}, {"/%u0041", "400"}, {"*", "400"}, {"", "400"}, {"http://evil.test/", "400"},
		{"/" + strings.Repeat("a", 8192), "414"},
	})
}

func TestDotHTML(t *testing.T) {
	s := withRules(demo(),
		"/page.html /news 302",
		"/archive/*.html /news/$1",
		"/plain /news",
	)
	expect(t, s, "shop.test", []row{
		{"/page.html", "302 /news rule 1"},
		{"/PAGE.HTML/?a=1", "302 /news?a=1 rule 1"},
		{"/archive/x.html", "301 /news/x rule 2"},
		{"/shoes.html", "308 /shoes html"},
		{"/Shoes.HTML?a=b&utm_source=c+d", "308 /Shoes?a=b&utm_source=c+d html"},
		{"/shoes%2ehtm%6C", "308 /shoes html"},
		{"/shoes.html//", "308 /shoes html"},
		{"/no/such%20thing.html", "308 /no/such%20thing html"},
		{"/plain.html", "308 /plain html"},
		{"//evil.test.html", "308 /evil.test html"},
		{"/%2Fevil.test.html", "308 /%2Fevil.test html"},
		{"/\\evil.test.html", "308 /%5Cevil.test html"},
		{"/index.html", "308 / html"}, {"/Index.html?x", "308 /?x html"},
		{"/.html", "308 / html"}, {"/a/.html", "308 /a html"},
		{"/shoes/index.html", "308 /shoes/index html"},
		{"/a.html.html", "308 /a.html html"},
		{"/html", "404"},
		{"/promo.html", "file 32"}, {"/promo.html/", "308 /promo html"},
		{"/docs/page.html", "category 7 rest /page.html"},
	})
}

func TestSiteFilesAnswerOnEveryHost(t *testing.T) {
	s := withRules(demo(), "/ads.txt /news", "/draft.txt /news")
	for _, host := range []string{"shop.test", "www.shop.test"} {
		expect(t, s, host, []row{{"/ads.txt", "file 31"}, {"/ads.txt?x", "file 31"}, {"/shoes/boots/feed.xml", "file 33"}})
	}
	expect(t, s, "shop.test", []row{
		{"/draft.txt", "308 /news rule 2"}, {"/lost.txt", "404"}, {"/feed.xml", "404"}, {"/ADS.txt", "308 /news rule 1"},
	})
}

func TestCanonicalHost(t *testing.T) {
	s := withRules(demo(), "/gone /news")
	expect(t, s, "www.shop.test", []row{
		{"/", "308 https://shop.test:8443/ canonical"},
		{"/shoes?a=b", "308 https://shop.test:8443/shoes?a=b canonical"},
		{"//evil.test/%C3%A9 x", "308 https://shop.test:8443/evil.test/%C3%A9%20x canonical"},
		{"/gone", "308 https://shop.test:8443/gone canonical"},
		{"/page.html", "308 /page html"},
		{"/cart", "service"},
	})
	expect(t, s, "WWW.Shop.Test", []row{{"/x", "308 https://shop.test:8443/x canonical"}})
	expect(t, s, "Shop.TEST", []row{{"/shoes", "category 2"}})
	expect(t, s, "evil.test", []row{{"/shoes", "category 2"}})
}

func TestLivePages(t *testing.T) {
	s := withRules(demo(), "/shoes /news", "/product/11 /news")
	expect(t, s, "shop.test", []row{
		{"/", "category 1"}, {"/?a", "category 1"}, {"///", "308 / canonical"},
		{"/shoes", "category 2"}, {"/shoes?page=2", "category 2"}, {"/%73hoes", "category 2"},
		{"/shoes/boots", "category 3"}, {"/about", "category 9"}, {"/Sale", "category 8"},
		{"/shoes/boots/red-boot", "product 10"}, {"/mug", "product 17"},
		{"/product/11", "product 11"}, {"/product/12", "404"}, {"/product/15", "product 15"},
		{"/news/hello", "article 20"}, {"/shoes/twin", "product 18"}, {"/news/twin", "article 22"},
	})
}

func TestOtherSpellingsOfALivePage(t *testing.T) {
	s := New(demo())
	expect(t, s, "shop.test", []row{
		{"/shoes/", "308 /shoes canonical"}, {"//shoes///boots/?a=b", "308 /shoes/boots?a=b canonical"},
		{"/home", "308 / canonical"}, {"/home/about", "308 /about canonical"},
		{"/product/10", "308 /shoes/boots/red-boot canonical"},
		{"/product/red-boot?x=1", "308 /shoes/boots/red-boot?x=1 canonical"},
		{"/product/orphan", "404"}, {"/product/12/", "404"},
		{"/category/3", "308 /shoes/boots canonical"}, {"/category/boots", "308 /shoes/boots canonical"},
		{"/category/1", "308 / canonical"},
		{"/article/20", "308 /news/hello canonical"}, {"/article/hello", "308 /news/hello canonical"},
		{"/product/twin", "308 /shoes/twin canonical"}, {"/article/twin", "308 /news/twin canonical"},
		{"/boots", "308 /shoes/boots canonical"}, {"/a/b/c/boots", "308 /shoes/boots canonical"},
		{"/red-boot", "308 /shoes/boots/red-boot canonical"}, {"/hidden/secret/orphan", "404"},
		{"/x/twin", "308 /shoes/twin canonical"}, {"/x/news/twin", "308 /news/twin canonical"},
		{"/old/hello", "308 /news/hello canonical"}, {"/loose", "308 /product/15 canonical"},
		{"/product/010", "404"}, {"/product/13", "404"}, {"/product/99999999999", "404"}, {"/category/4", "404"},
		{"/hidden", "404"}, {"/hidden/secret", "404"}, {"/hidden/whisper", "404"}, {"/whisper", "404"}, {"/article/21", "404"},
		{"/news/draft-news", "308 /news fallback"},
	})
}

func TestSiteFolderAnswersEverythingBelowIt(t *testing.T) {
	s := withRules(demo(), "/docs/** /news")
	expect(t, s, "shop.test", []row{
		{"/docs", "category 7"}, {"/docs/", "category 7 rest /"}, {"/docs/a/B%20c?x", "category 7 rest /a/B c"},
		{"/docs/a/", "category 7 rest /a/"}, {"/docs/red-boot", "category 7 rest /red-boot"},
		{"/docs//a", "308 /docs/a canonical"}, {"//docs/a/", "308 /docs/a/ canonical"}, {"/docs/%2Fa", "308 /docs/a canonical"},
		{"/docs/a//", "308 /docs/a/ canonical"}, {"/docs/missing.xml", "category 7 rest /missing.xml"},
		{"/docsx", "404"},
	})
	in := demo()
	in.Categories[1].Type = TypeSite
	expect(t, New(in), "shop.test", []row{
		{"/", "category 1 rest /"}, {"/a.html", "category 1 rest /a.html"}, {"/shoes", "category 2"}, {"/shoes/", "308 /shoes canonical"},
		{"//a", "308 /a canonical"}, {"/docs/x", "category 7 rest /x"}, {"/mug", "product 17"},
	})
}

func TestSlugJournal(t *testing.T) {
	s := withRules(demo(), "/bootz /news", "/dull-boot /news")
	expect(t, s, "shop.test", []row{
		{"/bootz", "308 /shoes/boots slug-journal"}, {"/shoes/bootz/?a=1", "308 /shoes/boots?a=1 slug-journal"},
		{"/shoes/boots/crimson-boot", "308 /shoes/boots/red-boot slug-journal"},
		{"/news/hullo", "308 /news/hello slug-journal"},
		{"/reused", "308 /shoes/boots/red-boot slug-journal"},
		{"/dull-boot", "308 /news rule 2"},
		{"/nobody", "404"},
	})
}

// Addresses inside a moved website redirect to its new section.
func TestAMovedSiteFolderKeepsItsInnerAddresses(t *testing.T) {
	renamed := demo()
	renamed.Journal = append(renamed.Journal, Journal{EntityCategory, "manual", 7})
	expect(t, New(renamed), "shop.test", []row{
		{"/manual", "308 /docs slug-journal"}, {"/manual/", "308 /docs slug-journal"},
		{"/manual/start.html?a=b", "308 /docs/start.html?a=b slug-journal"}, {"/manual/a/B%20c/%E2%82%AC", "308 /docs/a/B%20c/%E2%82%AC slug-journal"},
		{"/manual/a/", "308 /docs/a/ slug-journal"}, {"/x/manual//a", "308 /docs/a slug-journal"}, {"/manual/red-boot", "308 /shoes/boots/red-boot canonical"},
		{"/manual/docs/x", "308 /docs/x slug-journal"}, {"/docs/manual/x", "category 7 rest /manual/x"}, {"/manuals/x", "404"},
	})
	moved := demo()
	for i := range moved.Categories {
		if moved.Categories[i].ID == 7 {
			moved.Categories[i].Parent = 2
		}
	}
	expect(t, New(moved), "shop.test", []row{
		{"/docs/start.html", "308 /shoes/docs/start.html slug-journal"}, {"/docs", "308 /shoes/docs canonical"}, {"/shoes/docs/start.html", "category 7 rest /start.html"},
		{"/news/docs/a/b", "308 /shoes/docs/a/b slug-journal"},
	})
	for i := range moved.Categories {
		if moved.Categories[i].ID == 7 {
			moved.Categories[i].Published = false
		}
	}
	expect(t, New(moved), "shop.test", []row{{"/docs/start", "404"}})
	other := demo() // another section took the old slug, or the section is not a website
	other.Journal = append(other.Journal, Journal{EntityCategory, "boots", 7}, Journal{EntityCategory, "bootz2", 3})
	expect(t, New(other), "shop.test", []row{{"/boots/x", "308 /shoes/boots fallback"}, {"/bootz2/x", "404"}})
}

func TestPlainRulesAnswerWhereThereIsNoPage(t *testing.T) {
	s := withRules(demo(),
		"/shoes /never", "/gone /news", "/moved /news 302", "/q /news ?id=5", "/d /news?own=1 drop", "/away https://else.test/x",
		"/goods/* /shoes", "/m*k /news",
	)
	expect(t, s, "shop.test", []row{
		{"/shoes", "category 2"},
		{"/gone?a=b", "308 /news?a=b rule 2"}, {"/moved", "307 /news rule 3"}, {"/q?id=5", "308 /news?id=5 rule 4"}, {"/q?id=55", "404"},
		{"/d?x=1&gclid=A%2BB&own=2", "308 /news?own=1&gclid=A%2BB rule 5"}, {"/away?x", "308 https://else.test/x?x rule 6"},
		{"/goods/A/B%20c", "308 /shoes/A/B%20c rule 7"}, {"/goodsale", "404"}, {"/milk", "308 /news rule 8"},
	})
}

func TestMissFallback(t *testing.T) {
	in := demo()
	s := New(in)
	expect(t, s, "shop.test", []row{
		{"/SHOES/Boots?a=b", "308 /shoes/boots?a=b fallback"}, {"/sale", "308 /Sale fallback"}, {"/ABOUT", "308 /about fallback"},
		{"/shoes/boots/gone-boot", "308 /shoes/boots fallback"}, {"/gone-boot?x", "308 /shoes/boots?x fallback"},
		{"/product/14", "308 /shoes/boots fallback"}, {"/gone-home", "404"}, {"/gone-secret", "404"}, {"/news/gone-home", "308 /news fallback"},
		{"/shoes/boots/nothing/at/all", "308 /shoes/boots fallback"}, {"/shoes/none", "308 /shoes fallback"},
		{"/shoes/boots/draft-boot", "308 /shoes/boots fallback"},
		{"/old/boots/none", "308 /shoes/boots fallback"}, {"/shoes/old/NEWS/x", "308 /news fallback"},
		{"/nothing", "404"}, {"/home/nothing", "404"}, {"/hidden/x", "404"}, {"/%E2%84%AAx", "404"},
		{"/shoes/feed.XML?x", "404"}, {"/shoes/a.Json", "404"}, {"/shoes/a.csv", "404"}, {"/shoes/a.txt", "404"}, {"/shoes/a.yml", "404"},
		{"/shoes/none.html", "308 /shoes/none html"}, {"/shoes/a.png", "308 /shoes fallback"},
	})
	in.Shop.MissFallback = false
	expect(t, New(in), "shop.test", []row{{"/SHOES", "404"}, {"/shoes/none", "404"}, {"/gone-boot", "404"}})
}

func TestEmptyShop(t *testing.T) {
	s := New(Input{})
	expect(t, s, "", []row{{"/", "home"}, {"//", "308 / canonical"}, {"/x", "404"}, {"/x.html", "308 /x html"}, {"/product/1", "404"}})
}

func TestLongAddressesStayCheap(t *testing.T) {
	s := withRules(demo(), "/*/*/*/*/*/*/*/*/*/x /news")
	deep := strings.Repeat("/a", 4000)
	expect(t, s, "shop.test", []row{{deep, "404"}, {deep + "/boots", "308 /shoes/boots canonical"}})
}
