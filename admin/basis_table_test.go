package admin_test

import (
	"cmp"
	"fmt"
	"maps"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"vitrine/admin/api"
	"vitrine/admin/api/apitest"
	"vitrine/internal/shop"
	"vitrine/internal/store"
	"vitrine/internal/store/media"
)

// lastWriteWins are the rows that edit without a basis, with the reason (CONTRACT, "Hands and
// agents", Edits).
var lastWriteWins = map[string]string{
	"PUT /cart/items/{product_id}/{key}":    "a line of the caller's own cart",
	"PUT /cart/checkout":                    "what the buyer typed into the own cart",
	"PUT /cart/contact":                     "what the buyer typed into the own cart",
	"PUT /v1/account/wishlist/{product_id}": "the caller's own wishlist",
	"PUT /v1/account/main-company":          "the caller's main company",
	"PUT /v1/storages/uploads/{id}/{token}": "the bytes of an upload",
	"PUT /uploads/{token}":                  "the bytes of an upload",
	"PATCH /products/batch":                 "a batch",
	"PUT /products/batch/stock":             "a batch of stock, which has expected_quantity",
	"PUT /orders/batch/status":              "a batch, which has expected_status",
	"PUT /reviews/batch":                    "a batch",
	"PUT /questions/batch":                  "a batch",
	"PUT /products/{id}/stock":              "stock, which has expected_quantity",
	"PUT /storefront-redirects/order":       "the order of redirects, which names all of them",
	"PUT /v1/shop/state":                    "a switch of the shop",
	"PUT /v1/shop/slug":                     "a name of the shop",
	"PUT /v1/shop/currency":                 "a switch of the shop",
	"PUT /v1/shop/domain":                   "a name of the shop",
	"PUT /v1/shop/assistants/platforms":     "a switch for an assistant",
}

func rowName(e api.Endpoint) string { return e.Method + " " + e.Path }

func isEdit(e api.Endpoint) bool { return e.Method == "PUT" || e.Method == "PATCH" }

// An edit that names the version it was made from must not overwrite another one, so each
// endpoint that edits compares them, or stands in a list with a reason.
func TestEveryEditTakesABasis(t *testing.T) {
	t.Parallel()
	for _, e := range apitest.New(t).Admin.Table() {
		_, exempt := lastWriteWins[rowName(e)]
		switch {
		case isEdit(e) && e.Edits == "" && !exempt:
			t.Errorf("%s has no Edits", rowName(e))
		case e.Edits != "" && exempt:
			t.Errorf("%s is exempt and has Edits", rowName(e))
		}
	}
}

// editor is a member of a shop who edits one object of each kind.
type editor struct {
	*apitest.API
	t       *testing.T
	session string
	made    map[string]string // ids by what they are of
	contour string            // of reads and edits
}

// send sends a call in the editor's contour.
func (x *editor) send(r apitest.Request) apitest.Answer {
	r.Header = maps.Clone(r.Header)
	if r.Header == nil {
		r.Header = map[string]string{}
	}
	r.Key, r.Header["X-Service-Contour"] = x.session, x.contour
	return x.Send(r)
}

// once returns the id of an object of the shop that several cases use.
func (x *editor) once(of string, create func() any) string {
	if x.made[of] == "" {
		x.made[of] = fmt.Sprint(create())
	}
	return x.made[of]
}

func (x *editor) create(path string, body object) string {
	x.t.Helper()
	made := x.OK("POST", path, x.session, body)
	if inner, wrapped := made["result"].(object); wrapped {
		made = inner
	}
	return fmt.Sprint(made["id"])
}

func (x *editor) product() string {
	return x.once("product", func() any {
		return x.create("/products", item(object{"name": "Tea", "price": object{"price": 14}, "is_published": true}))
	})
}

func (x *editor) article() string {
	return x.once("article", func() any {
		rubric := x.create("/categories", item(object{"name": "Journal", "type": "news", "is_published": true}))
		x.made["second article"] = x.create("/articles", item(object{"category_id": rubric, "title": "Second flush"}))
		return x.create("/articles", item(object{"category_id": rubric, "title": "First flush"}))
	})
}

func (x *editor) order() string {
	return x.once("order", func() any {
		product, buyer := x.product(), x.Session(x.Buyer("ann@people.test"))
		x.OK("POST", "/cart/items/"+product+"/default", buyer, object{"quantity": 3})
		return x.Result("POST", "/cart/confirm", buyer, object{"company_id": x.Shop.ID, "contact": object{"name": "Ann", "phone": "1", "email": "ann@people.test"}})["id"]
	})
}

