package move

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"vitrine/internal/shop"
	"vitrine/internal/store"
	"vitrine/internal/store/company"
	"vitrine/internal/store/storetest"
)

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func side(t testing.TB, url string) Side {
	t.Helper()
	s, err := store.Open(t.Context(), url, storetest.FewConnections)
	must(t, err)
	t.Cleanup(s.Close)
	return Side{Store: s, URL: url, ID: uuid.New()}
}

// moving is a move from an installation with a thousand shops, which share all ids, to one that has two
// shops with the same ids.
func moving(t testing.TB) Config {
	t.Helper()
	return Config{
		From: side(t, storetest.ManyShops(t, store.Migrate)), To: side(t, storetest.URL(t, store.Migrate)), Slug: "crowd-1005",
		Copy:    func(context.Context, string) error { return nil },
		Reseal:  func(sealed []byte, was, now string) ([]byte, error) { return []byte(was + " > " + now), nil },
		LinkKey: func(was, now shop.CompanyID) []byte { return fmt.Appendf(nil, "%d > %d", was, now) },
		Origin:  func(slug, domain string) string { return "https://" + domain }, AdminURL: "https://admin.there.test",
	}
}

func exec(t testing.TB, s Side, sql string, args ...any) {
	t.Helper()
	_, err := s.Store.Pool.Exec(t.Context(), sql, args...)
	must(t, err)
}

func read[T any](t testing.TB, s Side, sql string, args ...any) (v T) {
	t.Helper()
	must(t, s.Store.Pool.QueryRow(t.Context(), sql, args...).Scan(&v))
	return v
}

// inDraft runs statements in the draft contour.
func inDraft(t testing.TB, s Side, statements ...string) {
	t.Helper()
	must(t, pgx.BeginFunc(t.Context(), s.Store.Pool, func(tx pgx.Tx) error {
		for _, sql := range append([]string{`SET LOCAL search_path = dev, public`}, statements...) {
			if _, err := tx.Exec(t.Context(), sql); err != nil {
				return err
			}
		}
		return nil
	}))
}

// content lists the rows of a shop in the tables that move, without what a move rewrites.
func content(t testing.TB, s Side, id shop.CompanyID) map[string]string {
	t.Helper()
	tables, err := company.TenantTables(t.Context(), s.Store)
	must(t, err)
	out := map[string]string{}
	for _, tt := range tables {
		if store.LeftBehind[tt.Base()] != "" || tt.Name == "shop_link_key" {
			continue
		}
		one := newTable(tt)
		out[tt.Name] = read[string](t, s, `SELECT count(*) || ' ' || coalesce(sum(hashtextextended((to_jsonb(t) - $2::text[])::text, 0)), 0)
			FROM (SELECT `+tt.List("%[1]s::text AS %[1]s", tt.Columns)+` FROM `+tt.Ident()+` WHERE `+one.where()+`) t`, id, append([]string{"lease_until"}, one.rewritten()...)) // nobody waits for calls that have begun here
	}
	return out
}

func same(t testing.TB, want, got map[string]string) {
	t.Helper()
	for name, rows := range want {
		if got[name] != rows {
			t.Errorf("%s: %s there, %s here", name, got[name], rows)
		}
	}
}

