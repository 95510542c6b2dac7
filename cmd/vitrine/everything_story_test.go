package main

import (
	"archive/zip"
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"vitrine/internal/store"
	"vitrine/internal/store/storetest"
)

// oldID matches the ids of an installation whose sequences were set to a separate range: none
// of them may occur in a copy of its shop.
var oldID = regexp.MustCompile(`\b7654\d{5}\b`)

// apart moves every sequence to a range with a prefix, far from any number that a shop would
// contain by chance.
func apart(t *testing.T, conn *pgx.Conn, prefix int) {
	t.Helper()
	rows, err := conn.Query(t.Context(), `SELECT schemaname || '.' || sequencename FROM pg_sequences WHERE schemaname = 'public' AND sequencename LIKE '%\_id\_seq' ORDER BY 1`)
	if err != nil {
		t.Fatal(err)
	}
	names, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil || len(names) < 25 || len(names) > 99 {
		t.Fatalf("%d sequences: %v", len(names), err)
	}
	for n, name := range names {
		if _, err := conn.Exec(t.Context(), fmt.Sprintf(`ALTER SEQUENCE %s RESTART WITH %d%02d001`, name, prefix, n)); err != nil {
			t.Fatal(err)
		}
	}
}

// packed is a backup parsed by the tests: the rows of its tables, and its text files.
type packed struct {
	tables map[string][]map[string]any
	lines  map[string][]string
	blobs  map[string][]byte
}

func unpack(t *testing.T, file string) packed {
	t.Helper()
	z, err := zip.OpenReader(file)
	if err != nil {
		t.Fatal(err)
	}
	defer z.Close()
	p := packed{map[string][]map[string]any{}, map[string][]string{}, map[string][]byte{}}
	for _, f := range z.File {
		r, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		if sha, ok := strings.CutPrefix(f.Name, "blobs/"); ok {
			if p.blobs[sha], err = io.ReadAll(r); err != nil {
				t.Fatal(err)
			}
			continue
		}
		name := strings.TrimSuffix(strings.TrimPrefix(f.Name, "tables/"), ".jsonl")
		p.lines[name] = nil
		lines := bufio.NewScanner(r)
		lines.Buffer(nil, 64<<20)
		for lines.Scan() {
			p.lines[name] = append(p.lines[name], lines.Text())
			dec := json.NewDecoder(strings.NewReader(lines.Text()))
			dec.UseNumber()
			var row map[string]any
			if err := dec.Decode(&row); err != nil {
				t.Fatal(err)
			}
			p.tables[name] = append(p.tables[name], row)
		}
		if lines.Err() != nil {
			t.Fatal(lines.Err())
		}
	}
	return p
}

