package store_test

import (
	"errors"
	"testing"

	"github.com/jackc/pgx/v5"

	"vitrine/internal/store"
	"vitrine/internal/store/storetest"
)

// Every column of sealed values is sealed again, in batches, each value for its own context; one that
// no key opens is counted and left.
func TestEverySealedValueIsSealedAgain(t *testing.T) {
	t.Parallel()
	url := storetest.URL(t, store.Migrate)
	s, err := store.Open(t.Context(), url, storetest.FewConnections)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	inserts := map[string]string{ // the rows of each table, with a context in place of what is sealed
		"payment_method":  `INSERT INTO payment_method (company_id, method, sealed) VALUES (7, 'stripe', 'shop 7 stripe'), (7, 'manual', NULL)`,
		"letter_domain":   `INSERT INTO letter_domain (company_id, domain, selector, public, sealed) VALUES (7, 'tea.example.com', 's', 'k', 'shop 7 letters')`,
		"webhook_secret":  `INSERT INTO webhook_secret (company_id, webhook_id, version, sealed) SELECT 7, n, 1, ('shop 7 webhook ' || n)::bytea FROM generate_series(1, 1200) n`,
		"assist_platform": `INSERT INTO assist_platform (company_id, id, protocol, name, sealed) OVERRIDING SYSTEM VALUE VALUES (7, 3, 'acp', 'Chat', 'shop 7 assistant 3'), (7, 4, 'ucp', 'x', NULL)`,
		"totp":            `INSERT INTO totp (person_id, sealed) VALUES (5, 'totp 5'), (6, 'broken')`,
		"acme_value":      `INSERT INTO acme_value (key, value) VALUES ('certificates/a', 'acme certificates/a')`,
		"shop_link_key":   `INSERT INTO shop_link_key (company_id, peer, was, sealed) VALUES (7, gen_random_uuid(), 3, 'shop 7 links')`,
		"assist_key":      `INSERT INTO assist_key (company_id, id, sealed, created_at) VALUES (7, 'k', 'shop 7 signing', now())`,
	}
	rows, err := s.Pool.Query(t.Context(), `SELECT table_name::text FROM information_schema.columns WHERE table_schema = 'public' AND column_name = 'sealed' UNION SELECT 'acme_value'`)
	if err != nil {
		t.Fatal(err)
	}
	tables, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil || len(tables) != len(inserts) {
		t.Fatalf("tables with sealed values: %v, %v", tables, err)
	}
	for _, table := range tables {
		err := pgx.BeginFunc(t.Context(), s.Pool, func(tx pgx.Tx) error {
			if _, err := tx.Exec(t.Context(), `SET LOCAL session_replication_role = replica`); err != nil { // their shop does not matter
				return err
			}
			_, err := tx.Exec(t.Context(), inserts[table])
			return err
		})
		if err != nil {
			t.Fatalf("%s: %v", table, err)
		}
	}
	fresh := func(sealed []byte, of string) ([]byte, bool, error) {
		switch string(sealed) {
		case of:
			return []byte("new " + of), true, nil
		case "new " + of:
			return sealed, false, nil
		}
		return nil, false, errors.New("no key opens it")
	}
	const all = 1 + 1 + 1200 + 1 + 1 + 1 + 1 + 1
	if changed, left, err := s.Reseal(t.Context(), fresh); err != nil || changed != all || left != 1 {
		t.Errorf("%d changed, %d left, %v", changed, left, err)
	}
	if changed, left, err := s.Reseal(t.Context(), fresh); err != nil || changed != 0 || left != 1 {
		t.Errorf("again: %d changed, %d left, %v", changed, left, err)
	}
}