// Every table of a shop either moves or says why it does not, every column with the id of a person
// is known, and what is kept apart exists.
func TestEveryTableMovesOrSaysWhy(t *testing.T) {
	t.Parallel()
	s := side(t, storetest.URL(t, store.Migrate))
	tables, err := company.TenantTables(t.Context(), s.Store)
	must(t, err)
	var names []string
	for _, tt := range tables {
		names = append(names, tt.Name)
	}
	for name, why := range store.LeftBehind {
		if !slices.Contains(names, name) || why == "" {
			t.Errorf("%s is left behind (%q), and there is no such table", name, why)
		}
	}
	for name := range only {
		if !slices.Contains(names, name) {
			t.Errorf("there is no table %s", name)
		}
	}
	rows, err := s.Store.Pool.Query(t.Context(), `
		SELECT DISTINCT a.attname::text FROM pg_constraint f JOIN pg_attribute a ON a.attrelid = f.conrelid AND a.attnum = ANY(f.conkey)
		WHERE f.contype = 'f' AND f.confrelid = 'person'::regclass
		UNION SELECT DISTINCT column_name::text FROM information_schema.columns WHERE table_schema = 'public'
			AND data_type = 'integer' AND column_name ~ '(_by|person_id|user_id|actor_id|buyer_id)$'`)
	must(t, err)
	columns, err := pgx.CollectRows(rows, pgx.RowTo[string])
	must(t, err)
	for _, c := range columns {
		if !personal[c] {
			t.Errorf("the people in %s would keep their ids", c)
		}
	}
	for name := range unlisted {
		_, c, _ := strings.Cut(name, ".")
		exec(t, s, `SELECT `+c+` FROM company LIMIT 0`)
	}
}