// everything fills the rest of the demo shop: entities that its seed lacks, and every form of
// reference by id. Draft tables get a copy of the live rows.
func everything(p *program, conn *pgx.Conn, key string) {
	p.t.Helper()
	type m = map[string]any
	furnish(p, key)
	add := func(path string, item m) string { return itoa(p.must(key, "POST", path, m{"item": item})["id"]) }
	one := func(sql string) string {
		p.t.Helper()
		var id string
		if err := conn.QueryRow(p.t.Context(), sql).Scan(&id); err != nil {
			p.t.Fatalf("%s: %v", sql, err)
		}
		return id
	}
	shop := one(`SELECT id::text FROM company WHERE slug = 'demo'`)
	product := one(`SELECT id::text FROM product WHERE slug = 'sencha' AND company_id = ` + shop)
	section := one(`SELECT id::text FROM category WHERE slug = 'about-us' AND company_id = ` + shop)
	shelf := one(`SELECT id::text FROM category WHERE slug = 'green-tea' AND company_id = ` + shop)
	form := add("/forms", m{"name": "Ask us", "fields": []any{m{"name": "email", "type": "email", "label": "E-mail"}},
		"success": m{"action": "url", "url": "https://tea.example.test/about"}})
	add("/forms", m{"name": "Empty", "fields": []any{}})
	page := add("/categories", m{"name": "Everything", "type": "page", "parent_id": "0", "is_published": true})
	doc := add("/html-documents", m{"name": "ids", "level": 3})
	html := `<!doctype html><title>t</title><body><p>Ids</p><button svc-add-to-cart="` + product + `">Buy</button><b svc-fav="` + product + `">*</b><a href="form:` +
		form + `?topic=tea">Ask</a><a href="svc:page/` + section + `#a">About</a></body>`
	p.must(key, "POST", "/html-documents/"+doc+"/releases/"+p.release(key, doc, html)+"/publish", m{})
	widget := func(kind string, props m) string {
		return add("/content-blocks", m{"name": kind, "sections": []any{m{"type": "text", "payload": m{"v": 2, "kind": kind, "props": props}}}})
	}
	words := widget("text", m{"text": `<p>Read <a href="svc:page/` + section + `">about us</a> and <a href="form:` + form + `">ask</a>.</p>`})
	asks := widget("form", m{"form": m{"formId": form}})
	var blocks []any
	for _, block := range []string{
		widget("html", m{"html": m{"documentId": doc}}), asks, words, widget("columns", m{"columns": m{"cells": []any{m{"widgets": []any{words}}, m{"widgets": []any{asks}}}}}),
		widget("productCard", m{"card": m{"productId": product}}),
		widget("buttons", m{"buttons": m{"items": []any{m{"text": "Ask", "url": "form:" + form}, m{"text": "About", "url": "svc:page/" + section}}}}),
	} {
		blocks = append(blocks, m{"block_id": block, "sort_order": len(blocks)})
	}
	p.must(key, "PUT", "/categories/"+page+"/content-blocks", m{"items": blocks})
	note := itoa(p.must(key, "POST", "/site-files", m{"category_id": 0, "name": "note.txt", "body": "A note", "is_published": true})["id"])
	p.must(key, "POST", "/site-files", m{"category_id": 0, "name": "ids.xml", "is_published": true, "body": `<a>{{product_url ` + product + `}} {{category_url "` + section + `"}} {{file_url ` + note +
		`}} {{range products "category=tea,` + shelf + `" "limit=3"}}{{.Name}} {{end}}{{range products "exclude_category=` + shelf + `" "limit=2"}}{{.Name}}{{end}}</a>`})
	rule := add("/storefront-redirects", m{"from_path": "/short", "to_target": "/tea", "enabled": true})
	p.must(key, "PUT", "/storefront-redirects/"+rule, m{"item": m{"from_path": "/short", "to_target": "/about", "enabled": true}})
	gone := add("/storefront-redirects", m{"from_path": "/soon-gone", "to_target": "/tea", "enabled": true})
	p.must(key, "DELETE", "/storefront-redirects", m{"ids": []any{gone}})
	sold := one(`SELECT array_agg(id ORDER BY id)::text FROM product WHERE deleted_at IS NULL AND company_id = ` + shop)
	for _, sql := range []string{
		`UPDATE company SET settings = settings || '{"sandbox": true}' WHERE id = SHOP`,
		`INSERT INTO company_domain (company_id, domain) VALUES (SHOP, 'tea.example.test')`,
		`INSERT INTO customer_group (company_id, name) VALUES (SHOP, 'Friends')`,
		`INSERT INTO customer_member (company_id, group_id, customer_id) SELECT SHOP, g.id, c.id FROM customer_group g, customer c WHERE g.company_id = SHOP AND c.company_id = SHOP`,
		`INSERT INTO access_policy (company_id, name, kind, group_ids) SELECT SHOP, 'Friends', 'group', ARRAY[id] FROM customer_group WHERE company_id = SHOP`,
		`INSERT INTO category (company_id, type, name, slug, is_published) VALUES (SHOP, 'page', 'For friends', 'for-friends', true)`,
		`INSERT INTO access_resource (company_id, policy_id, n, type, category_id) SELECT SHOP, a.id, 1, 'category', c.id FROM access_policy a, category c
			WHERE a.company_id = SHOP AND c.company_id = SHOP AND c.slug = 'for-friends'`,
		`INSERT INTO collection (company_id, name, sort_order) VALUES (SHOP, 'Pictures', 1)`,
		`INSERT INTO collection_file (company_id, collection_id, file_id, sort_order) SELECT SHOP, c.id, (SELECT id FROM media_file WHERE company_id = SHOP ORDER BY id LIMIT 1), 1
			FROM collection c WHERE c.company_id = SHOP`,
		`INSERT INTO form_lead (company_id, form_id, answers, email) SELECT SHOP, max(id), '{"email": "lea@people.test"}', 'lea@people.test' FROM form WHERE company_id = SHOP`,
		`INSERT INTO form_file (company_id, id, form_id, lead_id, field, name, mime, size, sha256) SELECT SHOP, gen_random_uuid(), form_id, id, 'file', 'a.txt', 'text/plain', b.size, b.sha256
			FROM form_lead l, (SELECT * FROM blob WHERE company_id = SHOP LIMIT 1) b WHERE l.company_id = SHOP`,
		`INSERT INTO letter_template (company_id, name, subject, text, html) VALUES (SHOP, 'order_made_buyer', 'Thanks', 'Thanks', '<p>Thanks</p>')`,
		`INSERT INTO payment_refund (company_id, payment_id, amount_minor, state) SELECT SHOP, min(id), 100, 'confirmed' FROM payment WHERE company_id = SHOP AND status = 'paid'`,
		`UPDATE payment SET method = 'sandbox', provider = 'sandbox', provider_ref = 'there' WHERE company_id = SHOP
			AND id = (SELECT max(id) FROM payment WHERE company_id = SHOP AND status = 'paid')`,
		`INSERT INTO payment (company_id, order_id, method, provider, status, amount_minor, currency, provider_ref, return_url, redirect_url)
			SELECT SHOP, max(id), 'sandbox', 'sandbox', 'pending', 100, 'EUR', 'ref', 'http://demo.localhost/', 'http://pay.test/' FROM shop_order WHERE company_id = SHOP`,
		`INSERT INTO reminder_refusal (company_id, recipient) VALUES (SHOP, address_hash('ann@people.test'))`,
		`INSERT INTO person_address (company_id, person_id, name, phone, country, region, city, street, postcode, comment, is_default)
			SELECT SHOP, max(person_id), 'Ann', '1', 'DE', '', 'Berlin', 'A 1', '1', '', true FROM customer WHERE company_id = SHOP`,
		`INSERT INTO wishlist_item (company_id, person_id, product_id) SELECT SHOP, max(person_id), PRODUCT FROM customer WHERE company_id = SHOP`,
		`INSERT INTO product_group (company_id, name, products) SELECT SHOP, 'Weights', ids[1:2] FROM (SELECT 'SOLD'::integer[] ids) p`,
		`INSERT INTO redirect_miss (company_id, path, hits, last_hit_at) VALUES (SHOP, '/nothing', 3, now())`,
		`INSERT INTO visit_day (company_id, day, visits, page_views) VALUES (SHOP, '2030-01-01', 3, 7)`,
	} {
		sql = strings.NewReplacer("SHOP", shop, "PRODUCT", product, "SOLD", sold).Replace(sql)
		if tag, err := conn.Exec(p.t.Context(), sql); err != nil || tag.RowsAffected() == 0 {
			p.t.Fatalf("%s: %v %v", sql, tag, err)
		}
	}
	draftAll(p.t, conn, shop)
}

