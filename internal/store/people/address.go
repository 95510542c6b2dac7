package people

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"vitrine/internal/shop"
	"vitrine/internal/store"
)

// Refusals of the address book.
var (
	ErrAddressNotFound = shop.Refuse(shop.NotFound, "ADDRESS_NOT_FOUND").When("the person has no such address in this shop")
	ErrAddressLimit    = shop.Refuse(shop.FailedPrecondition, "ADDRESS_LIMIT").When("the person has 50 addresses in this shop already")
)

// maxAddresses is how many addresses a person keeps in a shop.
const maxAddresses = 50

// Address is an entry of a person's address book in a shop.
type Address struct {
	ID        shop.AddressID
	Name      string
	Phone     string
	Country   string
	Region    string
	City      string
	Street    string
	Postcode  string
	Comment   string
	IsDefault bool
	UpdatedAt time.Time
}

const addressColumns = `id, name, phone, country, region, city, street, postcode, comment, is_default, updated_at`

// Addresses lists the addresses of a person, the default one first.
func Addresses(ctx context.Context, r store.Reader, person shop.UserID) ([]Address, error) {
	rows, err := r.DB.Query(ctx, `
		SELECT `+addressColumns+` FROM person_address WHERE company_id = $1 AND person_id = $2 ORDER BY is_default DESC, id`, r.Company, person)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowToStructByPos[Address])
}

// ShopOfAddress returns the shop in whose address book a person has an address. If several have one
// with the id, the caller must name the shop.
func ShopOfAddress(ctx context.Context, s *store.Store, person shop.UserID, id shop.AddressID) (company shop.CompanyID, err error) {
	company, err = s.OnlyShop(ctx, `SELECT company_id FROM person_address WHERE person_id = $1 AND id = $2 LIMIT 2`, person, id)
	if err == nil && company == 0 {
		err = ErrAddressNotFound
	}
	return company, err
}

// LockAddress is GetAddress for an edit: the address book of the person does not change until the
// end of the transaction.
func LockAddress(ctx context.Context, tx *store.Tx, person shop.UserID, id shop.AddressID) (Address, error) {
	if _, err := tx.DB.Exec(ctx, `SELECT FROM person WHERE id = $1 FOR NO KEY UPDATE`, person); err != nil {
		return Address{}, err
	}
	return GetAddress(ctx, tx.Reader, person, id)
}

// GetAddress reads one address of a person; id 0 returns an empty, new one.
func GetAddress(ctx context.Context, r store.Reader, person shop.UserID, id shop.AddressID) (a Address, err error) {
	if id == 0 {
		return a, nil
	}
	rows, err := r.DB.Query(ctx, `
		SELECT `+addressColumns+` FROM person_address WHERE company_id = $1 AND person_id = $2 AND id = $3`, r.Company, person, id)
	if err != nil {
		return a, err
	}
	a, err = pgx.CollectExactlyOneRow(rows, pgx.RowToStructByPos[Address])
	if store.NoRow(err) {
		err = ErrAddressNotFound
	}
	return a, err
}

// SaveAddress inserts an address of LockAddress without an id and updates one that has an id. At
// most one address is the default; the first one becomes it.
func SaveAddress(ctx context.Context, tx *store.Tx, person shop.UserID, a Address) (Address, error) {
	existing, err := Addresses(ctx, tx.Reader, person)
	if err != nil {
		return a, err
	}
	if a.ID == 0 && len(existing) >= maxAddresses {
		return a, ErrAddressLimit
	}
	a.IsDefault = a.IsDefault || len(existing) == 0
	if a.IsDefault {
		if _, err := tx.DB.Exec(ctx, `
			UPDATE person_address SET is_default = false, updated_at = now() WHERE company_id = $1 AND person_id = $2 AND is_default AND id <> $3`,
			tx.Company, person, a.ID); err != nil {
			return a, err
		}
	}
	return putAddress(ctx, tx, person, a)
}

func putAddress(ctx context.Context, tx *store.Tx, person shop.UserID, a Address) (Address, error) {
	args := []any{tx.Company, person, a.Name, a.Phone, a.Country, a.Region, a.City, a.Street, a.Postcode, a.Comment, a.IsDefault}
	sql := `INSERT INTO person_address (company_id, person_id, name, phone, country, region, city, street, postcode, comment, is_default)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11) RETURNING ` + addressColumns
	if a.ID != 0 {
		sql = `UPDATE person_address SET name = $3, phone = $4, country = $5, region = $6, city = $7, street = $8, postcode = $9, comment = $10,
			is_default = $11, updated_at = now() WHERE company_id = $1 AND person_id = $2 AND id = $12 RETURNING ` + addressColumns
		args = append(args, a.ID)
	}
	rows, err := tx.DB.Query(ctx, sql, args...)
	if err != nil {
		return a, err
	}
	saved, err := pgx.CollectExactlyOneRow(rows, pgx.RowToStructByPos[Address])
	if store.NoRow(err) {
		err = ErrAddressNotFound
	}
	return saved, err
}

// DeleteAddress deletes an address and reports whether there was one.
func DeleteAddress(ctx context.Context, tx *store.Tx, person shop.UserID, id shop.AddressID) (bool, error) {
	tag, err := tx.DB.Exec(ctx, `DELETE FROM person_address WHERE company_id = $1 AND person_id = $2 AND id = $3`, tx.Company, person, id)
	return tag.RowsAffected() > 0, err
}