func (x *editor) remark(path string, body object) any {
	body["company_id"] = x.Shop.ID
	return x.Result("POST", "/products/"+x.product()+path, x.Session(x.Buyer("rev"+path[1:]+"@people.test")), body)["id"]
}

func (x *editor) file() string {
	f := media.File{ID: uuid.New(), UploadID: uuid.New(), Section: "content", Type: "image", Name: "a.webp", Path: "content/" + uuid.NewString(), SHA256: fmt.Sprintf("%064s", "b")}
	err := x.Store.Write(x.t.Context(), x.Shop.ID, func(tx *store.Tx) error {
		if err := media.RequestFile(x.t.Context(), tx, &f, []byte(f.ID.String())); err != nil {
			return err
		}
		return media.StoreFile(x.t.Context(), tx, &f, map[string]int64{f.SHA256: 9})
	})
	if err != nil {
		x.t.Fatal(err)
	}
	return f.ID.String()
}

// editCase makes an object and the body of its n-th edit; each changes it.
type editCase struct {
	path func(*editor) string // of the endpoint, with the ids of the object
	body func(x *editor, n int) object
}

func created(path string, body object) func(*editor) string {
	return func(x *editor) string { return path + "/" + x.create(path, body) }
}

func fieldEdits(field string) func(*editor, int) object {
	return func(_ *editor, n int) object { return object{field: fmt.Sprint("Edit ", n)} }
}

func itemEdits(field string) func(*editor, int) object {
	return func(x *editor, n int) object { return item(fieldEdits(field)(x, n)) }
}

func atProduct(rest string) func(*editor) string {
	return func(x *editor) string { return "/products/" + x.product() + rest }
}

func atOrder(rest string) func(*editor) string {
	return func(x *editor) string { return "/orders/" + x.order() + rest }
}

func oneOf(field string, values ...any) func(*editor, int) object {
	return func(_ *editor, n int) object { return object{field: values[n%len(values)]} }
}

func (x *editor) block() string {
	return x.once("block", func() any { return x.create("/content-blocks", item(object{"name": "Top", "group_type": "chrome"})) })
}

func blockEdits(x *editor, n int) object {
	return object{"items": list{object{"block_id": x.block(), "sort_order": n}}}
}

func (x *editor) form() string {
	return x.once("form", func() any {
		return x.create("/forms", item(object{"name": "Callback", "fields": list{object{"name": "phone", "type": "phone", "label": "Phone"}}}))
	})
}

func (x *editor) lead() any {
	sent := object{"form_id": x.form(), "values": object{"phone": "+49 30 5550"}}
	return x.Result("POST", fmt.Sprint("/form-leads?company_id=", x.Shop.ID), "", sent)["id"]
}

func at(path string) func(*editor) string { return func(*editor) string { return path } }