// draftAll copies the live rows into the draft, with a base, in all tables that have one.
func draftAll(t testing.TB, conn *pgx.Conn, shop string) {
	t.Helper()
	rows, err := conn.Query(t.Context(), `SELECT c.relname, (SELECT string_agg(quote_ident(a.attname), ', ') FROM pg_attribute a
			WHERE a.attrelid = ('public.' || c.relname)::regclass AND a.attnum > 0 AND NOT a.attisdropped AND a.attgenerated = '')
		FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace AND n.nspname = 'draft' WHERE c.relkind = 'r' ORDER BY 1`)
	if err != nil {
		t.Fatal(err)
	}
	tables, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (pair [2]string, err error) {
		err = row.Scan(&pair[0], &pair[1])
		return pair, err
	})
	if err != nil || len(tables) < 13 {
		t.Fatal(tables, err)
	}
	for _, table := range tables {
		sql := fmt.Sprintf(`INSERT INTO draft.%[1]s (%[2]s, draft_base) SELECT %[2]s, to_jsonb(l) FROM public.%[1]s l WHERE company_id = %[3]s LIMIT 3`, table[0], table[1], shop)
		if tag, err := conn.Exec(t.Context(), sql); err != nil || tag.RowsAffected() == 0 {
			t.Fatalf("%s: %v %v", sql, tag, err)
		}
	}
	if _, err := conn.Exec(t.Context(), `INSERT INTO draft_version VALUES ($1::integer, 3)`, shop); err != nil {
		t.Fatal(err)
	}
}

