package main

import (
	"archive/zip"
	"bytes"
	"encoding/hex"
	"encoding/json"
	"image"
	"image/color"
	"image/jpeg"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"vitrine/internal/blob"
	"vitrine/internal/mail/mailtest"
	"vitrine/internal/store"
	"vitrine/internal/store/storetest"
)

// erased is a shop with a buyer whose every text contains a unique canary.
type erased struct {
	*program
	serving                *running
	conn                   *pgx.Conn
	owner, key, buyer      string
	shop, hook, photo, cut string // the query with the shop, a webhook, the path of a photo, its hash
	user                   any
	canaries               map[string]string // what each canary stands for
}

// canary creates a new canary.
func (e *erased) canary(what string) string {
	word := "kanari" + hex.EncodeToString([]byte(what)) + "x" // none is a prefix of another
	e.canaries[word] = what
	return word
}

// in lists the canaries contained in some bytes, ignoring case.
func (e *erased) in(body []byte) (found []string) {
	low := bytes.ToLower(body)
	for word, what := range e.canaries {
		if bytes.Contains(low, []byte(word)) || bytes.Contains(low, []byte(hex.EncodeToString([]byte(word)))) {
			found = append(found, what)
		}
	}
	slices.Sort(found)
	return found
}

func newErased(t *testing.T) *erased {
	t.Helper()
	e := &erased{program: newMachine(t), canaries: map[string]string{}}
	address := storetest.URL(t, store.Migrate)
	box := mailtest.Serve(t, &mailtest.Box{})
	receiver := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(500) }))
	t.Cleanup(receiver.Close)
	e.env = append(e.env, "VITRINE_DATABASE_URL="+address, "VITRINE_LOG_LEVEL=debug", "VITRINE_OUTBOUND_ALLOW=127.0.0.0/8", "VITRINE_SMTP_URL="+box.URL)
	var err error
	if e.conn, err = pgx.Connect(t.Context(), address); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = e.conn.Close(t.Context()) })
	e.key = e.program.shop("tea")
	e.serving = e.start()
	e.owner = itoa(e.must("", "POST", "/v1/auth/login", map[string]any{"email": "tea@example.test", "password": "a long password"})["token"])
	e.shop = "?company_id=" + itoa(e.must(e.key, "GET", "/v1/orgs/current", nil)["id"])
	e.hook = "/webhooks/" + itoa(e.must(e.owner, "POST", "/webhooks", map[string]any{
		"url": receiver.URL, "events": []string{"lead.created", "order.created", "key.issued"}})["id"])
	e.must(e.owner, "PUT", "/v1/shop/settings", map[string]any{"sandbox": true})
	e.must(e.owner, "PUT", "/v1/shop/payment-methods/sandbox", map[string]any{"title": "By card", "is_active": true})
	return e
}

// portrait is a picture with a canary after its pixel data.
func portrait(t testing.TB, word string) []byte {
	t.Helper()
	m := image.NewRGBA(image.Rect(0, 0, 900, 600))
	for y := range 600 {
		for x := range 900 {
			m.Set(x, y, color.RGBA{90, uint8(x / 4), uint8(y / 3), 255})
		}
	}
	var body bytes.Buffer
	if err := jpeg.Encode(&body, m, nil); err != nil {
		t.Fatal(err)
	}
	said := "Exif\x00\x00" + word
	return append([]byte("\xff\xd8\xff\xe1\x00"+string(rune(len(said)+2))+said), body.Bytes()[2:]...)
}

