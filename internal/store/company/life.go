package company

import (
	"context"
	"fmt"
	"slices"

	"vitrine/internal/shop"
	"vitrine/internal/store"
)

// Companies lists every shop by its slug, for the operator.
func Companies(ctx context.Context, s *store.Store) ([]Company, error) {
	rows, err := s.Pool.Query(ctx, `SELECT `+companyColumns+` FROM company c ORDER BY c.slug`)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var list []Company
	for rows.Next() {
		c, err := scanCompany(rows)
		if err != nil {
			return nil, err
		}
		list = append(list, c)
	}
	return list, rows.Err()
}

// Rename gives the shop another slug and name. Its old address is free from then on.
func Rename(ctx context.Context, tx *store.Tx, slug, name string) error {
	tx.Changed(shop.Key{Kind: shop.KeyShop})
	_, err := tx.DB.Exec(ctx, `UPDATE company SET slug = $2, name = $3 WHERE id = $1`, tx.Company, slug, name)
	if store.UniqueViolation(err, "company_slug_key") {
		return ErrShopSlugTaken.With(slug)
	}
	return err
}

// DeleteCompany removes a shop with every row that belongs to it, all or nothing, and
// returns how many rows of each table were removed. People stay, because they may work
// elsewhere; the collector deletes bytes that are no longer referenced. The tables are read
// from the database catalogue, as for a backup, so that tables of new migrations are
// included.
func DeleteCompany(ctx context.Context, s *store.Store, id shop.CompanyID) (removed map[string]int64, err error) {
	tables, err := TenantTables(ctx, s)
	if err != nil {
		return nil, err
	}
	removed = map[string]int64{}
	err = s.Write(ctx, id, func(tx *store.Tx) error {
		// Concurrent writers to the shop wait here, and then find no shop.
		var slug string
		err := tx.DB.QueryRow(ctx, `SELECT slug FROM company WHERE id = $1 FOR UPDATE`, id).Scan(&slug)
		if store.NoRow(err) {
			return store.ErrShopNotFound
		}
		if err != nil {
			return err
		}
		for _, t := range slices.Backward(tables) { // referencing tables before referenced ones
			tag, err := tx.DB.Exec(ctx, `DELETE FROM `+t.Ident()+` WHERE company_id = $1`, id)
			if err != nil {
				return fmt.Errorf("rows of %s: %w", t.Name, err)
			}
			if n := tag.RowsAffected(); n > 0 {
				removed[t.Name] = n
			}
		}
		_, err = tx.DB.Exec(ctx, `DELETE FROM company WHERE id = $1`, id)
		return err
	})
	return removed, err
}