// keysOf pairs the ids of two backups of the same shop: rows keep their order.
func keysOf(t *testing.T, old, fresh packed, company [2]string) moved {
	t.Helper()
	pairs := moved{company: true}
	for name, rows := range old.tables {
		if len(rows) == 0 || rows[0]["id"] == nil {
			continue
		}
		if _, number := rows[0]["id"].(json.Number); !number || strings.HasPrefix(name, "draft.") || name == "members" || name == "buyers" {
			continue
		}
		for i, id := range sortedIDs(rows) {
			pairs[[2]string{itoa(id), itoa(sortedIDs(fresh.tables[name])[i])}] = true
		}
	}
	for _, list := range []string{"members", "buyers"} { // people are matched by their address
		for _, a := range old.tables[list] {
			for _, b := range slices.Concat(fresh.tables["members"], fresh.tables["buyers"]) {
				if a["email"] == b["email"] {
					pairs[[2]string{itoa(a["id"]), itoa(b["id"])}] = true
				}
			}
		}
	}
	return pairs
}

func sortedIDs(rows []map[string]any) (ids []int64) {
	for _, row := range rows {
		id, _ := row["id"].(json.Number).Int64()
		ids = append(ids, id)
	}
	slices.Sort(ids)
	return ids
}

// apartProgram is an installation whose ids begin with a prefix.
func apartProgram(t *testing.T, prefix int) (*program, *pgx.Conn) {
	t.Helper()
	address := storetest.URL(t, store.Migrate)
	conn, err := pgx.Connect(t.Context(), address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close(context.Background()) })
	apart(t, conn, prefix)
	p := newMachine(t)
	p.env = append(p.env, "VITRINE_DATABASE_URL="+address)
	return p, conn
}