// actsAsBuyer does everything a buyer can do.
func (e *erased) actsAsBuyer() {
	e.t.Helper()
	type m = map[string]any
	company := strings.TrimPrefix(e.shop, "?company_id=")
	email := e.canary("email") + "@people.test"
	e.must("", "POST", "/v1/auth/code", m{"email": email})
	var code string // the code in the email is only for the buyer, not for the log
	if err := e.conn.QueryRow(e.t.Context(), `SELECT text FROM platform_letter WHERE recipient = $1`, email).Scan(&code); err != nil {
		e.t.Fatal(err)
	}
	session := e.must("", "POST", "/v1/auth/code/confirm", m{"email": email, "code": sixDigits.FindString(code), "password": "a long password too"})
	e.buyer, e.user = itoa(session["token"]), session["user"].(m)["id"]
	e.must(e.buyer, "PUT", "/v1/auth/me", m{"name": e.canary("name"), "phone": "+1 " + e.canary("phone")})
	section := e.must(e.key, "POST", "/categories", m{"item": m{"name": "Cups", "type": "product", "is_published": true}})["id"]
	cup := itoa(e.must(e.key, "POST", "/products", m{"item": m{"name": "Cup", "category_id": section, "is_published": true, "price": m{"price": 10},
		"comments_enabled": "true", "questions_enabled": "true", "seo": m{"slug": "cup"}}})["id"])
	e.must(e.buyer, "PUT", "/v1/account/wishlist/"+cup+e.shop, nil)
	e.must(e.buyer, "POST", "/v1/account/addresses", m{"company_id": company, "name": e.canary("book name"), "phone": e.canary("book phone"), "country": e.canary("country"),
		"region": e.canary("region"), "city": e.canary("book city"), "street": e.canary("book street"), "postcode": e.canary("postbox"), "comment": e.canary("book comment")})
	thanks := itoa(e.must(e.owner, "POST", "/promotions", m{"item": m{"name": "Thanks", "kind": "personal_coupon", "value": m{"amount": 1},
		"issue": m{"on": "order_completed", "prefix": "THX-", "days": 30}}})["id"])
	line := "/cart/items/" + cup + "/default" + e.shop
	e.must(e.buyer, "POST", line, m{"quantity": 1, "data": m{"text": e.canary("line")}})
	made := e.must(e.buyer, "POST", "/cart/confirm", m{"company_id": company, "comment": e.canary("comment"),
		"contact": m{"name": e.canary("contact name"), "phone": e.canary("contact phone"), "email": email},
		"address": m{"city": e.canary("city"), "street": e.canary("street"), "postcode": e.canary("postcode"), "comment": e.canary("porter")}})
	order := "/orders/" + itoa(made["id"])
	e.must(e.owner, "POST", "/promotions/"+thanks+"/issue", m{"user_ids": []any{e.user}})
	coupons := e.list(e.buyer, "/v1/account/coupons"+e.shop)
	e.canaries[strings.ToLower(itoa(coupons[0]["code"]))] = "coupon"
	e.must(e.buyer, "POST", order+"/payment", m{"method": "sandbox"})
	e.must(e.buyer, "POST", order+"/messages", m{"text": e.canary("message")})
	e.must(e.owner, "POST", order+"/messages", m{"text": "Dear " + e.canary("answer to a message")})
	e.must(e.buyer, "POST", line, m{"quantity": 1, "data": m{"text": e.canary("cart")}})
	e.must(e.buyer, "POST", "/cart/promo", m{"company_id": company, "code": e.canary("code")})
	e.writesReviews(cup, company)
	e.sendsForm(company, email)
	e.enter("/cups", e.canary("password"))
}

// writesReviews writes a review with a photo, which the shop publishes, and a question.
func (e *erased) writesReviews(cup, company string) {
	e.t.Helper()
	type m = map[string]any
	u, err := e.announce(e.buyer, "/v1/storages/files", m{"company_id": company, "section": "reviews", "file_type": "image", "original_name": e.canary("file name") + ".jpg"})
	if err != nil {
		e.t.Fatal(err)
	}
	if status, answer, err := e.try("", "PUT", u.url, portrait(e.t, e.canary("camera"))); err != nil || status >= 300 {
		e.t.Fatalf("%d %s %v", status, answer, err)
	}
	e.photo = itoa(e.must(e.buyer, "POST", "/v1/storages/files/"+u.id+"/done", m{"company_id": company})["public_path"])
	review := itoa(e.must(e.buyer, "POST", "/products/"+cup+"/reviews", m{"company_id": company, "author": e.canary("author"), "rating": 5,
		"text": e.canary("review"), "pros": e.canary("pros"), "cons": e.canary("cons"), "file_ids": []string{u.file}})["id"])
	e.must(e.owner, "PUT", "/reviews/"+review, m{"status": "approved", "answer": "Dear " + e.canary("answer")})
	e.must(e.buyer, "POST", "/products/"+cup+"/questions", m{"company_id": company, "author": e.canary("asker"), "text": e.canary("question")})
	wait(e.t, "the photo is shown", func() bool { status, _, _ := e.visit("tea", e.photo); return status == 200 })
	_, _, body := e.visit("tea", e.photo)
	e.cut = blob.Sum([]byte(body))
	for _, width := range []string{"64", "320", "700"} {
		if status, _, _ := e.visit("tea", "/w/"+width+"/webp"+e.photo); status != 200 {
			e.t.Errorf("the photo at %s: %d", width, status)
		}
	}
}

