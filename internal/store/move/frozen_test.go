package move

import (
	"context"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"vitrine/internal/shop"
	"vitrine/internal/store"
	"vitrine/internal/store/company"
	"vitrine/internal/store/people"
	"vitrine/internal/store/privacy"
)

// writeEach tries to write the rows of each table of a shop with a statement of its own, as code does that
// does not know of moves, and returns the tables that refused it and those that allowed it.
func writeEach(t testing.TB, s Side, id shop.CompanyID) (refused, allowed []string) {
	t.Helper()
	tables, err := company.TenantTables(t.Context(), s.Store)
	must(t, err)
	for _, tt := range tables {
		tag, err := s.Store.Pool.Exec(t.Context(), `UPDATE `+tt.Ident()+` SET company_id = company_id WHERE company_id = $1`, id)
		switch {
		case store.IsMoving(err):
			refused = append(refused, tt.Name)
		case err != nil:
			t.Errorf("%s: %v", tt.Name, err)
		case tag.RowsAffected() > 0:
			allowed = append(allowed, tt.Name)
		}
	}
	return refused, allowed
}

// Every table of a shop either refuses writes on any path while the shop is frozen and once it has gone,
// or says why it does not move. A table that a migration adds is one of the former.
func TestEveryTableOfAShopIsFrozen(t *testing.T) {
	t.Parallel()
	cfg := moving(t)
	exec(t, cfg.To, `CREATE TABLE latecomer (company_id integer)`)
	must(t, store.Migrate(t.Context(), cfg.To.URL))
	unguarded := read[[]string](t, cfg.To, `
		SELECT array_agg(c.relname::text ORDER BY c.relname) FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname = 'company_id' AND NOT a.attisdropped
		WHERE c.relkind = 'r' AND c.relnamespace IN ('public'::regnamespace, 'draft'::regnamespace)
			AND NOT EXISTS (SELECT FROM pg_trigger t WHERE t.tgrelid = c.oid AND t.tgname = 'shop_frozen')`)
	want := slices.DeleteFunc(slices.Sorted(maps.Keys(store.LeftBehind)), func(name string) bool { return name == "company_change" })
	if !slices.Equal(unguarded, want) {
		t.Errorf("tables without the trigger: %v, want %v", unguarded, want)
	}

	_, before := writeEach(t, cfg.From, 1005)
	var frozen, still, others []string
	var beside error
	origin := cfg.Origin
	cfg.Origin = func(slug, domain string) string { // the last call before the shop goes
		frozen, still = writeEach(t, cfg.From, 1005)
		others, _ = writeEach(t, cfg.From, 1006)
		_, beside = cfg.From.Store.Beside().Exec(t.Context(), `UPDATE webhook SET failures = failures WHERE company_id IN (1005, 1006)`)
		return origin(slug, domain)
	}
	_, err := Run(t.Context(), cfg)
	must(t, err)
	gone, after := writeEach(t, cfg.From, 1005)
	if len(frozen) < 80 || !slices.Equal(frozen, gone) {
		t.Errorf("refused while it was frozen: %v\nonce it had gone: %v", frozen, gone)
	}
	for _, name := range append(still, after...) {
		if store.LeftBehind[name] == "" {
			t.Errorf("%s is written while its shop is frozen or gone", name)
		}
	}
	for _, name := range before {
		if store.LeftBehind[name] == "" && !slices.Contains(frozen, name) {
			t.Errorf("%s is not refused", name)
		}
	}
	if len(others) > 0 || beside != nil {
		t.Errorf("another shop is refused: %v, %v", others, beside)
	}
}

// besides is what may get lost of a shop that moves, by the function that writes it.
var besides = map[string]string{
	"catalog.AddViews":         "views of articles in the last seconds",
	"company.deleteChunks":     "the shop is deleted",
	"people.LinkedBy":          "when a link was last used",
	"people.TouchKeys":         "when a key was last used",
	"people.TouchSessions":     "when a session was last used",
	"store.Reseal":             "the other installation has another key",
	"store.SweepBatches":       "rows that are deleted there, too",
	"visit.Add":                "visits and page views of the last seconds",
	"visit.closeDays":          "a day that the other installation closes, too",
	"webhook.RecordDeliveries": "an event that is on its way is sent twice",
}

// What is written beside a shop that moves is listed with the reason why it may get lost.
func TestWhatMayGetLostIsListed(t *testing.T) {
	t.Parallel()
	found := map[string]bool{}
	files := token.NewFileSet()
	err := fs.WalkDir(os.DirFS(".."), ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		file, err := parser.ParseFile(files, "../"+path, nil, 0)
		if err != nil {
			return err
		}
		for _, decl := range file.Decls {
			f, is := decl.(*ast.FuncDecl)
			if !is {
				continue
			}
			ast.Inspect(f, func(n ast.Node) bool {
				if call, is := n.(*ast.SelectorExpr); is && call.Sel.Name == "Beside" {
					found[file.Name.Name+"."+f.Name.Name] = true
				}
				return true
			})
		}
		return nil
	})
	must(t, err)
	if got, want := slices.Sorted(maps.Keys(found)), slices.Sorted(maps.Keys(besides)); !slices.Equal(got, want) {
		t.Errorf("written beside: %v, listed: %v", got, want)
	}
}