// The demo shop, extended until every table has a row, is exported and imported. The copy
// contains no id of the original, and pages, feeds and API responses are equal except for
// ids.
func TestExtendedDemoShopMovesCompletely(t *testing.T) {
	t.Parallel()
	from, conn := apartProgram(t, 7654)
	to, copied := apartProgram(t, 8765) // ids with as many digits, so that files have equal sizes
	from.keepDemoPictures()
	to.keepDemoPictures()
	r := from.start("--demo")
	everything(from, conn, from.verb("key", "issue", "--shop", "demo", "--scopes", "all")["key"].(string))
	r.stop()
	file, again := filepath.Join(from.dir, "shop.zip"), filepath.Join(to.dir, "again.zip")
	from.verb("shop", "export", "--shop", "demo", "--to", file)
	old := unpack(t, file)
	for name, lines := range old.lines {
		if len(lines) == 0 {
			t.Errorf("the shop with everything has no row of %s: add one to everything()", name)
		}
	}
	to.verb("shop", "create", "--slug", "other", "--name", "Other", "--currency", "EUR", "--owner-email", "owner@demo.example", "--owner-password", "tea-at-four")
	to.verb("shop", "import", "--from", file)
	to.verb("shop", "export", "--shop", "demo", "--to", again)
	fresh := unpack(t, again)
	for name, lines := range fresh.lines {
		if want := len(old.lines[name]); len(lines) != want && name != "order_history" {
			t.Errorf("%s: %d rows became %d", name, want, len(lines))
		}
		for _, line := range lines {
			if m := oldID.FindStringIndex(line); m != nil {
				t.Errorf("an id of the original in %s: …%s…", name, line[max(0, m[0]-120):min(len(line), m[1]+20)])
				break
			}
		}
	}
	for sha, body := range fresh.blobs {
		if m := oldID.FindIndex(body); m != nil {
			t.Errorf("an id of the original in file %s: …%s…", sha[:8], body[max(0, m[0]-120):min(len(body), m[1]+20)])
		}
	}
	company := [2]string{itoa(old.shopID(t, from)), itoa(fresh.shopID(t, to))}
	pairs := keysOf(t, old, fresh, company)
	from.start()
	to.start()
	sameAnswers(t, from, to, old, company, pairs) // first, because visits are counted
	samePages(t, from, to, pairs)
	returnsToAVersion(t, to, old)
	var order string
	if err := copied.QueryRow(t.Context(), `SELECT order_id::text FROM payment WHERE method = 'sandbox' AND status = 'paid'`).Scan(&order); err != nil {
		t.Fatal(err)
	}
	// The provider only knows the original: its payment is refunded manually.
	owner := itoa(to.must("", "POST", "/v1/auth/login", map[string]any{"email": "owner@demo.example", "password": "tea-at-four"})["token"])
	to.must(owner, "POST", "/orders/"+order+"/refund", map[string]any{})
	if got := to.must(owner, "GET", "/orders/"+order, nil)["payment"].(map[string]any)["status"]; got != "refunded" {
		t.Errorf("the payment is %v", got)
	}
}

// returnsToAVersion undoes the last change of the redirects in the copy: the rule that was
// deleted in the original is restored.
func returnsToAVersion(t *testing.T, to *program, old packed) {
	t.Helper()
	key := to.verb("key", "issue", "--shop", "demo", "--scopes", "all")["key"].(string)
	versions := old.tables["redirect_version"]
	last, err := versions[len(versions)-1]["version"].(json.Number).Int64()
	if err != nil {
		t.Fatal(err)
	}
	to.must(key, "POST", "/storefront-redirects/rollback", map[string]any{"version": last - 1})
	if status, header, _ := to.visit("demo", "/soon-gone"); status != 301 && status != 308 || !strings.HasSuffix(header.Get("Location"), "/tea") {
		t.Errorf("the restored rule answers %d %s", status, header.Get("Location"))
	}
}

// shopID is the id of a program's demo shop.
func (packed) shopID(t *testing.T, p *program) any {
	t.Helper()
	for _, s := range p.verb("shop", "list")["shops"].([]any) {
		if s := s.(map[string]any); s["slug"] == "demo" {
			return s["company_id"]
		}
	}
	t.Fatal("there is no demo shop")
	return nil
}

// local matches page content that is specific to an installation: the colour of a picture,
// once it was computed, and the token of a form.
var local = regexp.MustCompile(` style="background-color:#[0-9a-f]{6}"|name="_token" value="[^"]*"`)

// samePages crawls both shops and compares page by page: addresses, headers, bytes.
func samePages(t *testing.T, from, to *program, pairs moved) {
	t.Helper()
	want := crawl(from, "demo", 600, "/", "/everything", "/ids.xml", "/note.txt", "/sitemap.xml", "/robots.txt", "/feed.xml", "/for-friends", "/nowhere", "/short", "/old",
		"/search?q=tea", "/tea?sort=price", "/about")
	mapped, pictures := 0, 0
	for path, page := range want {
		got := seen(to.served("demo", pairs.path(path)))
		n, difference := pairs.difference(local.ReplaceAllString(hostless(from, "demo", page), ""), local.ReplaceAllString(hostless(to, "demo", got), ""))
		if mapped += n; difference != "" {
			t.Errorf("%s differs:\n%s", path, difference)
		}
		if strings.HasPrefix(page, "200 Content-Type=image/") {
			pictures++
		}
	}
	for path, says := range map[string]string{"/everything": "svc-add-to-cart", "/ids.xml": "http://", "/sitemap.xml": "<loc>"} {
		if !strings.Contains(want[path], says) {
			t.Errorf("%s has too little content to compare:\n%.600s", path, want[path])
		}
	}
	t.Logf("%d addresses, %d of them pictures, equal except for %d ids", len(want), pictures, mapped)
	if len(want) < 200 || pictures < 30 {
		t.Errorf("only %d addresses, %d of them pictures", len(want), pictures)
	}
}

