package render

import (
	"strings"
	"testing"

	"vitrine/internal/shop"
)

func TestEveryPageIsComplete(t *testing.T) {
	for name, page := range fixture() {
		t.Run(name, func(t *testing.T) {
			doc := draw(t, page)
			want(t, doc, map[string]string{
				"html@lang": "en", "h1#": "1", "main#": "1", "main@id": "v-content", "head > title#": "1",
				"body > a.v-skip@href": "#v-content", "link[rel=stylesheet]@href": packed().style.Path,
				"script[src]@src": packed().script.Path, "link[rel=icon]@href": "/_vitrine/favicon.svg",
				"img:not([alt])#": "0",
			})
			ids := map[string]bool{}
			for _, e := range doc.Find("[id]").EachIter() {
				id := e.AttrOr("id", "")
				if ids[id] {
					t.Errorf("id %q is not unique", id)
				}
				ids[id] = true
			}
			for _, e := range doc.Find("a[href], button").EachIter() {
				if strings.TrimSpace(e.Text()) == "" && e.AttrOr("aria-label", "") == "" && e.Find("img[alt]:not([alt=''])").Length() == 0 &&
					e.Closest("template").Length() == 0 {
					t.Errorf("a link or button without a name: %s", e.AttrOr("class", ""))
				}
			}
		})
	}
}

func TestHome(t *testing.T) {
	doc := draw(t, fixture()["home"])
	want(t, doc, map[string]string{
		"title": "Quiet things · Clay & Linen", "h1": "Quiet things", "meta[name=description]@content": "Made by hand",
		".v-hero img@fetchpriority": "high", ".v-hero a.v-button@href": "/cups/small",
		".v-tile#": "2", ".v-card#": "3", ".v-note#": "2", ".v-more@href": "/all", ".v-more": "All of it",
		".v-nav__item:not(.v-nav__own) > .v-nav__link#": "2", ".v-nav__own a@href": "/account", ".v-fold[open]#": "0", ".v-sub__list a@href": "/cups/small", ".v-sub summary": "Cups",
		".v-brand@aria-current": "page", "meta[name=keywords]@content": "clay, linen", "meta[name=robots]#": "0",
		"meta[property='og:image']@content": "https://shop.example/w/1024/webp/a/cup.webp",
	})
}

func TestEmptyShopHasAHomePage(t *testing.T) {
	doc := draw(t, &Home{Frame: Frame{Shop: Shop{Name: "New shop", Currency: "EUR"}, Path: "/"}})
	want(t, doc, map[string]string{"h1": "New shop", "title": "New shop", ".v-empty#": "1", "nav#": "0", "link[rel=canonical]#": "0"})
}

func TestListing(t *testing.T) {
	listing := fixture()["listing"].(*Listing)
	listing.Canonical += "?page=2"
	doc := draw(t, listing)
	want(t, doc, map[string]string{
		"title": "Cups · Clay & Linen · Page 2", ".v-heading__count": "26 products", ".v-chip@href": "/cups/small",
		"link[rel=prev]@href": "/cups", "link[rel=next]@href": "/cups?page=3",
		"link[rel=canonical]@href":        "https://shop.example/cups?page=2",
		"a.v-paging__step[rel=prev]@href": "/cups", "a.v-paging__step[rel=next]@href": "/cups?page=3",
		".v-paging [aria-current=page]": "2", ".v-heading .v-prose#": "0",
		".v-nav__link--on": "Cups", ".v-crumbs [aria-current=page]": "Here",
		".v-card:nth-child(1) .v-price__now": "€30", ".v-card:nth-child(1) s": "Was €40", ".v-card:nth-child(1) .v-flag": "−25%",
		".v-card:nth-child(2) .v-flag": "Sold out", ".v-card:nth-child(2) svg@aria-label": "No photo yet",
		".v-card:nth-child(3) .v-price": "Price on request", ".v-card:nth-child(3) .v-price__now#": "0",
	})
	listing.Paging = Paging{Current: 1, Pages: 1}
	want(
		t, draw(t, listing),
		map[string]string{".v-paging#": "0", "link[rel=prev]#": "0", "link[rel=next]#": "0", ".v-heading .v-prose p#": "2"},
	)
	listing.Products, listing.Sections, listing.Finder = nil, nil, nil
	want(t, draw(t, listing), map[string]string{".v-grid#": "0", ".v-empty a@href": "/"})
}

