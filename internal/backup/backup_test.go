package backup

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"vitrine/internal/store/catalog"
	companydb "vitrine/internal/store/company"
	"vitrine/internal/store/people"
)

func TestImportedShopRefersToItself(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	file := h.export(h.sample("tea"))
	id, err := h.try(file, "copy")
	h.must(err)
	for what, sql := range map[string]string{
		"a section has its parent":       `SELECT p.slug FROM category c JOIN category p ON p.company_id = $1 AND p.id = c.parent_id WHERE c.company_id = $1 AND c.slug = 'green' AND p.slug = 'tea'`,
		"a product has its section":      `SELECT c.slug FROM product p JOIN category c ON c.company_id = $1 AND c.id = p.category_id WHERE p.company_id = $1 AND c.slug = 'green' AND p.rating = 4.1`,
		"who made it":                    `SELECT e.email FROM product p JOIN person e ON e.id = p.created_by WHERE p.company_id = $1`,
		"a list leaves out what is gone": `SELECT g.name FROM product_group g JOIN product p ON p.company_id = $1 AND g.products = ARRAY[p.id] WHERE g.company_id = $1`,
		"an author":                      `SELECT e.email FROM article a JOIN person e ON e.id = (a.author->>'user_id')::int WHERE a.company_id = $1`,
		"a site file in its section":     `SELECT c.slug FROM site_file f JOIN category c ON c.company_id = $1 AND c.id = f.category_id WHERE f.company_id = $1 AND f.name = 'feed.xml' AND c.slug = 'green' AND f.is_published`,
		"a journal by its entity":        `SELECT p.slug FROM slug_journal j JOIN product p ON p.company_id = $1 AND p.id = j.entity_id WHERE j.company_id = $1 AND j.entity = 2`,
		"another entity":                 `SELECT c.slug FROM slug_journal j JOIN category c ON c.company_id = $1 AND c.id = j.entity_id WHERE j.company_id = $1 AND j.entity = 1 AND c.slug = 'green'`,
		"a widget shows its block":       `SELECT o.name FROM content_block o JOIN content_block i ON i.company_id = $1 AND i.name = 'inner' WHERE o.company_id = $1 AND o.sections->0->'payload'->'props'->'widgets' = jsonb_build_array(i.id::text)`,
		"a cell too, as a number":        `SELECT o.name FROM content_block o JOIN content_block i ON i.company_id = $1 AND i.name = 'inner' WHERE o.company_id = $1 AND o.sections->0->'payload'->'props'->'cells'->0->'widgets' = jsonb_build_array(i.id)`,
		"columns of a template":          `SELECT o.name FROM content_block o JOIN content_block i ON i.company_id = $1 AND i.name = 'inner' WHERE o.company_id = $1 AND o.sections->0->'payload'->'props'->'grid' = jsonb_build_object('main', jsonb_build_array(i.id), 'aside', jsonb_build_array(i.id::text))`,
		"a mount":                        `SELECT d.name FROM content_block o JOIN document d ON d.company_id = $1 AND d.id = (o.sections->0->'payload'->'props'->'html'->>'documentId')::bigint WHERE o.company_id = $1`,
		"a listing, and nothing else":    `SELECT c.slug FROM content_block o JOIN category c ON c.company_id = $1 AND o.sections->0->'payload'->'props'->'listing' = jsonb_build_object('categoryId', c.id, 'limit', 12, 'price', 1.50) WHERE o.company_id = $1 AND o.sections->0->'payload'->>'text' = '5 < 6 & 1'`,
		"a binding":                      `SELECT b.slot FROM design_binding b JOIN category c ON c.company_id = $1 AND c.id = b.resource_id JOIN content_block k ON k.company_id = $1 AND k.id = b.group_id AND k.name = 'outer' WHERE b.company_id = $1 AND b.resource_type = 'category'`,
		"the one of the shop":            `SELECT slot FROM design_binding WHERE company_id = $1 AND resource_type = 'shop' AND resource_id = 0`,
		"a live release":                 `SELECT d.name FROM document d JOIN release r ON r.company_id = $1 AND r.id = d.active_release_id AND r.document_id = d.id WHERE d.company_id = $1 AND r.report = '{"documentId": 1}'`,
		"a draft of the same product":    `SELECT d.name FROM draft.product d JOIN product p USING (company_id, id) JOIN category c ON c.company_id = $1 AND c.id = d.category_id WHERE d.company_id = $1 AND c.slug = 'tea' AND (d.draft_base->>'category_id')::int = p.category_id AND (d.draft_base->>'id')::int = p.id`,
		"settings, but no PIN":           `SELECT slug FROM company WHERE id = $1 AND closed AND pin_hash = '' AND limits = '{"products_max": 7}'`,
		"a file with its uuid":           `SELECT path FROM media_file WHERE company_id = $1 AND id = '00000000-0000-0000-0000-00000000000a' AND upload_hash = '' AND upload_id <> '00000000-0000-0000-0000-00000000000b'`,
		"how it looks":                   `SELECT slug FROM company WHERE id = $1 AND settings = '{"look": {"accent": "#0a7755"}, "description": "Tea"}'`,
		"what a picture shows":           `SELECT path FROM media_file WHERE company_id = $1 AND alt = 'A pot'`,
		"the day of a product":           `SELECT slug FROM product WHERE company_id = $1 AND published_at = '2030-01-02T03:04:05Z'`,
		"no upload address":              `SELECT path FROM release_file WHERE company_id = $1 AND upload_hash IS NULL`,
	} {
		var got string
		if err := h.sql.QueryRow(t.Context(), sql, id).Scan(&got); err != nil {
			t.Errorf("%s: %v", what, err)
		}
	}
	for what, sql := range map[string]string{
		"keys":                     `SELECT count(*)::text FROM api_key WHERE company_id = $1`,
		"the domain of another":    `SELECT count(*)::text FROM company_domain WHERE company_id = $1`,
		"bindings of what is gone": `SELECT count(*)::text FROM design_binding WHERE company_id = $1 AND resource_type = 'product'`,
	} {
		if n := h.ask(sql, id); n != "0" {
			t.Errorf("%s: %s", what, n)
		}
	}
}