// A shop with rows in all tables moves to an installation whose shops have the same ids: all of its
// rows are there, with their ids, its people are others, its secrets are sealed for the other shop, and
// new rows get ids that it has not used.
func TestAShopMovesWithAllOfItsRows(t *testing.T) {
	t.Parallel()
	cfg := moving(t)
	const was = 1005
	exec(t, cfg.To, `INSERT INTO company (slug, name, currency) SELECT 'own' || n, 'Own', 'EUR' FROM generate_series(1, 2) n`)
	storetest.AddRows(t, cfg.To.URL, 1, "Own", 0, 20)
	exec(t, cfg.To, `INSERT INTO person (email, name, password_hash, proven_at) VALUES ('CROWD1005@people.test', 'Same', 'theirs', now())`)
	exec(t, cfg.From, `UPDATE person SET proven_at = now() WHERE id = 101005`)
	exec(t, cfg.From, `SELECT setval('product_id_seq', 99)`)
	for _, sql := range []string{
		`INSERT INTO person (id, email, name, password_hash) OVERRIDING SYSTEM VALUE VALUES (301, '', 'Guest', '-'), (302, 'crowd1005-editor@people.test', 'Editor', 'hers')`,
		`INSERT INTO member (company_id, person_id, role) VALUES (1005, 302, 'editor')`,
		`INSERT INTO totp (person_id, sealed) VALUES (302, 'x')`, `INSERT INTO recovery_code (person_id, hash) VALUES (302, 'x')`,
		`INSERT INTO session (token_hash, person_id, expires_at, company_id) VALUES ('guest', 301, now() + interval '1 day', 1005)`,
		`INSERT INTO invitation (company_id, email, role, invited_by, hash, created_at, expires_at) VALUES (1005, 'new@people.test', 'editor', 101005, 'x', now(), now())`,
		`INSERT INTO assist_key (company_id, id, sealed, created_at) VALUES (1005, 'k', 'x', now())`,
		`INSERT INTO assist_platform (company_id, protocol, name) VALUES (1005, 'ucp', 'Chat')`,
		`INSERT INTO assist_session (company_id, id, kind, platform_id, person_id, signed, input, created_at, updated_at, expires_at)
			SELECT 1005, 's', 'cart', id, 301, false, '{}', now(), now(), now() + interval '1 day' FROM assist_platform`,
		`INSERT INTO charge (company_id, session, amount_minor, currency) VALUES (1005, 's', 1, 'EUR')`,
		`INSERT INTO assistant_client (company_id, profile, name, redirect_uris, signs, created_at) VALUES (1005, 'https://agent.test/', 'Agent', '{}', false, now())`,
		`INSERT INTO assistant_link (company_id, client_id, person_id, scopes, redirect_uri, challenge, code_expires_at, created_at, expires_at)
			SELECT company_id, id, 301, '{}', '', '', now(), now(), now() + interval '1 day' FROM assistant_client`,
		`INSERT INTO assistant_token (company_id, hash, link_id, kind, created_at, expires_at) SELECT company_id, 'x', id, 'access', now(), now() + interval '1 day' FROM assistant_link`,
	} {
		exec(t, cfg.From, sql)
	}
	inDraft(t, cfg.From, `UPDATE product SET name = 'Draft', created_by = 101005 WHERE company_id = 1005 AND id = 1`, `UPDATE article SET title = 'Draft' WHERE company_id = 1005 AND id = 1`)
	exec(t, cfg.From, `INSERT INTO payment_method (company_id, method, sealed) VALUES ($1, 'stripe', 'x') ON CONFLICT (company_id, method) DO UPDATE SET sealed = 'x'`, was)
	exec(t, cfg.From, `UPDATE article SET author = '{"mode": "member", "user_id": 101005}', created_by = 101005, updated_by = 77 WHERE company_id = $1 AND id = 1`, was)
	others := content(t, cfg.To, 1)
	want := content(t, cfg.From, was)
	report, err := Run(t.Context(), cfg)
	must(t, err)
	now := report.CompanyID
	same(t, want, content(t, cfg.To, now))
	same(t, others, content(t, cfg.To, 1))
	for name, rows := range want {
		if strings.HasPrefix(rows, "0 ") && !strings.HasPrefix(name, "draft.") {
			t.Errorf("%s has no rows, so nothing is proven about it", name)
		}
	}
	if got := read[string](t, cfg.To, `SELECT sealed::text FROM payment_method WHERE company_id = $1 AND method = 'stripe'`, now); got != fmt.Sprintf(`\x%x`, fmt.Sprintf("shop 1005 stripe > shop %d stripe", now)) {
		t.Errorf("the secret is %s", got)
	}
	if got := read[string](t, cfg.To, `
		SELECT concat_ws(' ', p.name, a.author ->> 'user_id' = p.id::text, a.created_by = p.id, a.updated_by <> 77, m.role)
		FROM article a JOIN member m ON m.company_id = a.company_id JOIN person p ON p.id = m.person_id WHERE a.company_id = $1 AND a.id = 1`, now); got != "Same t t t owner" {
		t.Errorf("the owner is %s", got)
	}
	if got := read[string](t, cfg.To, `
		SELECT concat_ws(' ', p.password_hash, t.sealed::text = '\x' || encode(('totp 302 > totp ' || p.id)::bytea, 'hex'), r.hash = 'x')
		FROM person p JOIN totp t ON t.person_id = p.id JOIN recovery_code r ON r.person_id = p.id JOIN member m ON m.person_id = p.id AND m.company_id = $1
		WHERE p.email = 'crowd1005-editor@people.test'`, now); got != "hers t t" {
		t.Errorf("the editor is %s", got)
	}
	if got := read[string](t, cfg.To, `SELECT concat_ws(' ', d.name, d.created_by = d.draft_base ->> 'created_by', d.draft_base ->> 'company_id')
		FROM (SELECT name, created_by::text, draft_base FROM draft.product WHERE company_id = $1 AND id = 1) d`, now); got != "Draft f" {
		t.Errorf("the draft is %s", got)
	}
	if id := read[int](t, cfg.To, `INSERT INTO product (company_id, category_id, kind, name, slug, price) VALUES ($1, 1, 'standard', 'New', 'new', 1) RETURNING id`, now); id <= 99 {
		t.Errorf("a new product has the id %d", id)
	}
	if got := read[string](t, cfg.From, `SELECT concat_ws(' ', m.peer_id, m.origin, m.admin_url, c.deleted_at IS NOT NULL) FROM shop_move m JOIN company c ON c.id = m.company_id WHERE gone`); got !=
		fmt.Sprintf("%d https://crowd1005.example.test https://admin.there.test t", now) {
		t.Errorf("the shop that has gone: %s", got)
	}
	again, err := Run(t.Context(), cfg)
	if err != nil || again.CompanyID != now || again.Rows > 0 {
		t.Errorf("again: %+v, %v", again, err)
	}
	err = cfg.From.Store.Write(t.Context(), was, func(tx *store.Tx) error { return nil })
	if !errors.Is(err, store.ErrMoving) {
		t.Errorf("a write to the shop that has gone: %v", err)
	}
	if err := Undo(t.Context(), cfg); !errors.Is(err, ErrGone) {
		t.Errorf("undone: %v", err)
	}
	_, err = company.DeleteCompany(t.Context(), cfg.From.Store, was)
	must(t, err)
	if _, err := Run(t.Context(), cfg); !errors.Is(err, store.ErrShopNotFound) {
		t.Errorf("a shop that is deleted: %v", err)
	}
}