func TestRubric(t *testing.T) {
	want(t, draw(t, fixture()["rubric"]), map[string]string{
		".v-note#": "2", ".v-note time": "3 November 2026", ".v-note time@datetime": "2026-11-03", "time#": "1",
		".v-note .v-flag": "New", ".v-flag#": "1", // a badge needs a cover (document 1, 2.7)
		".v-note h3 a@href": "/news/glazes", ".v-notes@class": "v-notes v-notes--3",
	})
}

func TestProduct(t *testing.T) {
	product := fixture()["product"].(*ProductPage)
	want(t, draw(t, product), map[string]string{
		".v-gallery__slide#": "2", ".v-gallery__slide[hidden]#": "1", ".v-gallery__thumb#": "2",
		".v-gallery__slide img@fetchpriority": "high", ".v-gallery__thumb@aria-label": "Photo 1",
		".v-product__side .v-price__now": "€30", ".v-promo": "Third cup free", ".v-stock": "In stock",
		"form[data-v-buy]@action": "/cart", "form[data-v-buy] [name=product_id]@value": "1", "form[data-v-buy] [name=do]@value": "add",
		"form[data-v-buy] [name=quantity]@value": "1", "[data-v-add=wishlist]@formaction": "/wishlist", ".v-product__text p#": "2",
		".v-facts dt": "Material", ".v-facts div:last-child dd": "C-1", "section .v-card#": "3",
	})
	product.Product.Stock = Stock{Tracked: true, Left: 0}
	want(t, draw(t, product), map[string]string{"[data-v-add=cart]#": "0", "[data-v-add=wishlist]#": "1", ".v-stock--out": "Sold out"})
	product.Product.Stock = Stock{Tracked: true, Left: 1, Low: true}
	want(t, draw(t, product), map[string]string{"[data-v-add=cart]#": "1", ".v-stock--low": "Only 1 left"})
	product.Product.Variants = []Variant{
		{ID: 5, Name: "Small <b>", Price: 20}, {ID: 6, Name: "Large", Image: Image{Path: "/files/a/large.png"}},
	}
	want(t, draw(t, product), map[string]string{
		"fieldset.v-variants[svc-variants] input[type=radio][name=variant]#": "2", "fieldset.v-variants input[checked]#": "1", "fieldset.v-variants input[checked]@value": "5",
		"fieldset.v-variants label": "Small <b>€20", "fieldset.v-variants@data-svc-price": "€30", "fieldset.v-variants b#": "0", "fieldset.v-variants legend": "Choose",
		".v-variants__chip#": "1", ".v-variants__chip@src": "/w/320/webp/a/large.png",
	})
	product.Product.Variants = nil
	product.Product.Price, product.Product.Promotion = 0, ""
	want(t, draw(t, product), map[string]string{"[data-v-add=cart]#": "0", ".v-product__side .v-price": "Price on request"})
	product.Product.Gallery = nil
	want(t, draw(t, product), map[string]string{".v-gallery__slide#": "1", ".v-gallery__thumb#": "0"})
	product.Product.Image = Image{}
	want(t, draw(t, product), map[string]string{".v-gallery__main svg@aria-label": "No photo yet"})
}

func TestArticle(t *testing.T) {
	article := fixture()["article"].(*ArticlePage)
	article.Layout.Body = []Block{{Kind: BlockText, Text: "One <b>bold</b>.\r\n\r\nTwo."}, {Kind: BlockAlbum}}
	want(t, draw(t, article), map[string]string{
		"h1": "Glazes", ".v-author__name": "By Ines", ".v-article__cover .v-flag": "New", "aside li#": "2",
		"article .v-tiles li#": "2", "article .v-tiles img@loading": "lazy",
		"article .v-article__body p": "One bold.", "article .v-article__body p#": "2", "article .v-article__body b": "bold",
		"meta[property='og:type']@content": "article",
	})
	// The text that comes with a new article is plain (document 3, 2.2).
	article.Layout.Body[0].Literal = true
	want(t, draw(t, article), map[string]string{"article .v-article__body p": "One <b>bold</b>.", "article .v-article__body p#": "2", "article .v-article__body b#": "0"})
}

