package transfer_test

import (
	"archive/zip"
	"bytes"
	"context"
	"encoding/json"
	"io"
	"maps"
	"mime/multipart"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"vitrine/admin"
	"vitrine/admin/api/apitest"
	"vitrine/admin/media"
	"vitrine/admin/transfer/fill"
	"vitrine/internal/blob"
	"vitrine/internal/shop"
	companydb "vitrine/internal/store/company"
)

// outset is a yard in which a shop with a product and a file was exported, and somebody else who has
// no shop.
type outset struct {
	*yard
	file   []byte
	person shop.UserID // Ann
	ann    string      // a session of hers
}

func begin(t *testing.T) *outset {
	t.Helper()
	a := apitest.New(t, func(c *admin.Config) {
		picture := media.Picture{Format: "webp", Width: 10, Height: 10}
		c.Media.Inspect = func([]byte) (media.Picture, error) { return picture, nil }
		c.Media.Master = func(_ context.Context, file []byte) ([]byte, media.Picture, error) { return file, picture, nil }
	})
	y := &yard{API: a, t: t, owner: a.Session(a.OwnerID)}
	tea := y.Result("POST", "/categories", y.Owner, m{"item": m{"name": "Tea", "type": "product"}})["id"]
	y.OK("POST", "/products", y.owner, m{"item": m{"name": "Sencha", "category_id": tea, "is_published": true, "stock": m{"quantity": 3}}})
	y.OK("POST", "/products", y.Owner, m{"item": m{"name": "Gyokuro", "category_id": tea}})
	y.OK("POST", "/storefront-redirects", y.Owner, m{"item": m{"from_path": "/old", "to_target": "/tea", "enabled": true}})
	id := y.export(y.owner)
	y.work()
	got := y.fetch(y.done(id)["url"].(string), nil)
	if got.Status != 200 {
		t.Fatalf("%d %s", got.Status, got.Body)
	}
	ann := y.Buyer("ann@people.test")
	return &outset{y, got.Body, ann, y.Session(ann)}
}

// into begins an import.
func (o *outset) into(who, slug string, file []byte) apitest.Answer {
	o.t.Helper()
	return o.Send(apitest.Request{
		Method: "POST", Path: "/v1/shop/import?slug=" + slug + "&name=Copy", Key: who, Body: file, Header: map[string]string{"Content-Type": "application/zip"},
	})
}

// begun begins an import and returns the id of its job.
func (o *outset) begun(slug string, file []byte) (id string) {
	o.t.Helper()
	got := o.into(o.ann, slug, file)
	if got.Status != 202 {
		o.t.Fatalf("POST /v1/shop/import: %d %s", got.Status, got.Body)
	}
	return got.JSON["result"].(m)["id"].(string)
}

// imported runs an import and returns its job.
func (o *outset) imported(slug string, file []byte) m {
	o.t.Helper()
	id := o.begun(slug, file)
	o.work()
	return o.Result("GET", "/v1/jobs/"+id, o.ann, nil)
}

// shops lists the slugs of all shops, hidden ones too.
func (o *outset) shops() (slugs []string) {
	o.t.Helper()
	conn, err := pgx.Connect(o.t.Context(), o.URL)
	if err != nil {
		o.t.Fatal(err)
	}
	defer conn.Close(context.Background()) //nolint:errcheck // of a test
	rows, err := conn.Query(o.t.Context(), `SELECT slug FROM company ORDER BY slug`)
	if err == nil {
		slugs, err = pgx.CollectRows(rows, pgx.RowTo[string])
	}
	if err != nil {
		o.t.Fatal(err)
	}
	return slugs
}

// nothing reports whether an import has left something: a shop, or the file that was sent.
func (o *outset) nothing(what string, file []byte, before []string) {
	o.t.Helper()
	if after := o.shops(); !slices.Equal(before, after) {
		o.t.Errorf("%s: the shops %v became %v", what, before, after)
	}
	if has, err := o.Blobs.Has(o.t.Context(), blob.Sum(file)); err != nil || has && !bytes.Equal(file, o.file) {
		o.t.Errorf("%s: the file that was sent is kept (%v)", what, err)
	}
}