// What changes between the passes is in the copy, whatever it was: slugs that change hands, rows that
// are deleted and made again, and transactions that began before a pass and ended after it.
func TestChangesBetweenPassesAreCopied(t *testing.T) {
	t.Parallel()
	cfg := moving(t)
	const was = shop.CompanyID(1005)
	long, err := cfg.From.Store.Pool.Begin(t.Context())
	must(t, err)
	defer long.Rollback(context.Background()) //nolint:errcheck // it was committed
	write := func(sql string) {
		_, err := long.Exec(t.Context(), sql)
		must(t, err)
	}
	write(`UPDATE product SET name = 'Before the pass' WHERE company_id = 1005 AND id = 7`)
	write(`SAVEPOINT s`)
	exec(t, cfg.From, `UPDATE product SET name = 'Later' WHERE company_id = 1005 AND id = 6`)
	write(`UPDATE product SET name = 'In a savepoint' WHERE company_id = 1005 AND id = 8`)
	write(`RELEASE s`)
	pass := 0
	cfg.passed = func() {
		switch pass++; pass {
		case 1:
			write(`UPDATE product SET name = 'After the pass' WHERE company_id = 1005 AND id = 9`)
			must(t, long.Commit(t.Context()))
			for _, sql := range []string{
				// One takes the slug of another, two exchange theirs, a new row takes that of one that goes.
				`UPDATE product SET slug = 'free' WHERE company_id = 1005 AND id = 10`,
				`UPDATE product SET slug = 'crowd-product-10' WHERE company_id = 1005 AND id = 2`,
				`DELETE FROM redirect_rule WHERE company_id = 1005 AND id = 1`,
				`DELETE FROM order_message WHERE company_id = 1005`,
				`DELETE FROM cart WHERE company_id = 1005`,
				`INSERT INTO person (id, email, name, password_hash) OVERRIDING SYSTEM VALUE VALUES (301, '', 'Guest', '-') ON CONFLICT DO NOTHING`,
				`INSERT INTO cart (company_id, person_id) VALUES (1005, 301)`,
				`INSERT INTO cart_line (company_id, person_id, product_id, key, quantity, data) VALUES (1005, 301, 1, 'default', 1, '{}')`,
				`UPDATE customer SET note = 'Changed' WHERE company_id = 1005`,
				`UPDATE company SET name = 'Renamed', rules_version = 7 WHERE id = 1005`,
			} {
				exec(t, cfg.From, sql)
			}
		case 2: // the same buyer has another cart
			exec(t, cfg.From, `DELETE FROM cart WHERE company_id = 1005`)
			exec(t, cfg.From, `INSERT INTO cart (company_id, person_id) VALUES (1005, 301)`)
			exec(t, cfg.From, `INSERT INTO cart_line (company_id, person_id, product_id, key, quantity, data) VALUES (1005, 301, 1, 'default', 2, '{}')`)
			exec(t, cfg.From, `UPDATE product p SET slug = o.slug || '-swap' FROM product o WHERE p.company_id = 1005 AND o.company_id = 1005 AND p.id = 3 AND o.id = 4`)
		}
	}
	report, err := Run(t.Context(), cfg)
	must(t, err)
	same(t, content(t, cfg.From, was), content(t, cfg.To, report.CompanyID))
	if got := read[string](t, cfg.To, `SELECT string_agg(name, ', ' ORDER BY id) FROM product WHERE company_id = $1 AND id BETWEEN 6 AND 9`, report.CompanyID); got != "Later, Before the pass, In a savepoint, After the pass" {
		t.Error(got)
	}
	if got := read[string](t, cfg.To, `SELECT name || ' ' || rules_version FROM company WHERE id = $1`, report.CompanyID); got != "Renamed 7" {
		t.Error(got)
	}
	if report.Passes < 3 || report.Passes > 6 {
		t.Errorf("%d passes", report.Passes)
	}
}

