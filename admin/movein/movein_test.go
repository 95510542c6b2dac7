package movein_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"vitrine/admin"
	"vitrine/admin/api/apitest"
	"vitrine/admin/media"
	"vitrine/internal/outbound"
	"vitrine/internal/shop"
)

type (
	m = apitest.Map
	l = []any
)

// yard is an API whose jobs and pictures run when the test says so.
type yard struct {
	*apitest.API
	t     testing.TB
	owner string
	web   map[string]func() (status int, body string) // pictures by address; others do not respond
	asked []string
}

func open(t *testing.T) *yard { return openFor(t) }

func openFor(t testing.TB) *yard {
	t.Helper()
	y := &yard{t: t, web: map[string]func() (int, string){}}
	y.API = apitest.New(t, func(c *admin.Config) {
		picture := media.Picture{Format: "webp", Width: 10, Height: 10}
		c.Media.Inspect = func([]byte) (media.Picture, error) { return picture, nil }
		c.Media.Master = func(_ context.Context, file []byte) ([]byte, media.Picture, error) { return file, picture, nil }
		c.Fetch = func(_ context.Context, r outbound.Request) (*outbound.Answer, error) {
			y.asked = append(y.asked, r.URL)
			at := y.web[r.URL]
			if at == nil {
				return nil, io.ErrUnexpectedEOF
			}
			status, body := at()
			if status == 0 {
				return nil, outbound.ErrNotAllowed
			}
			return &outbound.Answer{Status: status, Header: http.Header{}, Body: io.NopCloser(strings.NewReader(body))}, nil
		}
	})
	y.owner = y.Session(y.OwnerID)
	return y
}