func TestAnImportMakesAShopOfTheCaller(t *testing.T) {
	t.Parallel()
	o := begin(t)
	j := o.imported("copy", o.file)
	if j["state"] != "done" || j["kind"] != "shop_import" || j["error"] != "" || j["done"] != j["total"] || j["done"] == 0.0 {
		t.Fatalf("%v", j)
	}
	result := j["result"].(m)
	if result["slug"] != "copy" || result["storefront_url"] != "http://copy.shops.test" {
		t.Errorf("%v", result)
	}
	left := map[any]any{}
	for _, l := range result["left"].([]any) {
		left[l.(m)["table"]] = l.(m)["count"]
	}
	if left["members"] == nil || left["redirect_version"] != 1.0 || left["product"] != nil {
		t.Errorf("left out: %v", left)
	}
	shops := o.OK("GET", "/v1/orgs", o.ann, nil)["result"].([]any)
	if len(shops) != 1 || shops[0].(m)["name"] != "Copy" || shops[0].(m)["role"] != "owner" {
		t.Errorf("the caller has the shops %v", shops)
	}
	var names []any
	for _, p := range o.Result("GET", "/products", o.ann, nil)["items"].([]any) {
		names = append(names, p.(m)["name"], p.(m)["stock_quantity"], p.(m)["is_published"])
	}
	if !slices.Equal(names, []any{"Gyokuro", nil, false, "Sencha", 3.0, true}) && !slices.Equal(names, []any{"Sencha", 3.0, true, "Gyokuro", nil, false}) {
		t.Errorf("products: %v", names)
	}
	if got := o.Send(apitest.Request{Method: "GET", Path: "/v1/jobs/" + j["id"].(string), Key: o.owner}); got.Status != 404 {
		t.Errorf("the job of somebody else: %d", got.Status)
	}
}