var editCases = map[string]editCase{
	"PUT /products/{id}":                  {atProduct(""), itemEdits("name")},
	"PUT /products/{id}/ad-participation": {atProduct("/ad-participation"), oneOf("mode", "include", "exclude")},
	"PUT /products/{id}/variants": {atProduct("/variants"), func(_ *editor, n int) object {
		return object{"items": list{object{"title": "50 g", "options": object{"Weight": "50 g"}, "price": 13 + n}}}
	}},
	"PUT /categories/{id}": {created("/categories", item(object{"name": "Teas"})), itemEdits("name")},
	"PUT /articles/{id}":   {func(x *editor) string { return "/articles/" + x.article() }, itemEdits("title")},
	"PUT /articles/{id}/related": {func(x *editor) string { return "/articles/" + x.article() + "/related" }, func(x *editor, n int) object {
		return object{"ids": list{x.made["second article"]}[:n%2]}
	}},
	"PUT /galleries/{id}":  {created("/galleries", item(object{"name": "Harvest"})), itemEdits("name")},
	"PUT /attributes/{id}": {created("/attributes", item(object{"name": "Weight", "kind": "number"})), itemEdits("name")},
	"PUT /product-groups/{id}": {func(x *editor) string {
		other := x.create("/products", item(object{"name": "Gyokuro"}))
		return created("/product-groups", item(object{"name": "Greens", "product_ids": list{x.product(), other}}))(x)
	}, itemEdits("name")},
	"PUT /customers/{id}":       {created("/customers", object{"email": "bob@people.test"}), fieldEdits("name")},
	"PUT /customer-groups/{id}": {created("/customer-groups", object{"name": "Friends"}), fieldEdits("name")},
	"PUT /access-policies/{id}": {created("/access-policies", object{"name": "Trade", "kind": "password"}), fieldEdits("text")},
	"PUT /promotions/{id}": {
		created("/promotions", item(object{"name": "Spring", "kind": "discount", "value": object{"percent": 15}})), itemEdits("name")},
	"PUT /pricing-rules/{id}": {func(x *editor) string {
		return created("/pricing-rules", item(object{"name": "Six", "product_ids": list{x.product()}, "tiers": list{object{"from": 6, "percent": 10}}}))(x)
	}, itemEdits("name")},
	"PUT /reviews/{id}": {func(x *editor) string {
		return fmt.Sprint("/reviews/", x.remark("/reviews", object{"rating": 5, "text": "Strong"}))
	}, fieldEdits("answer")},
	"PUT /questions/{id}": {func(x *editor) string {
		return fmt.Sprint("/questions/", x.remark("/questions", object{"text": "Is it strong?"}))
	}, fieldEdits("answer")},
	"PUT /orders/{id}/status": {atOrder("/status"), oneOf("status", "new", "processing")},
	"PUT /orders/{id}/note":   {atOrder("/note"), fieldEdits("text")},
	"PUT /orders/{id}/tags":   {atOrder("/tags"), func(_ *editor, n int) object { return object{"tags": list{fmt.Sprint("tag ", n)}} }},
	"PUT /orders/{id}/shipments/{shipment_id}": {func(x *editor) string {
		return created("/orders/"+x.order()+"/shipments", object{"carrier": "dhl", "number": "JD1", "shipped_at": "2026-11-24T09:00:00Z"})(x)
	}, oneOf("delivered_at", nil, "2026-11-24T10:00:00Z")},
	"PUT /v1/storages/files/{id}":       {func(x *editor) string { return "/v1/storages/files/" + x.file() }, itemEdits("alt")},
	"PUT /v1/storages/collections/{id}": {created("/v1/storages/collections", object{"name": "Spring"}), fieldEdits("name")},
	"PATCH /site-files/{id}":            {created("/site-files", object{"name": "robots-extra.txt", "body": "a"}), fieldEdits("body")},
	"PUT /webhooks/{id}": {
		created("/webhooks", object{"url": "https://93.184.216.34/hook", "events": list{"order.paid"}}),
		oneOf("events", list{"order.paid"}, list{"order.paid", "product.updated"})},
	"PUT /storefront-redirects/{id}": {
		created("/storefront-redirects", item(object{"from_path": "/old-tea", "to_target": "/green-tea"})),
		func(_ *editor, n int) object {
			return item(object{"from_path": "/old-tea", "to_target": "/green-tea", "note": fmt.Sprint("Edit ", n)})
		}},
	"PUT /storefront-redirects/settings": {
		func(*editor) string { return "/storefront-redirects/settings" }, oneOf("miss_fallback", true, false)},
	"PUT /content-blocks/{id}": {created("/content-blocks", item(object{"name": "Words"})), itemEdits("name")},
	"PUT /categories/{id}/content-blocks": {func(x *editor) string {
		return created("/categories", item(object{"name": "About"}))(x) + "/content-blocks"
	}, blockEdits},
	"PUT /articles/{id}/content-blocks": {func(x *editor) string { return "/articles/" + x.article() + "/content-blocks" }, blockEdits},
	"PUT /design/bindings/{type}/{id}": {at("/design/bindings/shop/0"), func(x *editor, n int) object {
		return object{"slots": []object{{}, {"header": x.block()}, {"footer": x.block()}, {"header": x.block()}}[n]}
	}},
	"PUT /v1/shop/settings":                 {at("/v1/shop/settings"), fieldEdits("name")},
	"PUT /v1/shop/delivery-options/{id}":    {created("/v1/shop/delivery-options", object{"name": "Courier"}), fieldEdits("name")},
	"PUT /v1/shop/payment-methods/{method}": {at("/v1/shop/payment-methods/manual"), fieldEdits("title")},
	"PUT /v1/shop/letters/{name}":           {at("/v1/shop/letters/order_made_buyer"), fieldEdits("subject")},
	"PUT /v1/orgs/current/members/{user_id}": {func(x *editor) string {
		return "/v1/orgs/current/members/" + x.Member(shop.Editor).String()
	}, oneOf("role", "editor", "admin")},
	"PUT /v1/auth/me": {at("/v1/auth/me"), fieldEdits("name")},
	"PUT /v1/account/addresses/{id}": {
		func(x *editor) string {
			return created("/v1/account/addresses", object{"company_id": x.Shop.ID, "city": "Kiel"})(x)
		}, func(x *editor, n int) object {
			return object{"company_id": x.Shop.ID, "street": fmt.Sprint("Pier ", n)}
		}},
	"PUT /v1/auth/passkeys/{id}": {func(x *editor) string {
		const path = "/v1/auth/passkeys"
		return path + "/" + x.create(path+"/register/finish", newLaptop(x.t).attests(x.OK("POST", path+"/register/begin", x.session, nil)))
	}, fieldEdits("name")},
	"PUT /v1/account/views/{page}": {at("/v1/account/views/orders"), fieldEdits("sort")},
	"PUT /html-documents/{id}":     {created("/html-documents", item(object{"name": "Landing"})), itemEdits("name")},
	"PUT /forms/{id}": {func(x *editor) string { return "/forms/" + x.form() }, func(_ *editor, n int) object {
		return item(object{"name": fmt.Sprint("Edit ", n), "fields": list{object{"name": "phone", "type": "phone", "label": "Phone"}}})
	}},
	"PUT /form-leads/{id}": {func(x *editor) string { return fmt.Sprint("/form-leads/", x.lead()) }, fieldEdits("note")},
}