// People whose rows are in a shop that has gone still change their password, sign in and remove their
// account; nobody gets a session in that shop. While a shop is frozen, all of that is refused.
func TestAccountsWithAShopThatHasGone(t *testing.T) {
	t.Parallel()
	cfg := moving(t)
	for _, sql := range []string{
		`INSERT INTO person (id, email, name, password_hash, proven_at) OVERRIDING SYSTEM VALUE VALUES (301, '', 'Guest', '-', NULL), (302, 'buyer@people.test', 'Buyer', '-', now())`,
		`INSERT INTO session (token_hash, person_id, expires_at, company_id) SELECT p.id::text::bytea, p.id, now() + interval '1 day', 1005 FROM person p WHERE p.id IN (301, 302)`,
		`SELECT setval(pg_get_serial_sequence('customer', 'id'), 999)`,
		`INSERT INTO cart (company_id, person_id) VALUES (1005, 301)`,
		`INSERT INTO wishlist_item (company_id, person_id, product_id) VALUES (1005, 301, 1), (1005, 302, 2)`,
		`INSERT INTO remark (company_id, id, kind, product_id, person_id, author, text) OVERRIDING SYSTEM VALUE VALUES (1005, 500, 'question', 1, 302, 'Buyer', 'Is it good?')`,
		`UPDATE shop_order SET person_id = 302 WHERE company_id = 1005 AND id = 2`,
	} {
		exec(t, cfg.From, sql)
	}
	s, now := cfg.From.Store, time.Now()
	session := func(token string, person shop.UserID, bound shop.CompanyID) error {
		return people.CreateSession(t.Context(), s, people.NewSession{TokenHash: []byte(token), Person: person, Bound: bound, At: now, Expires: now.Add(time.Hour)})
	}
	password := func() error {
		_, err := people.SetPassword(t.Context(), s, 302, "new", nil, true, now)
		return err
	}
	join := func() error {
		_, err := people.JoinGuest(t.Context(), s, 301, 302)
		return err
	}
	end := func() error { return people.EndSession(t.Context(), s, []byte("302")) }
	origin := cfg.Origin
	cfg.Origin = func(slug, domain string) string {
		for what, err := range map[string]error{
			"a session": session("x", 302, 1005), "the end of a session": end(), "a password": password(), "a guest who signs in": join(),
			"the removal of an account": privacy.RemovePerson(t.Context(), s, 302),
		} {
			if !store.IsMoving(err) {
				t.Errorf("%s while the shop is frozen: %v", what, err)
			}
		}
		return origin(slug, domain)
	}
	_, err := Run(t.Context(), cfg)
	must(t, err)
	if err := session("x", 302, 1005); !store.IsMoving(err) {
		t.Errorf("a session in the shop that has gone: %v", err)
	}
	if err := end(); !store.IsMoving(err) {
		t.Errorf("the end of a session in the shop that has gone: %v", err)
	}
	must(t, session("y", 302, 1006))
	must(t, join())
	must(t, password())
	must(t, people.SweepSessions(t.Context(), s, now.Add(48*time.Hour)))
	must(t, privacy.RemovePerson(t.Context(), s, 302))
	if n := read[int](t, cfg.From, `SELECT count(*) FROM person WHERE id IN (301, 302)`); n > 0 {
		t.Errorf("%d accounts remain", n)
	}
	_, err = company.DeleteCompany(t.Context(), s, 1005)
	must(t, err)
}

