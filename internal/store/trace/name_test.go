package trace_test

import (
	"testing"

	"vitrine/internal/store/trace"
)

func TestANameIsTheVerbAndTheTable(t *testing.T) {
	t.Parallel()
	for sql, want := range map[string]string{
		"SELECT name FROM product WHERE id = $1":                                                                   "select product",
		"\n\t\tSELECT (SELECT count(*) FROM sku) AS n, p.a IS DISTINCT FROM p.b FROM public.product p":             "select product",
		"SELECT EXISTS (SELECT FROM event WHERE company_id = $1)":                                                  "select event",
		"SELECT a FROM (SELECT b FROM block) x":                                                                    "select block",
		"SELECT pg_advisory_xact_lock(hashtextextended('tree FROM x:' || $1, 0))":                                  "select pg_advisory_xact_lock",
		"INSERT INTO product (id) SELECT x FROM unnest($1::bigint[]) x":                                            "insert product",
		`UPDATE ONLY "person" SET name = $1 FROM company`:                                                          "update person",
		"DELETE FROM session s USING person p":                                                                     "delete session",
		"WITH due AS (SELECT id FROM letter FOR UPDATE), b AS (SELECT 1) UPDATE letter l SET due_at = $1 FROM due": "update letter",
		"-- explanation of FROM\nSELECT 1 /* FROM x */ FROM redirect_rule":                                         "select redirect_rule",
		"begin isolation level repeatable read read only":                                                          "begin",
		"savepoint sp_1":                       "savepoint",
		"-- ping":                              "ping",
		"SELECT 'it''s FROM x', 1 FROM coupon": "select coupon",
		"(SELECT id FROM product ORDER BY id) UNION (SELECT id FROM article)": "select product",
		"":                    "empty",
		"COPY public.product": "copy product",
		"SELECT 1":            "select",
	} {
		if got := trace.Name(sql); got != want {
			t.Errorf("%q: %q, want %q", sql, got, want)
		}
	}
}

// FuzzName checks that every text has a short name.
func FuzzName(f *testing.F) {
	f.Add("SELECT ((a FROM")
	f.Add("with ' from")
	f.Fuzz(func(t *testing.T, sql string) {
		if trace.Name(sql) == "" {
			t.Error("empty")
		}
	})
}