func TestExportOfAnImportIsEqual(t *testing.T) {
	t.Parallel()
	h, other := newHome(t), newHome(t)
	first := h.export(h.sample("tea"))
	id, err := other.try(first, "")
	h.must(err)
	if domain := other.ask(`SELECT domain FROM company_domain WHERE company_id = $1`, id); domain != "tea.example.test" {
		t.Errorf("domain %q", domain)
	}
	if hash := other.ask(`SELECT password_hash FROM person WHERE email = 'Owner@example.test'`); hash != "-" {
		t.Errorf("a new person has the password hash %q", hash)
	}
	second := other.export(other.company("tea"))
	third, err := other.try(second, "third")
	h.must(err)
	for _, table := range []string{"category", "product", "content_block", "release_file", "draft.product", "blob"} {
		sql := `SELECT count(*)::text FROM ` + table + ` WHERE company_id = $1`
		if a, b := other.ask(sql, id), other.ask(sql, third); a != b || a == "0" {
			t.Errorf("%s: %s rows, then %s", table, a, b)
		}
	}
}

// A person who merely registered an email address from the file, without proving it, gets no
// role in the imported shop; a person who already has a role in this installation does.
func TestImportGivesNoRoleToUnverifiedAccounts(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	file := h.export(h.sample("tea"))
	_, err := h.try(file, "again")
	h.must(err)
	if hash := h.ask(`SELECT password_hash FROM person WHERE email = 'Owner@example.test'`); hash != "x" {
		t.Errorf("a member of another shop lost the password: %q", hash)
	}
	other := newHome(t)
	squatter, err := people.CreatePerson(t.Context(), other.store, "owner@example.test", "", "squatted")
	other.must(err)
	other.must(people.CreateSession(t.Context(), other.store, people.NewSession{TokenHash: []byte("token"), Person: squatter, At: time.Now(), Expires: time.Now().Add(time.Hour)}))
	_, err = other.try(file, "")
	other.must(err)
	if got := other.ask(`SELECT password_hash || (SELECT count(*) FROM session) FROM person WHERE lower(email) = 'owner@example.test'`); got != "-0" {
		t.Errorf("the unverified account keeps its password or session: %q", got)
	}
}