// readPath is the address of the object that an endpoint edits: the path of Edits with the ids
// of the address.
func readPath(e api.Endpoint, address string) string {
	path, parts := e.Edits, strings.Split(address, "/")
	for i, part := range strings.Split(e.Path, "/") {
		if strings.HasPrefix(part, "{") {
			path = strings.Replace(path, part, parts[i], 1)
		}
	}
	return path
}

// Each endpoint with Edits refuses an edit of an old version, says what the object is now, and
// accepts an edit of the present version or of none.
func TestEveryEditComparesItsBasis(t *testing.T) {
	t.Parallel()
	a := apitest.New(t)
	x := &editor{API: a, t: t, session: a.Session(a.OwnerID), made: map[string]string{}, contour: "prod"}
	for _, e := range a.Admin.Table() {
		if e.Edits == "" {
			continue
		}
		one, found := editCases[rowName(e)]
		if !found {
			t.Errorf("%s has no case", rowName(e))
			continue
		}
		x.comparesItsBasis(e, one)
		for _, part := range partEdits[rowName(e)] {
			x.comparesItsBasis(e, editCase{one.path, part})
		}
	}
}

// partEdits are edits that leave the object's own fields as they are.
var partEdits = map[string][]func(x *editor, n int) object{
	"PUT /products/{id}": {
		func(x *editor, n int) object {
			return item(object{"attributes": list{object{"attribute_id": x.number(), "number": n}}})
		},
		func(x *editor, n int) object {
			return item(object{"categories": list{x.section()}[:n%2], "categories_replace": true})
		},
		galleryEdits,
	},
	"PUT /categories/{id}": {galleryEdits},
	"PUT /articles/{id}":   {galleryEdits},
	"PUT /galleries/{id}": {func(_ *editor, n int) object {
		return item(object{"items": list{object{"kind": "html", "html": fmt.Sprint("<p>", n, "</p>")}}, "items_replace": true})
	}},
}

func (x *editor) number() string {
	return x.once("number", func() any { return x.create("/attributes", item(object{"name": "Leaves", "kind": "number"})) })
}

func (x *editor) section() string {
	return x.once("section", func() any { return x.create("/categories", item(object{"name": "Greens"})) })
}

func galleryEdits(x *editor, n int) object {
	gallery := x.once("gallery", func() any { return x.create("/galleries", item(object{"name": "Spring"})) })
	return item(object{"gallery_ids": list{gallery}[:n%2], "gallery_ids_replace": true})
}

