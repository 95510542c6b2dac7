package people

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"vitrine/internal/shop"
	"vitrine/internal/store"
)

// Refusals of groups of customers.
var (
	ErrCustomerGroupNotFound = shop.Refuse(shop.NotFound, "CUSTOMER_GROUP_NOT_FOUND").When("the shop has no group of customers with this id")
	ErrCustomerGroupTaken    = shop.Refuse(shop.AlreadyExists, "CUSTOMER_GROUP_TAKEN").When("another group of customers has this name")
	ErrCustomerGroupLimit    = shop.Refuse(shop.FailedPrecondition, "CUSTOMER_GROUP_LIMIT").When("the shop has 100 groups of customers already")
	ErrCustomerGroupInUse    = shop.Refuse(shop.FailedPrecondition, "CUSTOMER_GROUP_IN_USE").When("a promotion or an access policy is for the group; the detail names it")
)

// MaxCustomerGroups is how many groups of customers a shop may have.
const MaxCustomerGroups = 100

// CustomerGroup is a group of customers that promotions and policies can address. With a
// rule its members are the customers that match the rule at any moment, without one those
// who were assigned.
type CustomerGroup struct {
	ID            shop.CustomerGroupID
	Name          string
	SpentMoreThan *int64     // a rule, in minor units of the shop's currency
	OrderedSince  *time.Time // another rule; at most one of them is set
	CreatedAt     time.Time
	UpdatedAt     time.Time
}

// HasRule reports whether a rule decides who is in the group.
func (g CustomerGroup) HasRule() bool { return g.SpentMoreThan != nil || g.OrderedSince != nil }

const customerGroupColumns = `id, name, spent_more_than, ordered_since, created_at, updated_at`

// CustomerGroups returns all groups of customers, oldest first.
func CustomerGroups(ctx context.Context, r store.Reader) ([]CustomerGroup, error) {
	rows, err := r.DB.Query(ctx, `SELECT `+customerGroupColumns+` FROM customer_group WHERE company_id = $1 ORDER BY id`, r.Company)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowToStructByPos[CustomerGroup])
}

// CountCustomersOf counts the customers that the rule of a group matches.
func CountCustomersOf(ctx context.Context, r store.Reader, g CustomerGroup) (n int, err error) {
	err = r.DB.QueryRow(ctx, `
		SELECT count(*) FROM customer c WHERE c.company_id = $1 AND c.erased_at IS NULL AND (c.spent > $2 OR c.last_order_at >= $3)`,
		r.Company, g.SpentMoreThan, g.OrderedSince).Scan(&n)
	return n, err
}

// GetCustomerGroup reads one group of customers.
func GetCustomerGroup(ctx context.Context, r store.Reader, id shop.CustomerGroupID) (CustomerGroup, error) {
	return collectCustomerGroup(r.DB.Query(ctx, `SELECT `+customerGroupColumns+` FROM customer_group WHERE company_id = $1 AND id = $2`, r.Company, id))
}

func collectCustomerGroup(rows pgx.Rows, err error) (g CustomerGroup, _ error) {
	if err != nil {
		return g, err
	}
	g, err = pgx.CollectExactlyOneRow(rows, pgx.RowToStructByPos[CustomerGroup])
	switch {
	case store.NoRow(err):
		err = ErrCustomerGroupNotFound
	case store.UniqueViolation(err, "customer_group_name"):
		err = ErrCustomerGroupTaken
	}
	return g, err
}

// UnknownCustomerGroups returns those of the ids that are not groups of the shop.
func UnknownCustomerGroups(ctx context.Context, r store.Reader, ids []shop.CustomerGroupID) ([]shop.CustomerGroupID, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	rows, err := r.DB.Query(ctx, `
		SELECT a.id FROM unnest($2::bigint[]) WITH ORDINALITY a(id, n)
		WHERE NOT EXISTS (SELECT FROM customer_group g WHERE g.company_id = $1 AND g.id = a.id) ORDER BY a.n`, r.Company, ids)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowTo[shop.CustomerGroupID])
}

// SaveCustomerGroup inserts a group without an id and updates one that has an id. The
// caller holds LockPricing. A group that gets a rule loses its assigned members.
func SaveCustomerGroup(ctx context.Context, tx *store.Tx, g CustomerGroup) (CustomerGroup, error) {
	if g.ID == 0 {
		var n int
		if err := tx.DB.QueryRow(ctx, `SELECT count(*) FROM customer_group WHERE company_id = $1`, tx.Company).Scan(&n); err != nil {
			return g, err
		}
		if n >= MaxCustomerGroups {
			return g, ErrCustomerGroupLimit
		}
		return collectCustomerGroup(tx.DB.Query(ctx, `
			INSERT INTO customer_group (company_id, name, spent_more_than, ordered_since) VALUES ($1, $2, $3, $4) RETURNING `+customerGroupColumns,
			tx.Company, g.Name, g.SpentMoreThan, g.OrderedSince))
	}
	if g.HasRule() {
		if _, err := tx.DB.Exec(ctx, `DELETE FROM customer_member WHERE company_id = $1 AND group_id = $2`, tx.Company, g.ID); err != nil {
			return g, err
		}
	}
	return collectCustomerGroup(tx.DB.Query(ctx, `
		UPDATE customer_group SET name = $3, spent_more_than = $4, ordered_since = $5, updated_at = now() WHERE company_id = $1 AND id = $2
		RETURNING `+customerGroupColumns, tx.Company, g.ID, g.Name, g.SpentMoreThan, g.OrderedSince))
}

// DeleteCustomerGroup deletes a group that no promotion and no policy uses. The caller
// holds LockPricing and LockPolicies. Its members remain customers.
func DeleteCustomerGroup(ctx context.Context, tx *store.Tx, id shop.CustomerGroupID) error {
	var used string
	err := tx.DB.QueryRow(ctx, `
		SELECT 'promotion ' || name FROM promotion WHERE company_id = $1 AND deleted_at IS NULL AND conditions -> 'customer_group_ids' @> to_jsonb($2::bigint::text)
		UNION ALL SELECT 'access policy ' || name FROM access_policy WHERE company_id = $1 AND $2 = ANY(group_ids)
		ORDER BY 1 LIMIT 1`, tx.Company, id).Scan(&used)
	switch {
	case err == nil:
		return ErrCustomerGroupInUse.With("the " + used + " is for it")
	case !store.NoRow(err):
		return err
	}
	tag, err := tx.DB.Exec(ctx, `DELETE FROM customer_group WHERE company_id = $1 AND id = $2`, tx.Company, id)
	if err == nil && tag.RowsAffected() == 0 {
		err = ErrCustomerGroupNotFound
	}
	return err
}