func TestBackupContainsNoSecrets(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	forge(t, h.export(h.sample("tea")), func(entries map[string][]byte, _ *manifest) {
		for name, body := range entries {
			for _, secret := range []string{"secret", "736563726574", "password"} {
				if bytes.Contains(body, []byte(secret)) {
					t.Errorf("%s: %s", name, body)
				}
			}
		}
	})
}

// plain matches columns whose names look like references but are none, and JSON columns
// without references.
var plain = regexp.MustCompile(
	`^(draft\.)?(category\.(seo|sidebar_config)|product\.seo|article\.seo|variant_set\.options|release\.report|form\.(fields|success)|form_lead\.(answers|utm|consents)|promotion\.issue|pricing_rule\.tiers|delivery_option\.(rates|points)|shop_order\.(tax|taxes)|order_line\.taxes|order_paper\.copy|payment_method\.public|.*\.draft_base)$`,
)

var soundsLikeOne = regexp.MustCompile(`(_id|_ids|_by|^products|^related)$`)

// Every new column must be classified here; otherwise a copy of a shop could refer to the
// original.
func TestEveryColumnIsClassified(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	rows, err := h.sql.Query(t.Context(), `
		SELECT CASE table_schema WHEN 'public' THEN '' ELSE table_schema || '.' END || table_name, column_name, udt_name
		FROM information_schema.columns c WHERE table_schema IN ('public', 'draft') AND udt_name IN ('int4', 'int8', '_int4', '_int8', 'jsonb')
		AND EXISTS (SELECT FROM information_schema.columns o WHERE o.table_schema = c.table_schema AND o.table_name = c.table_name
			AND o.column_name = 'company_id')`)
	h.must(err)
	defer rows.Close()
	for rows.Next() {
		var table, column, kind string
		h.must(rows.Scan(&table, &column, &kind))
		base := strings.TrimPrefix(table, "draft.")
		if excludedTables[base] || column == "company_id" || plain.MatchString(table+"."+column) {
			continue
		}
		name := base + "." + column
		_, dependent := byKind[name]
		decided := dependent || references[name] != "" || references[column] != "" || structured[name] != nil
		if !decided && (kind == "jsonb" || soundsLikeOne.MatchString(column)) {
			t.Errorf("%s.%s: add its table to refer.go, or add it to plain if it is not a reference", table, column)
		}
	}
	h.must(rows.Err())
}

// In old backups, variants have a stock number beside that of their product, which is
// dropped: it would be a second truth.
func TestBackupWithStockBesideThatOfTheProductIsImported(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	tea := h.sample("tea")
	h.ask(`INSERT INTO variant_set (company_id, product_id, sku) SELECT company_id, id, 'V' FROM product LIMIT 1 RETURNING sku`)
	file := forge(t, h.export(tea), func(e map[string][]byte, m *manifest) {
		const sets = "tables/variant_set.jsonl"
		e[sets] = bytes.ReplaceAll(e[sets], []byte("}\n"), []byte(`,"stock_quantity":3}`+"\n"))
		fit(e, m, sets)
	})
	if _, err := h.try(file, "copy"); err != nil {
		t.Fatal(err)
	}
	if n := h.ask(`SELECT count(*)::text FROM variant_set v JOIN company c ON c.id = v.company_id AND c.slug = 'copy'`); n == "0" {
		t.Error("the variants were not imported")
	}
}

