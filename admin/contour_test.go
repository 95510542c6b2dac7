package admin_test

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"vitrine/admin/api"
	"vitrine/admin/api/apitest"
)

// drafted are the writing endpoints whose writes land in the draft. In the draft contour the
// database refuses writes to any other table (store, migration 0010), except for rows of the
// live shop; endpoints that write those refuse the draft contour or are listed below.
var drafted = []string{
	"POST /products", "PUT /products/{id}", "DELETE /products/{id}", "POST /products/batch", "PATCH /products/batch",
	"POST /products/import", "POST /products/import/file", "PUT /products/{id}/variants",
	"POST /categories", "PUT /categories/{id}", "DELETE /categories/{id}", "PUT /categories/{id}/content-blocks",
	"POST /articles", "PUT /articles/{id}", "PUT /articles/{id}/related", "DELETE /articles/{id}", "PUT /articles/{id}/content-blocks",
	"POST /galleries", "PUT /galleries/{id}", "DELETE /galleries/{id}",
	"POST /content-blocks", "PUT /content-blocks/{id}", "DELETE /content-blocks/{id}", "PUT /design/bindings/{type}/{id}",
	"POST /html-documents", "PUT /html-documents/{id}", "POST /html-documents/{id}/rollback", "POST /html-documents/{id}/releases/{rid}/publish",
	"POST /themes/{id}/site/rollback", "POST /themes/{id}/site/releases/{rid}/publish",
	"POST /site-folders/{id}/rollback", "POST /site-folders/{id}/releases/{rid}/publish",
}

// showDraft are the reading endpoints that show the draft to calls in the draft contour; all
// others read the live shop.
var showDraft = []string{
	"GET /products", "GET /products/{id}", "GET /products/by-slug/{slug}", "GET /products/export", "GET /attributes", "GET /attributes/{id}",
	"GET /product-groups", "GET /product-groups/{id}", "GET /galleries", "GET /galleries/{id}", "GET /galleries/{id}/usage",
	"GET /categories", "GET /categories/{id}", "GET /categories/by-slug/{slug}", "GET /articles", "GET /articles/{id}",
	"GET /articles/by-slug/{slug}", "GET /content-blocks", "GET /design/bindings/{type}/{id}", "GET /v1/storefronts/resolve",
	"GET /html-documents", "GET /html-documents/{id}", "GET /html-documents/{id}/releases", "GET /html-documents/{id}/releases/{rid}",
	"GET /html-documents/{id}/releases/{rid}/file",
	"GET /themes/{id}/site", "GET /themes/{id}/site/releases", "GET /themes/{id}/site/releases/{rid}",
	"GET /themes/{id}/site/releases/{rid}/file",
	"GET /site-folders/{id}", "GET /site-folders/{id}/releases", "GET /site-folders/{id}/releases/{rid}",
	"GET /site-folders/{id}/releases/{rid}/file",
	"GET /slug-redirects/resolve", // a slug of the draft resolves to nothing yet
	"GET /tariff/usage",           // counts additions of the draft too
	"GET /partner/openapi.json",   // shows the endpoints of the calling key in its contour
}

// Every reading endpoint shows the draft or declares that it reads the live shop.
func TestEveryReadIsDecidedForTheDraftContour(t *testing.T) {
	t.Parallel()
	a := apitest.New(t)
	left := map[string]bool{}
	for _, name := range showDraft {
		left[name] = true
	}
	for _, e := range a.Admin.Table() {
		name := e.Method + " " + e.Path
		if e.Method != "GET" || e.Auth == api.Link {
			continue
		}
		if follows := e.Contour == api.CallersContour; follows != left[name] {
			t.Errorf("%s: shows the draft: %v, is in the list: %v", name, follows, left[name])
		}
		delete(left, name)
	}
	for name := range left {
		t.Errorf("%s is no longer an endpoint", name)
	}
}

// asksBoth are the places that choose between the live shop and the draft by the data they
// find; everywhere else the endpoint determines the contour.
var asksBoth = map[string]string{
	"release/layout.go": "a folder is made where its layout is",
	"release/folder.go": "a folder is made where its section is",
}

func TestHandlersLeaveTheContourToTheirEndpoint(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("*/*.go")
	if err != nil || len(files) < 100 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		chooses := regexp.MustCompile(`\bstore\.(Live|InDraft)\(`).Match(text)
		if tested := strings.HasSuffix(name, "_test.go") || strings.HasPrefix(name, "api/"); chooses && !tested && asksBoth[name] == "" {
			t.Errorf("%s chooses the contour itself", name)
		}
		if !chooses && asksBoth[name] != "" {
			t.Errorf("%s no longer chooses a contour", name)
		}
	}
}