func TestPagesNotIndexedBySearchEngines(t *testing.T) {
	for _, name := range []string{"missing", "pin", "cart", "account"} {
		want(t, draw(t, fixture()[name]), map[string]string{
			"meta[name=robots]@content": "noindex", "link[rel=canonical]#": "0", "script[type='application/ld+json']#": "0",
		})
	}
	text := fixture()["text"].(*TextPage)
	text.SEO.NoIndex, text.SEO.NoFollow = true, true
	want(t, draw(t, text), map[string]string{"meta[name=robots]@content": "noindex, nofollow"})
}

func TestPINPageRevealsNothingOfTheShop(t *testing.T) {
	doc := draw(t, fixture()["pin"])
	want(t, doc, map[string]string{
		"form@action": "/enter", "form@method": "post", "input[name=next]@value": "/cups", "input[name=pin]@aria-invalid": "true",
		"header#": "0", "footer#": "0", "nav#": "0", "body a#": "1", ".v-error": "That PIN is not right. Please try again.",
	})
}

func TestZones(t *testing.T) {
	want(t, draw(t, fixture()["account"]), map[string]string{"h1": "Your account", "[data-v-zone]#": "0", ".v-empty a@href": "/"})
	cart := fixture()["cart"].(*ZonePage)
	two := int64(2)
	cart.Body = &Cart{Subtotal: 70, Grand: 70, Taxes: []shop.Tax{{TaxRate: shop.TaxRate{Name: "<VAT>", Percent: 7750}, Base: 65, Amount: 5}}, Discount: 20, Applied: []Applied{{Name: "<b>Spring", Amount: 20}}, Units: 4, Lines: []CartLine{
		{Product: 1, Key: "v5", Quantity: 3, Name: "<i>Cup", URL: "/cups/cup", Image: "/files/a/cup.png", Unit: Priced{Price: 30}, Total: 90, InStock: true, Available: &two},
		{Product: 2, Key: "gift", Quantity: 1, Name: "Spoon", IsGift: true},
	}}
	want(t, draw(t, cart), map[string]string{
		"h1": "Your cart", "[data-v-zone]@data-v-units": "4", ".v-line#": "2", ".v-line i#": "0", ".v-line__short": "Only 2 left", ".v-qty form#": "0",
		"form.v-qty [name=quantity]@value": "3", "form.v-qty [name=key]@value": "v5", ".v-sum__line s": "€90", ".v-sum__row strong": "€70", ".v-line__img@src": "/w/320/webp/a/cup.png",
	})
	want(t, draw(t, cart), map[string]string{".v-sum__row + .v-muted": "Including <VAT> 7.75%: €5"})
	cart.Body = &Cart{}
	want(t, draw(t, cart), map[string]string{".v-empty strong": "Your cart is empty", "main form#": "0"})
	for zone, body := range map[string]ZoneBody{
		"cart": &Cart{Trouble: FormError{Code: "RATE_LIMITED"}}, "wishlist": &Wishlist{Trouble: FormError{Code: "RATE_LIMITED"}},
		"checkout": &Checkout{Trouble: FormError{Code: "CART_EMPTY"}},
	} { // what was refused may be the contents themselves
		page := *cart
		page.Zone, page.Body = shop.Zone(zone), body
		want(t, draw(t, &page), map[string]string{".v-empty#": "0", "[role=alert]#": "1", ".v-center a@href": "/", "main form#": "0"})
	}
	cart.Shop.Currency = "RUB"
	want(t, draw(t, cart), map[string]string{"h1": "Корзина", "html@lang": "ru"})
	for _, zone := range shop.Zones {
		for _, t2 := range []*words{&english, &russian} {
			if w, ok := t2.zones[zone]; !ok || w.Name == "" {
				t.Errorf("%s has no texts for %s", t2.Lang, zone)
			}
		}
	}
}

func TestOwnersSEOTextsTakePrecedence(t *testing.T) {
	text := fixture()["text"].(*TextPage)
	text.SEO = SEO{
		Heading: "Own heading", Title: "Own title", Description: "Own description",
		Image: Image{Path: "/files/own.jpg", Width: 1200, Height: 630},
	}
	want(t, draw(t, text), map[string]string{
		"h1": "Own heading", "title": "Own title", "meta[name=description]@content": "Own description",
		"meta[property='og:image']@content":       "https://shop.example/files/own.jpg",
		"meta[property='og:image:width']@content": "1200", "meta[property='og:image:height']@content": "630",
	})
}