func TestInvalidFilesAreRefused(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	good := h.export(h.sample("tea"))
	type change = func(map[string][]byte, *manifest)
	for name, c := range map[string]struct {
		change change
		want   error
	}{
		"another format": {func(_ map[string][]byte, m *manifest) { m.Format = "x" }, ErrForeign},
		"a newer one":    {func(_ map[string][]byte, m *manifest) { m.Version = version + 1 }, ErrNewer},
		"a table less":   {func(e map[string][]byte, _ *manifest) { delete(e, "tables/product.jsonl") }, ErrDamaged},
		"a file more":    {func(e map[string][]byte, _ *manifest) { e["../x"] = nil }, ErrDamaged},
		"a listed file more": {func(e map[string][]byte, m *manifest) {
			e["../x"] = nil
			fit(e, m, "../x")
		}, ErrDamaged},
		"an edited row": {func(e map[string][]byte, _ *manifest) { e["tables/product.jsonl"][9]++ }, ErrDamaged},
		"an unknown table": {func(e map[string][]byte, m *manifest) {
			e["tables/person.jsonl"] = []byte(`{"id":1}` + "\n")
			fit(e, m, "tables/person.jsonl")
		}, ErrNewer},
		"keys": {func(e map[string][]byte, m *manifest) {
			e["tables/api_key.jsonl"] = nil
			fit(e, m, "tables/api_key.jsonl")
		}, ErrNewer},
		"a column that is not there": {func(_ map[string][]byte, m *manifest) {
			x := m.Entries["tables/product.jsonl"]
			x.Columns = append(x.Columns, `name", "company_id`)
			m.Entries["tables/product.jsonl"] = x
		}, ErrNewer},
		"a column that is not listed": {func(e map[string][]byte, m *manifest) {
			e["tables/category.jsonl"] = []byte(`{"id":1,"x":1}` + "\n")
			fit(e, m, "tables/category.jsonl")
		}, ErrDamaged},
		"a row that is not an object": {func(e map[string][]byte, m *manifest) {
			e["tables/category.jsonl"] = []byte("[]\n")
			fit(e, m, "tables/category.jsonl")
		}, ErrDamaged},
		"a bomb": {func(e map[string][]byte, m *manifest) {
			e["tables/category.jsonl"] = make([]byte, 40<<20)
			fit(e, m, "tables/category.jsonl")
		}, ErrDamaged},
		"a zip bomb with a small declared size": {func(e map[string][]byte, m *manifest) {
			e["tables/category.jsonl"] = make([]byte, 40<<20)
		}, ErrDamaged},
		"a blob of other bytes": {func(e map[string][]byte, _ *manifest) {
			for name, body := range e {
				if strings.HasPrefix(name, blobDir) {
					body[0]++
				}
			}
		}, ErrDamaged},
		"no shop": {func(e map[string][]byte, m *manifest) {
			e[shopName] = nil
			fit(e, m, shopName)
		}, ErrDamaged},
	} {
		if _, err := h.try(forge(t, good, c.change), "copy"); !errors.Is(err, c.want) {
			t.Errorf("%s: %v, want %v", name, err, c.want)
		}
	}
	// A tree that no endpoint would create.
	_, err := h.try(forge(t, good, func(e map[string][]byte, m *manifest) {
		row, _, _ := strings.Cut(string(e["tables/category.jsonl"]), "\n")
		for n := range 13 {
			e["tables/category.jsonl"] = append(e["tables/category.jsonl"], nestedRow(t, row, 1000+n)...)
		}
		fit(e, m, "tables/category.jsonl")
	}), "copy")
	if !errors.Is(err, catalog.ErrCategoryTooDeep) || !strings.Contains(err.Error(), "/level1000") {
		t.Errorf("13 levels: %v", err)
	}
	// Well-formed rows with invalid contents: the database refuses them, and nothing is left
	// behind.
	_, err = h.try(forge(t, good, func(e map[string][]byte, m *manifest) {
		e["tables/redirect_rule.jsonl"] = []byte(`{"id":1}` + "\n")
		fit(e, m, "tables/redirect_rule.jsonl")
	}), "copy")
	if err == nil {
		t.Error("an incomplete rule was imported")
	}
	if n := h.ask(`SELECT count(*)::text FROM company`); n != "1" {
		t.Errorf("there are %s shops", n)
	}
}