// sendsForm submits a form with a file.
func (e *erased) sendsForm(company, email string) {
	e.t.Helper()
	type m = map[string]any
	form := itoa(e.must(e.key, "POST", "/forms", m{"item": m{"name": "Ask", "fields": []m{{"name": "email", "label": "E-mail", "type": "email"},
		{"name": "text", "label": "Text", "type": "text"}, {"name": "cv", "label": "File", "type": "file"}}}})["id"])
	status, answer, err := e.try("", "POST", "/form-files"+e.shop+"&form_id="+form+"&field=cv&name=cv.pdf", []byte("%PDF-1.7\n"+e.canary("file")+"\n"))
	if err != nil || status != 200 {
		e.t.Fatalf("%d %s %v", status, answer, err)
	}
	file := object(answer)["result"].(m)["id"]
	e.must("", "POST", "/form-leads"+e.shop, m{"form_id": form, "page_url": "/" + e.canary("page"), "utm": m{"source": e.canary("campaign")},
		"values": m{"email": email, "text": e.canary("lead"), "cv": file}})
}

// tables contains all rows of all tables.
func (e *erased) tables() (all map[string][]byte) {
	e.t.Helper()
	all = map[string][]byte{}
	rows, err := e.conn.Query(e.t.Context(), `SELECT table_schema || '.' || table_name FROM information_schema.tables
		WHERE table_type = 'BASE TABLE' AND table_schema NOT IN ('pg_catalog', 'information_schema')`)
	if err != nil {
		e.t.Fatal(err)
	}
	names, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		e.t.Fatal(err)
	}
	for _, name := range names {
		var dump bytes.Buffer
		if _, err := e.conn.PgConn().CopyTo(e.t.Context(), &dump, "COPY "+name+" TO STDOUT"); err != nil {
			e.t.Fatal(err)
		}
		all["table "+name] = dump.Bytes()
	}
	return all
}

// answers contains the API responses that the shop's members can read, and a backup.
func (e *erased) answers() (all map[string][]byte) {
	e.t.Helper()
	all = map[string][]byte{}
	for _, path := range []string{e.hook + "/deliveries", "/events?limit=1000", "/v1/shop/letters", "/orders/export", "/form-leads/export", "/customers/export",
		"/form-leads", "/customers", "/reviews", "/questions"} {
		status, body, err := e.try(e.owner, "GET", path, nil)
		if err != nil || status != 200 {
			e.t.Errorf("%s: %d %s %v", path, status, body, err)
		}
		all["GET "+path] = body
	}
	letters, _, err := e.run("letters")
	if err != nil {
		e.t.Error(err)
	}
	all["vitrine letters"] = letters
	to := filepath.Join(e.t.TempDir(), "shop.zip")
	e.verb("shop", "export", "--shop", "tea", "--to", to)
	archive, err := zip.OpenReader(to)
	if err != nil {
		e.t.Fatal(err)
	}
	defer archive.Close()
	for _, f := range archive.File {
		r, err := f.Open()
		if err != nil {
			e.t.Fatal(err)
		}
		body, err := io.ReadAll(r)
		if err != nil {
			e.t.Fatal(err)
		}
		all["backup "+f.Name] = append(body, f.Name...)
	}
	_, _, page := e.visit("tea", "/cups/cup")
	all["the product's page"] = []byte(page)
	return all
}

// files contains the files below the data dir: the shop's objects, resized pictures.
func (e *erased) files() (all map[string][]byte) {
	e.t.Helper()
	all = map[string][]byte{}
	err := filepath.WalkDir(filepath.Join(e.dir, "var"), func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		body, err := os.ReadFile(path)
		if os.IsNotExist(err) {
			return nil
		}
		all[path] = body
		return err
	})
	if err != nil {
		e.t.Fatal(err)
	}
	return all
}

