package store

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"
)

// sealedColumn is a column of values that are encrypted with the server's key and kept for as long as
// their row. of is the context that they are sealed with.
type sealedColumn struct{ table, column, of string }

var sealedColumns = []sealedColumn{
	{"payment_method", "sealed", `'shop ' || company_id || ' ' || method`},
	{"letter_domain", "sealed", `'shop ' || company_id || ' letters'`},
	{"webhook_secret", "sealed", `'shop ' || company_id || ' webhook ' || webhook_id`},
	{"assist_platform", "sealed", `'shop ' || company_id || ' assistant ' || id`},
	{"assist_key", "sealed", `'shop ' || company_id || ' signing'`},
	{"shop_link_key", "sealed", `'shop ' || company_id || ' links'`},
	{"totp", "sealed", `'totp ' || person_id`},
	{"acme_value", "value", `'acme ' || key`},
}

// resealBatch is how many values are read at once.
const resealBatch = 500

// Reseal replaces values that were sealed with a former key. fresh returns the value as the present
// key seals it, and whether it has changed. A value that was replaced meanwhile is left alone: it was
// sealed with the present key. left counts values that no key opens.
func (s *Store) Reseal(ctx context.Context, fresh func(sealed []byte, of string) (now []byte, changed bool, err error)) (changed, left int, err error) {
	for _, c := range sealedColumns {
		after := "(0,0)"
		for after != "" {
			values, err := s.sealedAfter(ctx, c, after)
			if err != nil {
				return changed, left, fmt.Errorf("%s: %w", c.table, err)
			}
			after = ""
			for _, v := range values {
				after = v.at
				now, differs, err := fresh(v.sealed, v.of)
				if err != nil {
					left++
					continue
				}
				if !differs {
					continue
				}
				tag, err := s.Beside().Exec(ctx, `UPDATE `+c.table+` SET `+c.column+` = $3 WHERE ctid = $1::tid AND `+c.column+` = $2`, v.at, v.sealed, now)
				if err != nil {
					return changed, left, fmt.Errorf("%s: %w", c.table, err)
				}
				changed += int(tag.RowsAffected())
			}
		}
	}
	return changed, left, nil
}

type sealedValue struct {
	at     string // the place of its row
	of     string
	sealed []byte
}

func (s *Store) sealedAfter(ctx context.Context, c sealedColumn, at string) ([]sealedValue, error) {
	rows, err := s.Pool.Query(ctx, `SELECT t.ctid::text, `+c.of+`, `+c.column+` FROM `+c.table+` t
		WHERE t.ctid > $1::tid AND `+c.column+` IS NOT NULL ORDER BY t.ctid LIMIT $2`, at, resealBatch)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, func(row pgx.CollectableRow) (v sealedValue, err error) {
		return v, row.Scan(&v.at, &v.of, &v.sealed)
	})
}

// SealedColumn returns the column of a table whose values are sealed, and the owner that they are
// sealed for as an expression of SQL; empty for other tables.
func SealedColumn(table string) (column, of string) {
	for _, c := range sealedColumns {
		if c.table == table {
			return c.column, c.of
		}
	}
	return "", ""
}
