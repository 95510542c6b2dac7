package store

import (
	"context"

	"vitrine/internal/shop"
)

// groupsOf are the groups of the person $2 in the shop $1: those that the customer of
// their address was put into, and those whose rule fits. An address counts when it was
// proven: anybody can give any address with an order.
const groupsOf = `ARRAY(
	WITH me AS (
		SELECT c.id, c.spent, c.last_order_at FROM person p JOIN customer c ON c.company_id = $1 AND c.email = lower(p.email)
		WHERE p.id = $2 AND p.email <> '' AND p.proven_at IS NOT NULL)
	SELECT m.group_id FROM me JOIN customer_member m ON m.company_id = $1 AND m.customer_id = me.id
	UNION
	SELECT g.id FROM me JOIN customer_group g ON g.company_id = $1 AND (me.spent > g.spent_more_than OR me.last_order_at >= g.ordered_since)
	ORDER BY 1)`

// CustomerGroupsOf says whether a person is known to the shop, and the groups that they
// are in, by rising ids. Who did not prove an address is not known and in no group. Known
// is whose address a customer has, and who made an order, whatever address it gave.
func (r Reader) CustomerGroupsOf(ctx context.Context, person shop.UserID) (known bool, groups []shop.CustomerGroupID, err error) {
	err = r.q.QueryRow(ctx, `
		SELECT EXISTS (SELECT FROM person p WHERE p.id = $2 AND p.email <> '' AND p.proven_at IS NOT NULL AND (
				EXISTS (SELECT FROM customer c WHERE c.company_id = $1 AND c.email = lower(p.email))
				OR EXISTS (SELECT FROM shop_order o WHERE o.company_id = $1 AND o.person_id = p.id AND o.customer_id IS NOT NULL))),
			`+groupsOf, r.Company, person).Scan(&known, &groups)
	return known, groups, err
}