// form sends files, and fields before them.
func (y *yard) form(who string, fields map[string]string, files ...string) apitest.Answer {
	y.t.Helper()
	var body bytes.Buffer
	w := multipart.NewWriter(&body)
	for name, value := range fields {
		if err := w.WriteField(name, value); err != nil {
			y.t.Fatal(err)
		}
	}
	for _, text := range files {
		part, err := w.CreateFormFile("files[]", "export.csv")
		if err == nil {
			_, err = io.WriteString(part, text)
		}
		if err != nil {
			y.t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		y.t.Fatal(err)
	}
	return y.Send(apitest.Request{Method: "POST", Path: "/v1/imports", Key: who, Body: body.Bytes(), Header: map[string]string{"Content-Type": w.FormDataContentType()}})
}

// work runs the jobs that are due.
func (y *yard) work() {
	y.t.Helper()
	loop := y.Admin.Jobs()
	due, err := loop.Claim(y.t.Context(), 10)
	if err != nil {
		y.t.Fatal(err)
	}
	for _, c := range due {
		if err := loop.Deliver(y.t.Context(), 0, c); err != nil {
			y.t.Error(err)
		}
	}
}

// pictures fetches the pictures that are due, one after the other.
func (y *yard) pictures() {
	y.t.Helper()
	loop := y.Admin.Pictures()
	for {
		due, err := loop.Claim(y.t.Context(), 1)
		if err != nil {
			y.t.Fatal(err)
		}
		if len(due) == 0 {
			return
		}
		for _, p := range due {
			if err := loop.Deliver(y.t.Context(), 0, p); err != nil {
				y.t.Fatal(err)
			}
		}
	}
}

// imported runs an import and returns its job.
func (y *yard) imported(files ...string) m {
	y.t.Helper()
	got := y.form(y.owner, nil, files...)
	if got.Status != 202 {
		y.t.Fatalf("POST /v1/imports: %d %s", got.Status, got.Body)
	}
	y.work()
	return y.done(got.JSON["result"].(m)["id"].(string))
}

func (y *yard) done(id string) m {
	y.t.Helper()
	j := y.Result("GET", "/v1/jobs/"+id, y.owner, nil)
	if j["state"] != "done" {
		y.t.Fatalf("the job is not done: %v", j)
	}
	return j
}

func (y *yard) undo(id any) {
	y.t.Helper()
	got := y.Send(apitest.Request{Method: "POST", Path: "/v1/imports/" + id.(string) + "/undo", Key: y.owner})
	if got.Status != 202 {
		y.t.Fatalf("undo: %d %s", got.Status, got.Body)
	}
	y.work()
	y.done(got.JSON["result"].(m)["id"].(string))
}

// products returns the products by slug.
func (y *yard) products() map[string]m {
	y.t.Helper()
	all := map[string]m{}
	for _, p := range y.Result("GET", "/products?page.number=1&page.limit=100", y.Owner, nil)["items"].(l) {
		all[p.(m)["slug"].(string)] = p.(m)
	}
	return all
}

func (y *yard) product(slug string) m {
	y.t.Helper()
	return y.Result("GET", "/products/by-slug/"+slug, y.Owner, nil)
}

const header = "Handle,Title,Body (HTML),Vendor,Type,Tags,Published,Option1 Name,Option1 Value,Variant SKU,Variant Price,Image Src,Image Position,Status\n"

const shirts = header +
	"shirt,Shirt,<p>Soft <img src=\"https://old.test/inside.jpg\"></p>,Acme,,,true,Size,S,SH-S,10.00,https://old.test/1.jpg,1,active\n" +
	"shirt,,,,,,,,M,SH-M,12.00,https://old.test/2.jpg,2,\n" +
	"cup,Cup,A cup,Acme,,,true,Title,Default Title,CUP,5.00,https://old.test/1.jpg,1,active\n"

func TestADryRunAnswersThePlanAndChangesNothing(t *testing.T) {
	t.Parallel()
	y := open(t)
	got := y.form(y.owner, map[string]string{"dry_run": "true"}, shirts)
	if got.Status != 200 {
		t.Fatalf("%d %s", got.Status, got.Body)
	}
	plan := got.JSON["result"].(m)
	counts := plan["counts"].(m)
	if plan["system"] != "shopify" || counts["products"] != 2.0 || plan["losses"] == nil || plan["questions"] == nil || plan["rows"] == nil {
		t.Errorf("%v", plan)
	}
	if list := y.products(); len(list) != 0 {
		t.Error(list)
	}
}

func TestAnImportIsRepeatableAndReversible(t *testing.T) {
	t.Parallel()
	y := open(t)
	own := y.Result("POST", "/products", y.Owner, m{"item": m{"name": "Own cup", "sku": "CUP", "seo": m{"slug": "cup"}}})
	first := y.imported(shirts)
	all := y.products()
	if len(all) != 3 || all["cup"]["name"] != "Own cup" || all["cup-2"]["name"] != "Cup" || all["cup-2"]["sku"] != "" || all["shirt"]["name"] != "Shirt" {
		t.Fatalf("%v", all)
	}
	codes := []string{}
	for _, r := range first["result"].(m)["rows"].(l) {
		codes = append(codes, r.(m)["code"].(string))
	}
	if !slices.Contains(codes, "SKU_TAKEN") {
		t.Error(codes)
	}

	y.OK("PUT", "/products/"+ID(all["shirt"]), y.owner, m{"item": m{"name": "My shirt", "seo": m{"slug": "my-shirt"}}})
	second := y.imported(shirts)
	if again := y.products(); len(again) != 3 || again["my-shirt"]["name"] != "My shirt" {
		t.Errorf("a second run: %v", again)
	}
	if written := second["result"].(m)["written"].(l); len(written) != 0 {
		t.Errorf("a second run wrote %v", written)
	}

	third := y.imported(strings.ReplaceAll(shirts, "Acme", "Bcme"))
	if p := y.product("my-shirt"); p["brand"] != "Bcme" || p["name"] != "My shirt" {
		t.Errorf("a newer file: %v", p)
	}
	y.undo(third["id"])
	if p := y.product("my-shirt"); p["brand"] != "Acme" || p["name"] != "My shirt" {
		t.Errorf("undone: %v", p)
	}
	y.undo(first["id"])
	if left := y.products(); len(left) != 1 || left["cup"]["id"] != own["id"] {
		t.Errorf("all undone: %v", left)
	}
	y.Refused("POST", "/v1/imports/"+first["id"].(string)+"/undo", y.owner, nil, 400, "IMPORT_UNDONE")
	y.imported(shirts)
	if again := y.products(); len(again) != 3 || again["shirt"]["name"] != "Shirt" {
		t.Errorf("imported again: %v", again)
	}
}

func TestTheUndoOfAnEarlierImportKeepsWhatALaterOneChanged(t *testing.T) {
	t.Parallel()
	y := open(t)
	y.imported(shirts)
	second := y.imported(strings.ReplaceAll(shirts, "Acme", "Bcme"))
	third := y.imported(strings.ReplaceAll(shirts, "Acme", "Ccme"))
	y.undo(second["id"])
	if p := y.product("shirt"); p["brand"] != "Ccme" {
		t.Errorf("%v", p["brand"])
	}
	y.undo(third["id"])
	if p := y.product("shirt"); p["brand"] != "Acme" {
		t.Errorf("%v", p["brand"])
	}
}

func TestPicturesKeepTheOrderOfTheFile(t *testing.T) {
	t.Parallel()
	y := open(t)
	there := func(body string) func() (int, string) { return func() (int, string) { return 200, body } }
	tries := 0
	y.web["https://old.test/1.jpg"] = func() (int, string) {
		if tries++; tries == 1 {
			return 503, ""
		}
		return 200, "one"
	}
	y.web["https://old.test/2.jpg"] = there("two")
	y.web["https://old.test/inside.jpg"] = there("three")
	y.web["https://old.test/private.jpg"] = func() (int, string) { return 0, "" }
	y.web["https://old.test/gone.jpg"] = func() (int, string) { return 404, "" }
	job := y.imported(shirts + "shirt,,,,,,,,L,SH-L,12.00,https://old.test/gone.jpg,3,\nshirt,,,,,,,,XL,SH-XL,12.00,https://old.test/private.jpg,4,\n")
	y.pictures()
	if g := y.product("shirt")["gallery"].(l); len(g) != 1 {
		t.Errorf("what is there is shown before the rest is tried again: %v", g)
	}
	y.Clock.Advance(time.Minute)
	y.pictures()
	p := y.product("shirt")
	var names []string
	for _, f := range p["gallery"].(l) {
		names = append(names, y.Result("GET", "/v1/storages/files/"+f.(m)["id"].(string), y.Owner, nil)["original_name"].(string))
	}
	if !slices.Equal(names, []string{"1.jpg", "2.jpg"}) {
		t.Errorf("the gallery: %v", names)
	}
	if text := p["description"].(string); strings.Contains(text, "old.test") || !strings.Contains(text, `src="/files/`) {
		t.Error(text)
	}
	if cup := y.product("cup")["gallery"].(l); len(cup) != 1 || cup[0].(m)["id"] != p["gallery"].(l)[0].(m)["id"] {
		t.Errorf("one address is one file: %v", cup)
	}
	pictures := y.done(job["id"].(string))["result"].(m)["pictures"].(m)
	if pictures["done"] != 5.0 || pictures["total"] != 5.0 || len(pictures["failed"].(l)) != 2 {
		t.Errorf("%v", pictures)
	}
	asked := len(y.asked)
	y.imported(shirts)
	y.pictures()
	if len(y.asked) != asked {
		t.Error("fetched again:", y.asked[asked:])
	}
	y.undo(job["id"])
	if files := y.OK("GET", "/v1/storages/files", y.Owner, nil)["result"].(l); len(files) != 0 {
		t.Errorf("an undo leaves files: %v", files)
	}
}

func TestWhoMayImport(t *testing.T) {
	t.Parallel()
	y := open(t)
	editor := y.Session(y.Member(shop.Editor))
	if got := y.form(editor, nil, shirts); got.Status != 403 {
		t.Errorf("an editor: %d", got.Status)
	}
	boss := y.Session(y.Member(shop.Admin))
	got := y.form(boss, nil, shirts)
	if got.Status != 202 {
		t.Fatalf("an admin: %d %s", got.Status, got.Body)
	}
	y.work()
	y.Result("GET", "/v1/jobs/"+got.JSON["result"].(m)["id"].(string), boss, nil)
	if got := y.form(y.Scoped("catalog:write"), map[string]string{"dry_run": "1"}, shirts); got.Status != 200 {
		t.Errorf("a key: %d %s", got.Status, got.Body)
	}
	if got := y.form(y.Scoped("catalog:read"), nil, shirts); got.Status != 403 {
		t.Errorf("a key that reads: %d", got.Status)
	}
}

func TestFilesThatAreRefused(t *testing.T) {
	t.Parallel()
	y := open(t)
	many := make([]string, 51)
	for i := range many {
		many[i] = shirts
	}
	for name, c := range map[string]struct {
		files  []string
		status int
		code   string
	}{
		"none":    {nil, 400, "INVALID_REQUEST"},
		"many":    {many, 413, "IMPORT_TOO_LARGE"},
		"unknown": {[]string{"a,b\n1,2\n"}, 400, "IMPORT_UNKNOWN"},
	} {
		got := y.form(y.owner, map[string]string{"dry_run": "true"}, c.files...)
		if got.Status != c.status || !strings.Contains(string(got.Body), c.code) {
			t.Errorf("%s: %d %s", name, got.Status, got.Body)
		}
	}
	if got := y.form(y.owner, map[string]string{"options": "[]"}, shirts); got.Status != 400 {
		t.Errorf("options: %d", got.Status)
	}
}

// ID returns the id of an object as its path has it.
func ID(of m) string { return fmt.Sprint(of["id"]) }

func sprint(v any) string { return fmt.Sprint(v) }