// Two rows that exchange what must be unique are in each other's way: the move begins again and ends.
func TestRowsInEachOthersWayAreCopied(t *testing.T) {
	t.Parallel()
	cfg := moving(t)
	pass := 0
	cfg.passed = func() {
		if pass++; pass == 1 {
			for _, sql := range []string{
				`UPDATE product SET slug = 'x' WHERE company_id = 1005 AND id = 1`, `UPDATE product SET slug = 'crowd-product-1' WHERE company_id = 1005 AND id = 2`,
				`UPDATE product SET slug = 'crowd-product-2' WHERE company_id = 1005 AND id = 1`,
			} {
				exec(t, cfg.From, sql)
			}
		}
	}
	report, err := Run(t.Context(), cfg)
	must(t, err)
	same(t, content(t, cfg.From, 1005), content(t, cfg.To, report.CompanyID))
}

// Wherever a move is interrupted, the shop sells on where it is, the same call goes on with what was
// copied, and undoing it leaves nothing behind.
func TestAnInterruptedMoveGoesOnOrIsUndone(t *testing.T) {
	t.Parallel()
	cfg := moving(t)
	before := read[string](t, cfg.To, `SELECT (SELECT count(*) FROM company) || ' ' || (SELECT count(*) FROM person)`)
	interrupted := cfg
	ctx, cancel := context.WithCancel(t.Context())
	interrupted.passed = cancel
	if _, err := Run(ctx, interrupted); !errors.Is(err, context.Canceled) {
		t.Fatalf("interrupted: %v", err)
	}
	var id shop.CompanyID
	must(t, cfg.From.Store.Write(t.Context(), 1005, func(*store.Tx) error { return nil }))
	must(t, cfg.To.Store.Pool.QueryRow(t.Context(), `SELECT company_id FROM shop_move`).Scan(&id))
	if _, err := company.CompanyBySlug(t.Context(), cfg.To.Store, cfg.Slug); !errors.Is(err, store.ErrShopNotFound) {
		t.Errorf("a shop that has not arrived is found: %v", err)
	}
	if err := cfg.To.Store.Write(t.Context(), id, func(tx *store.Tx) error { return company.RestoreDeleted(t.Context(), tx, time.Now()) }); !errors.Is(err, store.ErrRestoreExpired) {
		t.Errorf("it is restored: %v", err)
	}
	if list, err := company.ExpiredCompanies(t.Context(), cfg.To.Store, time.Now().Add(100*24*time.Hour)); err != nil || len(list) > 0 {
		t.Errorf("it expires: %v, %v", list, err)
	}
	must(t, Undo(t.Context(), cfg))
	if got := read[string](t, cfg.To, `SELECT (SELECT count(*) FROM company) || ' ' || (SELECT count(*) FROM person)`); got != before {
		t.Errorf("after undoing: %s, before: %s", got, before)
	}
	interrupted.Slug = "crowd-1006"
	ctx, cancel = context.WithCancel(t.Context())
	interrupted.passed = cancel
	if _, err := Run(ctx, interrupted); !errors.Is(err, context.Canceled) {
		t.Fatalf("interrupted: %v", err)
	}
	cfg.Slug = "crowd-1006"
	report, err := Run(t.Context(), cfg)
	must(t, err)
	same(t, content(t, cfg.From, 1006), content(t, cfg.To, report.CompanyID))
	if all := read[int](t, cfg.From, `SELECT count(*) FROM product WHERE company_id = 1006`); report.Rows > all {
		t.Errorf("%d rows were copied again, and the shop has %d products", report.Rows, all)
	}
	// The process ended after the shop had gone and before it arrived.
	exec(t, cfg.To, `INSERT INTO shop_move (company_id, peer, peer_id, gone) VALUES ($1, $2, 1006, false)`, report.CompanyID, cfg.From.ID)
	exec(t, cfg.To, `UPDATE company SET deleted_at = now() WHERE id = $1`, report.CompanyID)
	_, err = Run(t.Context(), cfg)
	must(t, err)
	if c, err := company.CompanyBySlug(t.Context(), cfg.To.Store, cfg.Slug); err != nil || c.ID != report.CompanyID {
		t.Errorf("it did not arrive: %v", err)
	}
}