// harmless are the writing endpoints that reach beyond a draft although they accept the draft
// contour, and why they change nothing live.
var harmless = map[string]string{
	"POST /v1/storages/files":                  "a new file, which no page shows",
	"PUT /v1/storages/uploads/{id}/{token}":    "bytes that are not served before they are confirmed",
	"POST /v1/storages/files/{id}/done":        "of a new file; a replacement is refused",
	"POST /v1/storages/files/from-url":         "a new file, which no page shows",
	"POST /v1/storages/collections":            "a new folder of the library, which visitors do not see",
	"POST /v1/storages/collections/{id}/files": "one more folder of a file; visitors do not see folders",
	"PUT /uploads/{token}":                     "bytes of a release that is not published",
	"POST /html-documents/{id}/releases":       "a release that is not published", "POST /html-documents/{id}/releases/zip": "a release, published in the draft",
	"POST /themes/{id}/site/releases": "a release that is not published", "POST /themes/{id}/site/releases/zip": "a release, published in the draft",
	"POST /site-folders/{id}/releases": "a release that is not published", "POST /site-folders/{id}/releases/zip": "a release, published in the draft",
	"POST /html-documents/{id}/releases/{rid}/validate": "writes nothing",
	"POST /themes/{id}/site/releases/{rid}/validate":    "writes nothing",
	"POST /site-folders/{id}/releases/{rid}/validate":   "writes nothing",
	"POST /site-files/preview":                          "writes nothing",
	"POST /docs/validate":                               "writes nothing",
	"POST /drafts/publish":                              "is what makes a draft live, for who may publish",
	"POST /drafts/discard":                              "of the draft",
	"POST /drafts/preview":                              "a signed address, which shows the draft",
	"POST /v1/auth/register":                            "a person", "POST /v1/auth/login": "a session", "POST /v1/auth/logout": "a session", "POST /v1/auth/password": "a person",
	"POST /v1/account/tokens": "a key", "DELETE /v1/account/tokens/{id}": "a key", "PUT /v1/account/main-company": "a person's choice",
	"POST /v1/orgs/current/members": "people of the shop, whom no page shows", "PUT /v1/orgs/current/members/{user_id}": "people of the shop",
	"DELETE /v1/orgs/current/members/{user_id}": "people of the shop", "DELETE /v1/orgs/current/invitations/{id}": "people of the shop",
	"POST /cart/items/{product_id}/{key}": "a cart", "PUT /cart/items/{product_id}/{key}": "a cart", "DELETE /cart/items/{product_id}/{key}": "a cart",
	"POST /cart/merge": "a cart", "POST /cart/promo": "a cart", "DELETE /cart/promo": "a cart", "PUT /cart/checkout": "a cart", "POST /cart/quote": "writes nothing",
	"POST /promotions/preview": "writes nothing",
	"POST /orders":             "lists orders", "POST /orders/{id}/messages": "words between people", "POST /orders/{id}/messages/seen": "the same",
	"PUT /v1/shop/settings": "of the live shop, which has no draft of them", "POST /v1/shop/delivery-options": "a way of delivery",
	"PUT /v1/shop/delivery-options/{id}": "a way of delivery", "DELETE /v1/shop/delivery-options/{id}": "a way of delivery",
	"PUT /v1/shop/payment-methods/{method}": "a way to pay, of the live shop", "POST /orders/{id}/payment": "a payment",
	"POST /v1/payments/{method}/{company_id}": "a payment", "POST /v1/sandbox/{company_id}/{ref}": "a payment",
	"PUT /v1/shop/letters/{name}": "words of the live shop", "DELETE /v1/shop/letters/{name}": "words of the live shop",
	"POST /v1/shop/letters/{name}/preview": "writes nothing", "POST /v1/shop/letters/again/{id}": "a letter",
	"POST /v1/shop/letters/domain": "a key of the live shop",
	"POST /webhooks":               "who hears of the live shop", "PUT /webhooks/{id}": "the same", "DELETE /webhooks/{id}": "the same",
	"POST /webhooks/{id}/test": "a ping", "POST /webhooks/{id}/deliveries/{delivery_id}/redeliver": "a delivery", "POST /webhooks/{id}/replay": "deliveries",
	"PUT /products/{id}/stock": "stock has no draft", "PUT /products/batch/stock": "stock has no draft",
	"POST /v1/auth/guest": "a session", "PUT /v1/auth/me": "a person", "DELETE /v1/account": "a person",
	"POST /v1/auth/password/forgot": "a letter", "POST /v1/auth/password/reset": "a session",
	"POST /v1/account/addresses": "a buyer's book", "PUT /v1/account/addresses/{id}": "a buyer's book",
	"DELETE /v1/account/addresses/{id}": "a buyer's book", "PUT /v1/account/wishlist/{product_id}": "a buyer's list",
	"DELETE /v1/account/wishlist/{product_id}": "a buyer's list", "POST /v1/account/wishlist/merge": "a buyer's list",
	"POST /products/{id}/reviews": "what a buyer says", "POST /products/{id}/questions": "what a buyer says",
	"POST /reviews/{id}/helpful": "a vote", "POST /questions/{id}/helpful": "a vote",
	"POST /v1/auth/code": "a letter", "POST /v1/auth/code/confirm": "a session", "POST /v1/auth/invitations/accept": "people of a shop",
}

// Every writing endpoint writes to the draft, refuses the draft contour, or gives the reason
// why it accepts it. A new endpoint fails here until it is in one of the lists.
func TestEveryWriteIsDecidedForTheDraftContour(t *testing.T) {
	t.Parallel()
	a := apitest.New(t)
	left := map[string]bool{}
	for _, name := range drafted {
		left[name] = true
	}
	for name, why := range harmless {
		left[name] = true
		if why == "" || slices.Contains(drafted, name) {
			t.Errorf("%s: why may the draft contour call it?", name)
		}
	}
	for _, e := range a.Admin.Table() {
		name := e.Method + " " + e.Path
		if e.Method == "GET" {
			continue
		}
		_, known := left[name]
		switch {
		case e.Contour == api.RefusesDraft && known:
			t.Errorf("%s refuses the draft contour and is in a list", name)
		case e.Contour != api.RefusesDraft && !known:
			t.Errorf("%s: decide what it may do in the draft contour", name)
		case slices.Contains(drafted, name) && (e.Contour != api.CallersContour || e.Auth == api.Link || strings.HasPrefix(name, "POST /v1/")):
			t.Errorf("%s has no draft", name)
		}
		delete(left, name)
	}
	for name := range left {
		t.Errorf("%s is no longer an endpoint", name)
	}
}