// An account that the move has created is what it has become here: its password, address and second
// factor, and it is removed with the one here.
func TestAccountsAreRenewed(t *testing.T) {
	t.Parallel()
	cfg := moving(t)
	exec(t, cfg.To, `INSERT INTO person (email, name, password_hash, proven_at) VALUES ('known@people.test', 'Known', 'theirs', now())`)
	for _, sql := range []string{
		`INSERT INTO person (id, email, name, password_hash) OVERRIDING SYSTEM VALUE VALUES
			(301, '', 'Guest', '-'), (302, 'editor@people.test', 'Editor', 'old'), (303, '', 'Removed', '-'), (304, 'x@people.test', 'Known', 'old'), (305, '', 'Taken', '-')`,
		`INSERT INTO wishlist_item (company_id, person_id, product_id) SELECT 1005, id, 1 FROM person WHERE id BETWEEN 301 AND 305`,
		`INSERT INTO totp (person_id, sealed) VALUES (302, 'x')`, `INSERT INTO recovery_code (person_id, hash) VALUES (302, 'one'), (302, 'two')`,
	} {
		exec(t, cfg.From, sql)
	}
	pass := 0
	cfg.passed = func() {
		if pass++; pass != 2 {
			return
		}
		for _, sql := range []string{
			`UPDATE person SET email = 'guest@people.test', name = 'Now', password_hash = 'hers' WHERE id = 301`,
			`UPDATE person SET password_hash = 'new' WHERE id = 302`, `DELETE FROM recovery_code WHERE hash = 'one'`,
			`DELETE FROM person WHERE id = 303`,
			`UPDATE person SET email = 'known@people.test', proven_at = now() WHERE id = 304`,
			`UPDATE person SET email = 'KNOWN2@people.test' WHERE id = 305`,
		} {
			exec(t, cfg.From, sql)
		}
		exec(t, cfg.To, `INSERT INTO person (email, name, password_hash) VALUES ('known2@people.test', 'Other', 'theirs')`)
	}
	report, err := Run(t.Context(), cfg)
	must(t, err)
	got := read[[]string](t, cfg.To, `
		SELECT array_agg(concat_ws(' ', p.name, p.email, p.password_hash, (SELECT string_agg(r.hash::text, ',') FROM recovery_code r WHERE r.person_id = p.id)) ORDER BY p.name, p.email)
		FROM wishlist_item w JOIN person p ON p.id = w.person_id WHERE w.company_id = $1 AND p.name <> 'Crowd'`, report.CompanyID)
	want := []string{`Editor editor@people.test new \x74776f`, "Known known@people.test theirs", "Now guest@people.test hers", "Taken  -"}
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	if n := read[int](t, cfg.To, `SELECT count(*) FROM person WHERE name = 'Removed'`); n > 0 {
		t.Error("an account that was removed is there")
	}
}