// pictures counts the copies of the photo on disk, in full size and resized.
func (e *erased) pictures() (whole, resized int) {
	for path, body := range e.files() {
		if blob.Sum(body) == e.cut {
			whole++
		}
		if strings.Contains(path, "/variants/derived/") {
			resized++
		}
	}
	return whole, resized
}

// holders maps each location with canaries to those canaries.
func (e *erased) holders(in ...map[string][]byte) (found map[string][]string) {
	found = map[string][]string{}
	for _, all := range in {
		for where, body := range all {
			if words := e.in(body); len(words) > 0 {
				found[where] = words
			}
		}
	}
	return found
}

// checkLog fails if the log contains personal data.
func (e *erased) checkLog(when string) {
	e.t.Helper()
	for line := range strings.Lines(e.serving.stderr.String()) {
		if words := e.in([]byte(line)); len(words) > 0 {
			e.t.Errorf("%s the log contains %v: %s", when, words, line)
		}
	}
}

// A buyer leaves a canary in everything that the program accepts from buyers. After the shop
// has erased the customer, no canary in the shop's data remains: not in a table, a response,
// an email, a backup, a file, a resized picture or the log, which must never have one. Only
// the account remains, and its canaries are removed with it.
func TestEraseRemovesEverythingOfACustomer(t *testing.T) {
	t.Parallel()
	e := newErased(t)
	e.actsAsBuyer()
	wait(t, "an event was sent in vain", func() bool {
		_, body, _ := e.try(e.owner, "GET", e.hook+"/deliveries", nil)
		return strings.Contains(string(body), "retrying")
	})
	seen := map[string]bool{}
	before := e.holders(e.tables(), e.answers(), e.files())
	for _, words := range before {
		for _, what := range words {
			seen[what] = true
		}
	}
	for _, what := range e.canaries {
		if never := what == "password" || what == "camera" || what == "file name"; !seen[what] && !never {
			t.Errorf("the canary %s is not found before erasing, so nothing is tested", what)
		}
	}
	for _, where := range []string{"GET /events?limit=1000", "GET /orders/export", "GET /form-leads/export", "GET /customers/export", "the product's page",
		"table public.webhook_delivery", "table public.event", "table public.letter"} {
		if len(before[where]) == 0 && where != "table public.webhook_delivery" {
			t.Errorf("%s contains no canary before erasing", where)
		}
	}
	if whole, resized := e.pictures(); whole == 0 || resized < 3 {
		t.Errorf("there are %d copies of the photo, %d resized", whole, resized)
	}
	e.checkLog("before")

	customers := e.must(e.owner, "GET", "/customers", nil)
	e.must(e.owner, "POST", "/customers/"+customerOf(t, customers)+"/erase", map[string]any{})
	account := []string{"email", "name", "phone"}
	for where, words := range e.holders(e.tables(), e.answers(), e.files()) {
		words = slices.DeleteFunc(words, func(what string) bool {
			return slices.Contains(account, what) && (where == "table public.person" || where == "table public.platform_letter" || where == "table public.address_code" || where == "vitrine letters")
		})
		if len(words) > 0 {
			t.Errorf("erased, but %s contains %v", where, words)
		}
	}
	// The bytes are deleted asynchronously, by whichever part of the program collects them
	// first.
	wait(t, "no copy of the photo remains, in full size or resized", func() bool { whole, resized := e.pictures(); return whole+resized == 0 })
	for _, path := range []string{e.photo, "/w/64/webp" + e.photo, "/w/320/webp" + e.photo} {
		if status, _, _ := e.visit("tea", path); status != 404 {
			t.Errorf("%s: %d", path, status)
		}
	}

	e.must(e.buyer, "DELETE", "/v1/account", map[string]any{"password": "a long password too"})
	for where, words := range e.holders(e.tables(), e.answers(), e.files()) {
		t.Errorf("the account is deleted, but %s contains %v", where, words)
	}
	e.serving.stop()
	e.checkLog("at the end")
}

// customerOf returns the id of the only customer of a list.
func customerOf(t *testing.T, list map[string]any) string {
	t.Helper()
	items, _ := list["items"].([]any)
	if items == nil {
		items, _ = list["result"].([]any)
	}
	if len(items) != 1 {
		text, err := json.Marshal(list)
		t.Fatalf("customers: %s %v", text, err)
	}
	return itoa(items[0].(map[string]any)["id"])
}