// The draft shows the version of an object like the live shop does, also where only a part of it is
// edited, and the live object has a new version once the part is published.
func TestEveryEditOfTheDraftComparesItsBasis(t *testing.T) {
	t.Parallel()
	a := apitest.New(t)
	for _, e := range a.Admin.Table() {
		if e.Edits == "" || e.Contour != api.CallersContour {
			continue
		}
		one := editCases[rowName(e)]
		for _, body := range append(partEdits[rowName(e)], one.body) {
			x := &editor{API: a, t: t, session: a.Session(a.OwnerID), made: map[string]string{}, contour: "dev"}
			path := one.path(x)
			body(x, 1) // it may make what it refers to
			x.comparesItsBasis(e, editCase{at(path), body})
			read := apitest.Request{Method: "GET", Path: readPath(e, path), Key: x.session}
			before := a.Send(read).Header.Get("ETag")
			a.OK("POST", "/drafts/publish", x.session, object{"all": true, "force": true})
			if after := a.Send(read).Header.Get("ETag"); version(after) == version(before) {
				t.Errorf("%s: published with the version of before, %s", rowName(e), before)
			}
			drafted := x.send(read).Header.Get("ETag")
			if got := x.send(apitest.Request{Method: e.Method, Path: path, Body: body(x, 2)}); got.Status != 200 {
				t.Errorf("%s: %d %s", rowName(e), got.Status, got.Body)
			}
			a.OK("POST", "/drafts/discard", x.session, object{"all": true})
			if live, now := a.Send(read).Header.Get("ETag"), x.send(read).Header.Get("ETag"); version(now) != version(live) || version(live) != version(drafted) {
				t.Errorf("%s: version %s after the draft was discarded, of the live object %s, before %s", rowName(e), now, live, drafted)
			}
		}
	}
}

// version is the part of an ETag that names the version of the object.
func version(tag string) string {
	name, _, _ := strings.Cut(tag, ".")
	return name
}

func (x *editor) comparesItsBasis(e api.Endpoint, one editCase) {
	x.t.Helper()
	x.Clock.Advance(time.Minute) // another minute of the session's limits
	path := one.path(x)
	read := readPath(e, path)
	_, inBody := e.Do.In.FieldByName("ExpectedUpdatedAt")
	tags := map[any]string{} // by updated_at
	get := func() (tag string, at any, current object) {
		got := x.send(apitest.Request{Method: "GET", Path: read})
		current = got.JSON
		if inner, wrapped := current["result"].(object); wrapped {
			current = inner
		}
		tag, at = got.Header.Get("ETag"), cmp.Or(current["updated_at"], got.JSON["updated_at"])
		if got.Status != 200 || !strings.HasPrefix(tag, `"`) || at == nil {
			x.t.Fatalf("GET %s: %d %s, ETag %s", read, got.Status, got.Body, tag)
		}
		tags[at] = tag
		return tag, at, current
	}
	edit := func(n int, tag string, at any) apitest.Answer {
		body := maps.Clone(one.body(x, n))
		r := apitest.Request{Method: e.Method, Path: path, Body: body}
		switch {
		case at != nil && inBody:
			body["expected_updated_at"] = at
		case at != nil && tag == "":
			tag = tags[at]
		}
		if tag != "" {
			r.Header = map[string]string{"If-Match": tag}
		}
		return x.send(r)
	}
	firstTag, firstAt, _ := get()
	done := edit(1, firstTag, firstAt)
	secondTag, secondAt, second := get()
	if done.Status != 200 || version(firstTag) == version(secondTag) || firstAt == secondAt {
		x.t.Errorf("%s of the present version: %d %s; ETag %s, then %s", rowName(e), done.Status, done.Body, firstTag, secondTag)
	}
	if tag := done.Header.Get("ETag"); tag != "" && version(tag) != version(secondTag) {
		x.t.Errorf("%s answers ETag %s, then GET %s", rowName(e), tag, secondTag)
	}
	for name, got := range map[string]apitest.Answer{
		"If-Match": edit(2, firstTag, nil), "expected_updated_at": edit(2, "", firstAt),
		"a weak tag": edit(2, "W/"+secondTag, nil), "If-Match beside the present expected_updated_at": edit(2, firstTag, secondAt),
	} {
		by, _ := got.JSON["updated_by"].(object)
		if got.Status != 409 || apitest.Code(got.JSON) != "EDIT_CONFLICT" || !reflect.DeepEqual(got.JSON["current"], any(second)) || by["user_id"] != float64(x.OwnerID) {
			x.t.Errorf("%s with an old %s: %d %s", rowName(e), name, got.Status, got.Body)
		}
	}
	if tag, _, now := get(); tag != secondTag || !reflect.DeepEqual(now, second) {
		x.t.Errorf("%s was refused and made: %v, then %v", rowName(e), second, now)
	}
	if got := edit(2, "", secondAt); got.Status != 200 {
		x.t.Errorf("%s of the present expected_updated_at: %d %s", rowName(e), got.Status, got.Body)
	}
	if got := edit(3, "", nil); got.Status != 200 {
		x.t.Errorf("%s without a basis: %d %s", rowName(e), got.Status, got.Body)
	}
	if tag, _, _ := get(); version(tag) == version(secondTag) {
		x.t.Errorf("%s without a basis keeps the version", rowName(e))
	}
}