// A form may have slug and name as fields.
func TestAnImportIsSentAsAForm(t *testing.T) {
	t.Parallel()
	o := begin(t)
	send := func(order ...string) apitest.Answer {
		var form bytes.Buffer
		w := multipart.NewWriter(&form)
		for _, name := range order {
			part, err := w.CreateFormFile(name, "shop.zip")
			if name != "file" {
				part, err = w.CreateFormField(name)
			}
			if err == nil {
				_, err = part.Write(map[string][]byte{"slug": []byte("copy"), "name": []byte("Kopie"), "file": o.file, "other": nil}[name])
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		return o.Send(apitest.Request{Method: "POST", Path: "/v1/shop/import", Key: o.ann, Body: form.Bytes(), Header: map[string]string{"Content-Type": w.FormDataContentType()}})
	}
	for want, order := range map[string][]string{
		"SHOP_SLUG_INVALID": {"file", "slug", "name"}, "NAME_REQUIRED": {"slug", "file"}, "INVALID_REQUEST": {"slug", "name"},
	} {
		if got := send(order...); got.Status != 400 || apitest.Code(got.JSON) != want {
			t.Errorf("%v: %d %s", order, got.Status, got.Body)
		}
	}
	if got := send("other", "name", "slug", "file"); got.Status != 202 {
		t.Fatalf("%d %s", got.Status, got.Body)
	}
	o.work()
	if shops := o.OK("GET", "/v1/orgs", o.ann, nil)["result"].([]any); len(shops) != 1 || shops[0].(m)["name"] != "Kopie" {
		t.Errorf("%v", shops)
	}
}

func TestImportsAreRefusedAsNewShopsAre(t *testing.T) {
	t.Parallel()
	o := begin(t)
	before := o.shops()
	guest := o.Result("POST", "/v1/auth/guest", "", m{})["token"].(string)
	for _, c := range []struct {
		who, slug string
		status    int
		code      string
	}{
		{o.ann, "tea", 409, "SLUG_TAKEN"}, // somebody else's
		{o.ann, "admin", 400, "SHOP_SLUG_INVALID"},
		{o.ann, "A", 400, "SHOP_SLUG_INVALID"},
		{o.ann, "..", 400, "SHOP_SLUG_INVALID"},
		{o.ann, strings.Repeat("a", 64), 400, "TEXT_TOO_LONG"},
		{guest, "copy", 403, "ROLE_REQUIRED"},
		{"", "copy", 401, "UNAUTHENTICATED"},
		{o.Owner, "copy", 403, "PAT_METHOD_NOT_ALLOWED"},
	} {
		got := o.into(c.who, c.slug, o.file)
		if got.Status != c.status || apitest.Code(got.JSON) != c.code {
			t.Errorf("%s: %d %s, want %s", c.slug, got.Status, got.Body, c.code)
		}
	}
	o.begun("one", o.file)
	o.begun("two", o.file)
	if got := o.into(o.ann, "three", o.file); apitest.Code(got.JSON) != "JOB_LIMIT_REACHED" {
		t.Errorf("a third at once: %d %s", got.Status, got.Body)
	}
	if after := o.shops(); !slices.Equal(before, after) {
		t.Errorf("shops %v", after)
	}
	o.work()
	if got := o.into(o.ann, "one", o.file); apitest.Code(got.JSON) != "SLUG_TAKEN" {
		t.Errorf("the slug of an import: %d %s", got.Status, got.Body)
	}
}

// An import counts as a new shop: people and networks may have a number of them.
func TestImportsCountAsNewShops(t *testing.T) {
	t.Parallel()
	o := begin(t)
	owned := 0
	for ; owned < companydb.MaxOwned-1; owned++ {
		o.OK("POST", "/v1/orgs", o.ann, m{"slug": "s" + itoa(owned), "name": "S", "currency": "EUR"})
		o.Clock.Advance(0)
	}
	o.begun("copy", o.file)
	if got := o.into(o.ann, "copy-2", o.file); got.Status != 429 || apitest.Code(got.JSON) != "RATE_LIMITED" {
		t.Errorf("the 21st shop: %d %s", got.Status, got.Body)
	}
}

func TestSignupClosedClosesImports(t *testing.T) {
	t.Parallel()
	a := apitest.New(t, func(c *admin.Config) { c.SignupClosed = true })
	o := &outset{yard: &yard{API: a, t: t}, ann: a.Session(a.Buyer("ann@people.test"))}
	if got := o.into(o.ann, "copy", nil); got.Status != 403 || apitest.Code(got.JSON) != "SIGNUP_CLOSED" {
		t.Errorf("%d %s", got.Status, got.Body)
	}
}

// forged returns the file with changed entries and a manifest that matches them.
func (o *outset) forged(change func(entries map[string][]byte)) []byte {
	o.t.Helper()
	return o.forgedAs(func(entries map[string][]byte, _ m) { change(entries) })
}

func (o *outset) forgedAs(change func(entries map[string][]byte, manifest m)) []byte {
	o.t.Helper()
	must := func(err error) {
		o.t.Helper()
		if err != nil {
			o.t.Fatal(err)
		}
	}
	z, err := zip.NewReader(bytes.NewReader(o.file), int64(len(o.file)))
	must(err)
	entries := map[string][]byte{}
	for _, f := range z.File {
		r, err := f.Open()
		must(err)
		entries[f.Name], err = io.ReadAll(r)
		must(err)
	}
	var manifest m
	must(json.Unmarshal(entries["manifest.json"], &manifest))
	delete(entries, "manifest.json")
	change(entries, manifest)
	listed := m{}
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	add := func(name string, body []byte) {
		method := zip.Deflate
		if strings.HasPrefix(name, "blobs/") {
			method = zip.Store
		}
		part, err := w.CreateHeader(&zip.FileHeader{Name: name, Method: method})
		must(err)
		_, err = part.Write(body)
		must(err)
	}
	for name, body := range entries {
		entry, _ := manifest["entries"].(m)[name].(m)
		if entry == nil {
			entry = m{}
		}
		entry["size"], entry["sha256"] = len(body), blob.Sum(body)
		delete(entry, "columns")
		listed[name] = entry
		add(name, body)
	}
	manifest["entries"] = listed
	text, err := json.Marshal(manifest)
	must(err)
	add("manifest.json", text)
	must(w.SetComment("vitrine shop " + blob.Sum(text)))
	must(w.Close())
	return out.Bytes()
}

// row changes the first row of a table.
func (o *outset) row(table string, change func(fields m)) []byte {
	o.t.Helper()
	return o.forged(func(entries map[string][]byte) {
		lines := bytes.SplitAfter(entries["tables/"+table+".jsonl"], []byte("\n"))
		var fields m
		if err := json.Unmarshal(lines[0], &fields); err != nil {
			o.t.Fatal(err)
		}
		change(fields)
		text, err := json.Marshal(fields)
		if err != nil {
			o.t.Fatal(err)
		}
		lines[0] = append(text, '\n')
		entries["tables/"+table+".jsonl"] = bytes.Join(lines, nil)
	})
}

// A file may come from anybody. One that is not what an export writes, or has a row that its call
// refuses, makes no shop; the error names the row, with the code and the place of the call.
func TestHostileFilesMakeNoShop(t *testing.T) {
	t.Parallel()
	o := begin(t)
	before := o.shops()
	set := func(name string, value any) func(m) { return func(fields m) { fields[name] = value } }
	bomb := bytes.Repeat([]byte(strings.Repeat(" ", 1<<20-1)+"\n"), 40)
	for what, c := range map[string]struct {
		file []byte
		want string
	}{
		"no zip":              {[]byte("not a zip"), "SHOP_FILE_INVALID"},
		"empty":               {nil, "SHOP_FILE_INVALID"},
		"another zip":         {func() []byte { var b bytes.Buffer; _ = zip.NewWriter(&b).Close(); return b.Bytes() }(), "SHOP_FILE_INVALID"},
		"cut off":             {o.file[:len(o.file)/2], "SHOP_FILE_INVALID"},
		"a changed byte":      {func() []byte { b := bytes.Clone(o.file); b[len(b)/2] ^= 1; return b }(), "SHOP_FILE_INVALID"},
		"a newer version":     {o.forgedAs(func(_ map[string][]byte, manifest m) { manifest["version"] = 99 }), "SHOP_FILE_INVALID"},
		"an unknown table":    {o.forged(func(e map[string][]byte) { e["tables/api_key.jsonl"] = nil }), "SHOP_FILE_INVALID"},
		"a path upwards":      {o.forged(func(e map[string][]byte) { e["tables/../../x.jsonl"] = nil }), "SHOP_FILE_INVALID"},
		"an absolute path":    {o.forged(func(e map[string][]byte) { e["/etc/passwd"] = nil }), "SHOP_FILE_INVALID"},
		"a blob of another":   {o.forged(func(e map[string][]byte) { e["blobs/"+blob.Sum(nil)] = []byte("x") }), "SHOP_FILE_INVALID"},
		"no shop":             {o.forged(func(e map[string][]byte) { e["shop.json"] = nil }), "SHOP_FILE_INVALID"},
		"rows that are bytes": {o.forged(func(e map[string][]byte) { e["tables/product.jsonl"] = []byte("\xff\n") }), "SHOP_FILE_INVALID"},
		"a bomb":              {o.forged(func(e map[string][]byte) { e["tables/product.jsonl"] = bomb }), "SHOP_FILE_INVALID"},
		"a long row":          {o.row("product", set("description", strings.Repeat("a b c", 1<<19))), "SHOP_FILE_TOO_LARGE"},
		"many rows": {o.forged(func(e map[string][]byte) {
			var all bytes.Buffer
			for n := range 200_001 {
				all.WriteString(`{"id":` + itoa(n+1) + `,"name":"` + blob.Sum([]byte(itoa(n))) + "\"}\n")
			}
			e["tables/form.jsonl"] = all.Bytes()
		}), "SHOP_FILE_TOO_LARGE"},
		"an id twice":                 {o.forged(func(e map[string][]byte) { e["tables/product.jsonl"] = bytes.Repeat(e["tables/product.jsonl"], 2) }), "row 3 of product"},
		"no id":                       {o.row("product", set("id", "x")), "row 1 of product"},
		"a currency":                  {o.forged(func(e map[string][]byte) { e["shop.json"] = []byte(`{"currency": "euro"}` + "\n") }), "CURRENCY_INVALID: currency"},
		"a long name":                 {o.row("product", set("name", strings.Repeat("a", 256))), "TEXT_TOO_LONG: item.name: row 1 of product"},
		"a number as a name":          {o.row("category", set("name", 7)), "INVALID_REQUEST: item.name: row 1 of category"},
		"a price":                     {o.row("product", set("price", -1)), "row 1 of product"},
		"a section that is nowhere":   {o.row("product", set("category_id", 77)), "SHOP_FILE_REFERENCE: category_id: row 1 of product"},
		"a picture that is nowhere":   {o.row("product", set("gallery", []any{"00000000-0000-4000-8000-000000000001"})), "SHOP_FILE_REFERENCE: gallery: row 1 of product"},
		"a section inside of itself":  {o.row("category", func(f m) { f["parent_id"] = f["id"] }), "SHOP_FILE_REFERENCE"},
		"a rule that leads to itself": {o.row("redirect_rule", set("to_target", "/old")), "row 1 of redirect_rule"},
		"a script as a description":   {o.row("redirect_rule", set("to_target", "javascript:alert(1)")), "row 1 of redirect_rule"},
	} {
		j := o.imported("copy", c.file)
		if text, _ := j["error"].(string); j["state"] != "failed" || !strings.Contains(text, c.want) || j["result"] != nil {
			t.Errorf("%s: %v, want %s", what, j, c.want)
		}
		o.nothing(what, c.file, before)
		o.Clock.Advance(90 * time.Minute) // a network opens 20 shops a day
		o.ann = o.Session(o.person)
	}
}

// What a file says about its owner, its plan and its people does not count.
func TestAFileGrantsNothing(t *testing.T) {
	t.Parallel()
	o := begin(t)
	file := o.forged(func(e map[string][]byte) {
		var fields m
		if err := json.Unmarshal(e["shop.json"], &fields); err != nil {
			t.Fatal(err)
		}
		fields["limits"], fields["blocked"], fields["id"], fields["slug"], fields["import_job"] = m{"products_max": 1}, true, 1, "tea", 7
		e["shop.json"], _ = json.Marshal(fields)
		e["members.jsonl"] = []byte(`{"id": 1, "email": "mallory@people.test", "name": "M", "role": "owner"}` + "\n")
	})
	if j := o.imported("copy", file); j["state"] != "done" {
		t.Fatal(j)
	}
	if has, err := o.Blobs.Has(t.Context(), blob.Sum(file)); err != nil || has {
		t.Errorf("the file that was sent is kept (%v)", err)
	}
	members := o.OK("GET", "/v1/orgs/current/members", o.ann, nil)["result"].([]any)
	if len(members) != 1 || members[0].(m)["email"] != "ann@people.test" {
		t.Errorf("members: %v", members)
	}
	company, err := companydb.CompanyBySlug(t.Context(), o.Store, "copy")
	if err != nil || company.Blocked || len(company.Limits) > 0 || company.ID == o.Shop.ID {
		t.Errorf("%+v %v", company, err)
	}
}

func TestAStoppedImportLeavesNothing(t *testing.T) {
	t.Parallel()
	o := begin(t)
	before := o.shops()
	file := o.row("product", func(m) {})
	waiting := o.begun("waits", file)
	o.OK("DELETE", "/v1/jobs/"+waiting, o.ann, nil)
	o.nothing("stopped while it waited", file, before)
	running := o.begun("runs", file)
	loop := o.Admin.Jobs()
	claimed, err := loop.Claim(t.Context(), 1)
	if err != nil || len(claimed) != 1 {
		t.Fatal(claimed, err)
	}
	o.OK("DELETE", "/v1/jobs/"+running, o.ann, nil)
	_ = loop.Deliver(t.Context(), 0, claimed[0]) // it has lost the job, and its file
	o.sweep()
	o.nothing("stopped while it ran", file, before)
	if j := o.Result("GET", "/v1/jobs/"+running, o.ann, nil); j["state"] != "failed" || !strings.Contains(j["error"].(string), "JOB_STOPPED") {
		t.Errorf("%v", j)
	}
}

// arrive adds the shop that a job was filling when its process ended.
func (o *outset) arriving(job, slug string) {
	o.t.Helper()
	var id shop.JobID
	if err := id.UnmarshalText([]byte(job)); err != nil {
		o.t.Fatal(err)
	}
	if _, err := companydb.CreateArriving(o.t.Context(), o.Store, companydb.Arriving{Job: id, Slug: slug, Name: "Half", Currency: "EUR"}); err != nil {
		o.t.Fatal(err)
	}
}

func TestAnImportBeginsAgainWithoutTheShopOfItsLastAttempt(t *testing.T) {
	t.Parallel()
	o := begin(t)
	before := o.shops()
	id := o.begun("copy", o.file)
	o.arriving(id, "copy")
	for _, got := range []apitest.Answer{
		o.Send(apitest.Request{Method: "GET", Path: "/v1/storefronts/resolve?slug=copy"}),
		o.Send(apitest.Request{Method: "GET", Path: "/products", Key: o.ann, Header: map[string]string{"X-Vitrine-Shop": "copy"}}),
	} {
		if code := apitest.Code(got.JSON); code != "SHOP_NOT_FOUND" && code != "COMPANY_ID_PROBLEM" {
			t.Errorf("a shop that arrives is found: %d %s", got.Status, got.Body)
		}
	}
	o.Refused("POST", "/v1/orgs", o.ann, m{"slug": "copy", "name": "Mine", "currency": "EUR"}, 409, "SLUG_TAKEN")
	o.work()
	if after := o.shops(); !slices.Equal(after, slices.Sorted(slices.Values(append(before, "copy")))) {
		t.Errorf("shops: %v", after)
	}
	if list := o.Result("GET", "/products", o.ann, nil)["items"].([]any); len(list) != 2 {
		t.Errorf("%d products", len(list))
	}
	o.sweep()
	if after := o.shops(); len(after) != len(before)+1 {
		t.Errorf("the upkeep has deleted a shop that is complete: %v", after)
	}
}

func TestTheUpkeepDeletesShopsOfFailedImports(t *testing.T) {
	t.Parallel()
	o := begin(t)
	before := o.shops()
	waits, failed := o.begun("waits", o.file), o.begun("fails", o.file)
	o.arriving(waits, "waits")
	o.arriving(failed, "fails")
	o.OK("DELETE", "/v1/jobs/"+failed, o.ann, nil)
	o.sweep()
	if after := o.shops(); !slices.Equal(after, slices.Sorted(slices.Values(append(before, "waits")))) {
		t.Errorf("shops: %v", after)
	}
}

// Every table of a file is written by calls, or left out for a reason that the result names.
func TestEveryTableOfAFileIsImportedOrLeftOut(t *testing.T) {
	t.Parallel()
	o := begin(t)
	ways := fill.Ways()
	for name := range names(t, o.file) {
		table, ok := strings.CutSuffix(strings.TrimPrefix(strings.TrimSuffix(name, "l"), "tables/"), ".json")
		if !ok || table == "manifest" {
			continue
		}
		if ways[table] == "" {
			t.Errorf("%s: say in admin/transfer/fill which calls write its rows, or why they are left out", table)
		}
		delete(ways, table)
	}
	if len(ways) > 0 {
		t.Errorf("tables that no file has: %v", slices.Sorted(maps.Keys(ways)))
	}
}
