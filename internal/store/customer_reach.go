package store

import (
	"context"

	"vitrine/internal/shop"
)

// groupsOf are the groups in the shop $1 of the person that an expression names: those
// that the customer of their address was put into, and those whose rule fits. An address
// counts when it was proven: anybody can give any address with an order.
func groupsOf(person string) string {
	return `ARRAY(
		WITH me AS (
			SELECT c.* FROM person p JOIN customer c ON c.company_id = $1 AND c.email = lower(p.email)
			WHERE p.id = ` + person + ` AND p.email <> '' AND p.proven_at IS NOT NULL)
		SELECT unnest(` + groupsIn("me") + `) FROM me)`
}

// groupsIn are the groups of a row of customers in the shop $1.
func groupsIn(row string) string {
	return `ARRAY(
		SELECT m.group_id FROM customer_member m WHERE m.company_id = $1 AND m.customer_id = ` + row + `.id
		UNION
		SELECT g.id FROM customer_group g WHERE g.company_id = $1
			AND (` + row + `.spent > g.spent_more_than OR ` + row + `.last_order_at >= g.ordered_since)
		ORDER BY 1)`
}

// CustomerGroupsOf says whether a person is known to the shop, and the groups that they
// are in, by rising ids. Who did not prove an address is not known and in no group. Known
// is whose address a customer has, and who made an order, whatever address it gave.
func (r Reader) CustomerGroupsOf(ctx context.Context, person shop.UserID) (known bool, groups []shop.CustomerGroupID, err error) {
	err = r.q.QueryRow(ctx, `
		SELECT EXISTS (SELECT FROM person p WHERE p.id = $2 AND p.email <> '' AND p.proven_at IS NOT NULL AND (
				EXISTS (SELECT FROM customer c WHERE c.company_id = $1 AND c.email = lower(p.email))
				OR EXISTS (SELECT FROM shop_order o WHERE o.company_id = $1 AND o.person_id = p.id AND o.customer_id IS NOT NULL))),
			`+groupsOf("$2"), r.Company, person).Scan(&known, &groups)
	return known, groups, err
}