// While the last rows are copied no write of the shop is committed, and those of others are.
func TestWritesAreRefusedWhileTheLastRowsAreCopied(t *testing.T) {
	t.Parallel()
	cfg := moving(t)
	var during, other error
	origin := cfg.Origin
	cfg.Origin = func(slug, domain string) string { // the last call before the shop goes
		during = cfg.From.Store.Write(t.Context(), 1005, func(tx *store.Tx) error {
			tx.Changed(shop.Key{Kind: shop.KeyShop})
			return nil
		})
		other = cfg.From.Store.Write(t.Context(), 1006, func(tx *store.Tx) error {
			tx.Changed(shop.Key{Kind: shop.KeyShop})
			return nil
		})
		return origin(slug, domain)
	}
	_, err := Run(t.Context(), cfg)
	must(t, err)
	if refusal, ok := shop.AsRefusal(during); !ok || !errors.Is(during, store.ErrMoving) || refusal.RetryAfterHeader() == "" {
		t.Errorf("a write meanwhile: %v", during)
	}
	if other != nil {
		t.Errorf("a write of another shop: %v", other)
	}
}

// A move that cannot end well does not begin.
func TestAMoveThatCannotEndWellIsRefused(t *testing.T) {
	t.Parallel()
	cfg := moving(t)
	refused := func(why string, want error, change func(*Config)) {
		t.Helper()
		changed := cfg
		change(&changed)
		if _, err := Run(t.Context(), changed); !errors.Is(err, want) {
			t.Errorf("%s: %v", why, err)
		}
		if n := read[int](t, cfg.To, `SELECT count(*) FROM shop_move`); n > 0 {
			t.Errorf("%s: something was copied", why)
		}
	}
	refused("the same installation", ErrSame, func(c *Config) { c.To = c.From })
	refused("no such shop", store.ErrShopNotFound, func(c *Config) { c.Slug = "nobody" })
	exec(t, cfg.From, `UPDATE company SET deleted_at = now() WHERE id = 1007`)
	refused("a deleted shop", store.ErrShopNotFound, func(c *Config) { c.Slug = "crowd-1007" })
	exec(t, cfg.To, `INSERT INTO company (slug, name, currency) VALUES ('crowd-1008', 'Other', 'EUR')`)
	refused("the slug is taken", ErrSlugTaken, func(c *Config) { c.Slug = "crowd-1008" })
	exec(t, cfg.To, `INSERT INTO company_domain (company_id, domain, active_at) SELECT id, 'crowd1009.example.test', now() FROM company`)
	refused("the domain is taken", ErrDomainThen, func(c *Config) { c.Slug = "crowd-1009" })
	exec(t, cfg.From, `INSERT INTO shop_move (company_id, peer, peer_id, gone) VALUES (1010, gen_random_uuid(), 1, true)`)
	refused("it has gone elsewhere", ErrGone, func(c *Config) { c.Slug = "crowd-1010" })
	exec(t, cfg.To, `DELETE FROM goose_db_version WHERE version_id = (SELECT max(version_id) FROM goose_db_version)`)
	refused("an older schema", ErrSchema, func(*Config) {})
}