// tablesOf maps path parameters of the API to the tables of their ids.
var tablesOf = map[string]string{
	"/access-policies": "access_policy", "/articles": "article", "/attributes": "attribute", "/categories": "category", "/customer-groups": "customer_group",
	"/customers": "customer", "/form-leads": "form_lead", "/forms": "form", "/galleries": "gallery", "/html-documents": "document", "/orders": "shop_order",
	"/pricing-rules": "pricing_rule", "/product-groups": "product_group", "/products": "product", "/promotions": "promotion", "/site-files": "site_file",
	"/content-blocks": "content_block", "/v1/storages/files": "media_file",
}

// installed matches endpoints about the installation and its emails rather than about the
// shop.
var installed = regexp.MustCompile(`^/(audit|docs|llms|openapi|partner|events|v1/(auth|account|orgs$|shop/letters))`)

// issued matches values of one installation: the key that created a version of the redirects,
// the validity of a form, and the proof of a domain.
var issued = regexp.MustCompile(`(?:"(key_id|token|until)":"|vitrine-shop=)[^"]*"`)

// sameAnswers compares all responses of the API to an owner on both installations.
func sameAnswers(t *testing.T, from, to *program, old packed, company [2]string, pairs moved) {
	t.Helper()
	var tokens [2]string
	for i, p := range []*program{from, to} {
		tokens[i] = itoa(p.must("", "POST", "/v1/auth/login", map[string]any{"email": "owner@demo.example", "password": "tea-at-four"})["token"])
		p.must(tokens[i], "PUT", "/v1/account/main-company", map[string]any{"company_id": company[i]})
	}
	_, described := from.call("", "GET", "/openapi.json", nil)
	compared, mapped := 0, 0
	for path, methods := range described["paths"].(map[string]any) {
		if methods.(map[string]any)["get"] == nil || installed.MatchString(path) {
			continue
		}
		asked := []string{path}
		if stem, rest, more := strings.Cut(path, "/{id}"); more {
			asked = nil
			for _, row := range old.tables[tablesOf[stem]] {
				if asked = append(asked, stem+"/"+itoa(row["id"])+rest); len(asked) == 20 {
					break
				}
			}
		}
		for _, path := range asked {
			if strings.Contains(path, "{") {
				continue
			}
			a, b := answerOf(from, tokens[0], path, pairs, false), answerOf(to, tokens[1], path, pairs, true)
			n, difference := pairs.difference(hostless(from, "demo", a), hostless(to, "demo", b))
			compared++
			if mapped += n; difference != "" {
				t.Errorf("GET %s differs:\n%s", path, difference)
			}
		}
	}
	t.Logf("%d answers, equal except for %d ids", compared, mapped)
	if compared < 150 {
		t.Errorf("only %d answers were compared", compared)
	}
}

// answerOf is a response of the API, without the fields that a copy does not share (see the
// guide).
func answerOf(p *program, token, path string, pairs moved, copied bool) string {
	p.t.Helper()
	if copied {
		path = numbers.ReplaceAllStringFunc(path, func(id string) string {
			for pair := range pairs {
				if pair[0] == id {
					return pair[1]
				}
			}
			return id
		})
	}
	status, body, err := p.try(token, "GET", path, nil)
	if err != nil {
		p.t.Fatal(err)
	}
	return itoa(status) + issued.ReplaceAllString(strings.NewReplacer("http://"+p.admin, "ADMIN", "http://localhost:"+portOf(p.t, p.admin), "ADMIN").Replace(string(body)), `"$1":…`)
}