// Answers kept for repeated calls come along, each for its caller and sealed for the shop there, and a
// call that had begun may be repeated at once.
func TestAnswersComeAlong(t *testing.T) {
	t.Parallel()
	cfg := moving(t)
	exec(t, cfg.From, `
		INSERT INTO idempotency_key (company_id, credential, key, fingerprint, attempt, lease_until, expires_at, status, answer) VALUES
			(1005, 'person 101005', 'order', 'f', gen_random_uuid(), now(), now() + interval '1 day', 201, 'sealed'),
			(1005, 'key 7', 'order', 'f', gen_random_uuid(), now(), now() + interval '1 day', 201, 'sealed'),
			(1005, 'person 101005', 'gone', 'f', gen_random_uuid(), now(), now() + interval '1 day', 201, 'sealed'),
			(1005, 'person 101005', 'secret', 'f', gen_random_uuid(), now(), now() + interval '1 day', 201, NULL),
			(1005, 'person 101005', 'begun', 'f', gen_random_uuid(), now() + interval '1 hour', now() + interval '1 day', 0, NULL)`)
	cfg.passed = func() { exec(t, cfg.From, `DELETE FROM idempotency_key WHERE key = 'gone'`) }
	report, err := Run(t.Context(), cfg)
	must(t, err)
	owner := read[int](t, cfg.To, `SELECT person_id FROM member WHERE company_id = $1`, report.CompanyID)
	got := read[[]string](t, cfg.To, `
		SELECT array_agg(concat_ws(' ', convert_from(credential, 'UTF8'), key, status, lease_until <= now(), convert_from(answer, 'UTF8')) ORDER BY key, credential)
		FROM idempotency_key WHERE company_id = $1`, report.CompanyID)
	now := report.CompanyID
	want := []string{
		fmt.Sprintf("person %d begun 0 t", owner),
		fmt.Sprintf("key 7 order 201 t answer 1005 key 7 order > answer %d key 7 order", now),
		fmt.Sprintf("person %d order 201 t answer 1005 person 101005 order > answer %d person %d order", owner, now, owner),
		fmt.Sprintf("person %d secret 201 t", owner),
	}
	got = slices.DeleteFunc(got, func(line string) bool { return strings.Contains(line, "Crowd") || strings.Contains(line, "crowd") })
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// The report has all freezes of a move with their time, whichever call they were in.
func TestFreezesAreCounted(t *testing.T) {
	t.Parallel()
	cfg := moving(t)
	first := cfg
	ctx, cancel := context.WithCancel(t.Context())
	first.Origin = func(slug, domain string) string { cancel(); return "" }
	ended, err := Run(ctx, first)
	if !errors.Is(err, context.Canceled) || ended.Freezes != 1 || ended.FrozenMS <= 0 {
		t.Fatalf("%+v, %v", ended, err)
	}
	must(t, cfg.From.Store.Write(t.Context(), 1005, func(*store.Tx) error { return nil }))
	report, err := Run(t.Context(), cfg)
	must(t, err)
	if report.Freezes != 2 || report.FrozenMS <= ended.FrozenMS {
		t.Errorf("%+v after %+v", report, ended)
	}
	again, err := Run(t.Context(), cfg)
	must(t, err)
	if again.Freezes != 2 || again.FrozenMS <= ended.FrozenMS || again.FrozenMS > report.FrozenMS {
		t.Errorf("again: %+v", again)
	}
}

// A transaction that does not ask before its commit, as of an earlier release, is waited for; others
// write meanwhile, and what it wrote is in the copy.
func TestATransactionThatDoesNotAskIsWaitedFor(t *testing.T) {
	t.Parallel()
	cfg := moving(t)
	long, err := cfg.From.Store.Pool.Begin(t.Context())
	must(t, err)
	defer long.Rollback(context.Background()) //nolint:errcheck // it was committed
	_, err = long.Exec(t.Context(), `UPDATE product SET name = 'Long' WHERE company_id = 1005 AND id = 7`)
	must(t, err)
	cfg.step = func(_ *mover, at string) {
		if at != stepHeld {
			return
		}
		must(t, cfg.From.Store.Write(t.Context(), 1005, func(*store.Tx) error { return nil }))
		must(t, long.Commit(t.Context()))
	}
	report, err := Run(t.Context(), cfg)
	must(t, err)
	if got := read[string](t, cfg.To, `SELECT name FROM product WHERE company_id = $1 AND id = 7`, report.CompanyID); got != "Long" || report.Freezes != 2 {
		t.Errorf("%q, %+v", got, report)
	}
}

// A move is refused while processes of an earlier release work with either database.
func TestAMoveBesideAnEarlierReleaseIsRefused(t *testing.T) {
	t.Parallel()
	cfg := moving(t)
	for _, s := range []Side{cfg.From, cfg.To} {
		conf, err := pgx.ParseConfig(s.URL)
		must(t, err)
		for _, name := range []string{"vitrine:3f", "vitrine:3f:180"} {
			conf.RuntimeParams["application_name"] = name
			conn, err := pgx.ConnectConfig(t.Context(), conf)
			must(t, err)
			if _, err := Run(t.Context(), cfg); !errors.Is(err, ErrOlder) {
				t.Errorf("%s: %v", name, err)
			}
			must(t, conn.Close(t.Context()))
		}
	}
}

// Whichever connection of a move breaks at whichever step, as when a process or a database is killed,
// the same call goes on, and until the shop has gone people write to it.
func TestAMoveGoesOnWhateverBreaksWhen(t *testing.T) {
	t.Parallel()
	cfg := moving(t)
	connections := map[string]func(*mover) *pgx.Conn{
		"locks": func(m *mover) *pgx.Conn { return m.lock }, "reads": func(m *mover) *pgx.Conn { return m.read }, "writes": func(m *mover) *pgx.Conn { return m.write },
	}
	id := shop.CompanyID(1010)
	for _, step := range []string{stepBegun, stepCopied, stepFrozen, stepCompared, stepGone} {
		for which, connection := range connections {
			id++
			t.Run(step+"/"+which, func(t *testing.T) {
				broken := cfg
				broken.Slug = fmt.Sprint("crowd-", id)
				done := false
				broken.step = func(m *mover, at string) {
					if at != step || done {
						return
					}
					done = true
					side := cfg.From
					if which == "writes" {
						side = cfg.To
					}
					exec(t, side, `SELECT pg_terminate_backend($1, 5000)`, connection(m).PgConn().PID())
				}
				want := content(t, cfg.From, id)
				first, err := Run(t.Context(), broken)
				unused := which == "reads" && step == stepCompared || which != "writes" && step == stepGone
				if !done || (err == nil) != unused {
					t.Fatalf("nothing broke: %v", err)
				}
				if err := cfg.From.Store.Write(t.Context(), id, func(*store.Tx) error { return nil }); (err != nil) != (step == stepGone || unused) {
					t.Errorf("a write afterwards: %v", err)
				}
				report, err := Run(t.Context(), broken)
				must(t, err)
				same(t, want, content(t, cfg.To, report.CompanyID))
				if n := read[int](t, cfg.To, `SELECT count(*) FROM company WHERE slug = $1 AND deleted_at IS NULL`, broken.Slug); n != 1 {
					t.Errorf("%d shops have arrived", n)
				}
				// A broken connection to the target cannot record the last moments of a freeze.
				if !unused && step != stepGone && which != "writes" && report.FrozenMS < first.FrozenMS || step == stepCompared && !unused && report.Freezes != 2 {
					t.Errorf("%+v after %+v", report, first)
				}
			})
		}
	}
}
