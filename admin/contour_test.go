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
	"release/layout.go": "a folder is created in the contour of its layout",
	"release/folder.go": "a folder is created in the contour of its section",
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
	"POST /v1/storages/files/{id}/done":        "only for new files; a replacement is refused",
	"POST /v1/storages/files/from-url":         "a new file, which no page shows",
	"POST /v1/storages/collections":            "a new folder of the library, which visitors do not see",
	"POST /v1/storages/collections/{id}/files": "adds a file to a folder; visitors do not see folders",
	"PUT /uploads/{token}":                     "bytes of a release that is not published",
	"POST /html-documents/{id}/releases":       "a release that is not published", "POST /html-documents/{id}/releases/zip": "a release, published in the draft",
	"POST /themes/{id}/site/releases": "a release that is not published", "POST /themes/{id}/site/releases/zip": "a release, published in the draft",
	"POST /site-folders/{id}/releases": "a release that is not published", "POST /site-folders/{id}/releases/zip": "a release, published in the draft",
	"POST /html-documents/{id}/releases/{rid}/validate": "writes nothing",
	"POST /themes/{id}/site/releases/{rid}/validate":    "writes nothing",
	"POST /site-folders/{id}/releases/{rid}/validate":   "writes nothing",
	"POST /site-files/preview":                          "writes nothing",
	"POST /docs/validate":                               "writes nothing",
	"POST /drafts/publish":                              "publishes the draft, for people who may publish",
	"POST /drafts/discard":                              "changes the draft only",
	"POST /drafts/preview":                              "a signed address that shows the draft",
	"POST /v1/auth/register":                            "a person", "POST /v1/auth/login": "a session", "POST /v1/auth/logout": "a session", "POST /v1/auth/password": "a person",
	"POST /v1/account/tokens": "a key", "DELETE /v1/account/tokens/{id}": "a key", "PUT /v1/account/main-company": "a person's choice",
	"POST /v1/orgs/current/members": "members, whom no page shows", "PUT /v1/orgs/current/members/{user_id}": "members",
	"DELETE /v1/orgs/current/members/{user_id}": "members", "DELETE /v1/orgs/current/invitations/{id}": "members",
	"POST /cart/items/{product_id}/{key}": "a cart", "PUT /cart/items/{product_id}/{key}": "a cart", "DELETE /cart/items/{product_id}/{key}": "a cart",
	"POST /cart/merge": "a cart", "POST /cart/promo": "a cart", "DELETE /cart/promo": "a cart", "PUT /cart/checkout": "a cart", "POST /cart/quote": "writes nothing",
	"POST /promotions/preview": "writes nothing",
	"POST /orders":             "lists orders", "POST /orders/{id}/messages": "messages about an order", "POST /orders/{id}/messages/seen": "messages about an order",
	"PUT /v1/shop/settings": "settings have no draft", "POST /v1/shop/delivery-options": "a delivery option",
	"PUT /v1/shop/delivery-options/{id}": "a delivery option", "DELETE /v1/shop/delivery-options/{id}": "a delivery option",
	"PUT /v1/shop/payment-methods/{method}": "a payment method", "POST /orders/{id}/payment": "a payment",
	"POST /v1/payments/{method}/{company_id}": "a payment", "POST /v1/sandbox/{company_id}/{ref}": "a payment",
	"PUT /v1/shop/letters/{name}": "letter texts have no draft", "DELETE /v1/shop/letters/{name}": "letter texts have no draft",
	"POST /v1/shop/letters/{name}/preview": "writes nothing", "POST /v1/shop/letters/again/{id}": "a letter",
	"POST /v1/shop/letters/domain": "a DKIM key of the live shop",
	"POST /webhooks":               "a subscription", "PUT /webhooks/{id}": "a subscription", "DELETE /webhooks/{id}": "a subscription",
	"POST /webhooks/{id}/test": "a ping", "POST /webhooks/{id}/deliveries/{delivery_id}/redeliver": "a delivery", "POST /webhooks/{id}/replay": "deliveries",
	"PUT /products/{id}/stock": "stock has no draft", "PUT /products/batch/stock": "stock has no draft",
	"POST /v1/auth/guest": "a session", "PUT /v1/auth/me": "a person", "DELETE /v1/account": "a person",
	"POST /v1/auth/password/forgot": "a letter", "POST /v1/auth/password/reset": "a session",
	"POST /v1/account/addresses": "an address book", "PUT /v1/account/addresses/{id}": "an address book",
	"DELETE /v1/account/addresses/{id}": "an address book", "PUT /v1/account/wishlist/{product_id}": "a wishlist",
	"DELETE /v1/account/wishlist/{product_id}": "a wishlist", "POST /v1/account/wishlist/merge": "a wishlist",
	"POST /products/{id}/reviews": "a review or question", "POST /products/{id}/questions": "a review or question",
	"POST /reviews/{id}/helpful": "a vote", "POST /questions/{id}/helpful": "a vote",
	"POST /v1/auth/code": "a letter", "POST /v1/auth/code/confirm": "a session", "POST /v1/auth/invitations/accept": "members",
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