func TestTruncatedAndCorruptedFilesAreRefused(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	good := h.export(h.sample("tea"))
	for n := 0; n < len(good); n += len(good)/40 + 1 {
		if _, err := h.try(good[:n], "cut"); !errors.Is(err, ErrForeign) && !errors.Is(err, ErrDamaged) {
			t.Errorf("truncated at %d of %d: %v", n, len(good), err)
		}
	}
	for n := 0; n < len(good); n += len(good)/200 + 1 {
		bad := bytes.Clone(good)
		bad[n] ^= 0x55
		if _, err := Open(t.Context(), bytes.NewReader(bad), int64(len(bad)), operators); err != nil && !errors.Is(err, ErrForeign) &&
			!errors.Is(err, ErrDamaged) {
			t.Errorf("corrupted at %d: %v", n, err)
		}
	}
	if n := h.ask(`SELECT count(*)::text FROM company`); n != "1" {
		t.Errorf("there are %s shops", n)
	}
}

func FuzzOpen(f *testing.F) {
	h := newHome(f)
	f.Add(h.export(h.sample("tea")))
	f.Add([]byte("PK\x05\x06" + strings.Repeat("\x00", 18)))
	f.Fuzz(func(t *testing.T, file []byte) {
		a, err := Open(t.Context(), bytes.NewReader(file), int64(len(file)), operators)
		if err != nil && !errors.Is(err, ErrForeign) && !errors.Is(err, ErrDamaged) && !errors.Is(err, ErrNewer) {
			t.Error(err)
		}
		if err == nil && a.Format != format {
			t.Error("a file that is not a backup was opened")
		}
	})
}

// nestedRow is the row of a section inside the section with the previous id; 1000 is at the
// root.
func nestedRow(t *testing.T, row string, id int) []byte {
	t.Helper()
	var fields map[string]any
	if err := json.Unmarshal([]byte(row), &fields); err != nil {
		t.Fatal(err)
	}
	fields["id"], fields["parent_id"], fields["slug"] = id, id-1, fmt.Sprintf("level%d", id)
	if id == 1000 {
		fields["parent_id"] = 0
	}
	out, err := json.Marshal(fields)
	if err != nil {
		t.Fatal(err)
	}
	return append(out, '\n')
}

// A backup may be older than any column of a drafted table. Its drafts did not change a
// column that it does not contain, so publishing such a draft must leave the column
// unchanged.
func TestDraftOfAnOlderBackupKeepsNewerColumns(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	c := h.sample("tea")
	for _, sql := range []string{
		`INSERT INTO attribute (company_id, name) VALUES ($1, 'Origin')`,
		`INSERT INTO product_attribute (company_id, attribute_id, product_id) VALUES ($1, 1, 1)`,
		`INSERT INTO product_extra_category VALUES ($1, 1, 1)`,
		`INSERT INTO variant_set (company_id, product_id) VALUES ($1, 1)`,
		`INSERT INTO gallery (company_id, name) VALUES ($1, 'g')`,
		`INSERT INTO gallery_item (company_id, gallery_id, item_key, kind, sort_order) VALUES ($1, 1, 'k', 'html', 0)`,
		`INSERT INTO gallery_link VALUES ($1, 2, 1, 1, 0)`,
		`INSERT INTO block_link VALUES ($1, 1, 1, 1, 0)`,
	} {
		h.do(sql, c.ID)
	}
	tables, err := companydb.TenantTables(t.Context(), h.store)
	h.must(err)
	drafted := slices.DeleteFunc(tables, func(t companydb.TenantTable) bool { return t.Name == t.Base() })
	tested := 0
	for _, draft := range drafted {
		own := `SELECT string_agg(quote_ident(attname), ', ') FROM pg_attribute WHERE attrelid = 'public.` + draft.Base() + `'::regclass AND attnum > 0 AND NOT attisdropped`
		cols := h.ask(own)
		h.do(
			`INSERT INTO `+draft.Name+` (`+cols+`, draft_base) SELECT `+cols+`,
			to_jsonb(l) FROM public.`+draft.Base()+` l WHERE company_id = $1 ON CONFLICT DO NOTHING`,
			c.ID,
		)
	}
	file := h.export(c)
	for _, draft := range drafted {
		for _, column := range h.addable(draft.Base()) {
			tested++
			old := forge(t, file, func(entries map[string][]byte, m *manifest) {
				for _, name := range []string{draft.Base(), draft.Name} {
					without(t, entries, m, tableDir+name+".jsonl", column)
				}
			})
			id, err := h.try(old, fmt.Sprintf("copy-%d", tested))
			if err != nil {
				t.Errorf("%s without %s: %v", draft.Base(), column, err)
				continue
			}
			if n := h.ask(`SELECT count(*)::text FROM `+draft.Name+` WHERE company_id = $1`, id); n == "0" {
				t.Errorf("%s has no draft to look at", draft.Base())
			}
			// The comparison made by publishing: a column that differs from the base is
			// written.
			if n := h.ask(`SELECT count(*)::text FROM `+draft.Name+` d, LATERAL jsonb_populate_record(NULL::public.`+draft.Base()+`, d.draft_base) b
				WHERE d.company_id = $1 AND d.`+column+` IS DISTINCT FROM b.`+column, id); n != "0" {
				t.Errorf("publishing %s would write %s", draft.Base(), column)
			}
		}
	}
	if tested < 80 {
		t.Errorf("only %d columns were tested", tested)
	}
}

// addable lists the columns of a table that a migration may have added.
func (h *home) addable(table string) (columns []string) {
	h.Helper()
	rows, err := h.sql.Query(h.Context(), `
		SELECT column_name FROM information_schema.columns c WHERE table_schema = 'public' AND table_name = $1 AND is_identity = 'NO'
			AND is_generated = 'NEVER'
		AND (is_nullable = 'YES' OR column_default IS NOT NULL) AND NOT EXISTS (
			SELECT FROM pg_index i, pg_attribute a WHERE i.indrelid = ('public.' || $1)::regclass AND i.indisunique
			AND a.attrelid = i.indrelid AND a.attnum = ANY (i.indkey) AND a.attname = c.column_name)`, table)
	h.must(err)
	columns, err = pgx.CollectRows(rows, pgx.RowTo[string])
	h.must(err)
	return columns
}

// without removes a column from an entry.
func without(t *testing.T, entries map[string][]byte, m *manifest, name, column string) {
	t.Helper()
	var out bytes.Buffer
	for line := range bytes.Lines(entries[name]) {
		fields, err := fieldsOf(line)
		if err != nil {
			t.Fatal(err)
		}
		delete(fields, column)
		if base, ok := fields["draft_base"].(map[string]any); ok {
			delete(base, column)
		}
		row, err := json.Marshal(fields)
		if err != nil {
			t.Fatal(err)
		}
		out.Write(append(row, '\n'))
	}
	entries[name] = out.Bytes()
	fit(entries, m, name)
	e := m.Entries[name]
	e.Columns = slices.DeleteFunc(slices.Clone(e.Columns), func(c string) bool { return c == column })
	m.Entries[name] = e
}

// A file is copied in pieces: memory does not grow with the files of a shop.
func TestAnExportHoldsNoFileInMemory(t *testing.T) {
	h := newHome(t) // not parallel: other tests would allocate too
	c := h.sample("tea")
	const size = 64 << 20
	ref, err := h.blobs.Put(t.Context(), io.LimitReader(zeros{}, size), size)
	h.must(err)
	h.do(`INSERT INTO blob (company_id, sha256, size) VALUES ($1, $2, $3)`, c.ID, ref.SHA256, ref.Size)
	var steps, last int64
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, err = Export(t.Context(), h.store, h.blobs, c, io.Discard, func(done, total int64) { steps, last = done, total })
	runtime.ReadMemStats(&after)
	h.must(err)
	if allocated := after.TotalAlloc - before.TotalAlloc; allocated > size/4 {
		t.Errorf("%d bytes were allocated for a file of %d", allocated, size)
	}
	if steps != last || steps < 50 {
		t.Errorf("the last progress is %d of %d", steps, last)
	}
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) {
	clear(p)
	return len(p), nil
}
