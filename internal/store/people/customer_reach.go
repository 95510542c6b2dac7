package people

import (
	"context"

	"vitrine/internal/shop"
	"vitrine/internal/store"
)

// GroupsOfPerson is an expression for the groups in shop $1 of the person that an expression
// names: those to which the customer with their address was assigned, and those whose rule
// matches. An address counts only when it was verified: anybody can give any address with
// an order.
func GroupsOfPerson(person string) string {
	return `ARRAY(
		WITH me AS (
			SELECT c.* FROM person p JOIN customer c ON c.company_id = $1 AND c.email = lower(p.email)
			WHERE p.id = ` + person + ` AND p.email <> '' AND p.proven_at IS NOT NULL)
		SELECT unnest(` + groupsOfRow("me") + `) FROM me)`
}

// groupsOfRow is an expression for the groups of a row of customers in shop $1.
func groupsOfRow(row string) string {
	return `ARRAY(
		SELECT m.group_id FROM customer_member m WHERE m.company_id = $1 AND m.customer_id = ` + row + `.id
		UNION
		SELECT g.id FROM customer_group g WHERE g.company_id = $1
			AND (` + row + `.spent > g.spent_more_than OR ` + row + `.last_order_at >= g.ordered_since)
		ORDER BY 1)`
}

// CustomerGroupsOf reports whether a person is known to the shop, and returns their groups
// by ascending ids. A person is known if a customer has their address or if they made an
// order, whatever address it gave. A person without a verified address is not known and in
// no group.
func CustomerGroupsOf(ctx context.Context, r store.Reader, person shop.UserID) (known bool, groups []shop.CustomerGroupID, err error) {
	err = r.DB.QueryRow(ctx, `
		SELECT EXISTS (SELECT FROM person p WHERE p.id = $2 AND p.email <> '' AND p.proven_at IS NOT NULL AND (
				EXISTS (SELECT FROM customer c WHERE c.company_id = $1 AND c.email = lower(p.email))
				OR EXISTS (SELECT FROM shop_order o WHERE o.company_id = $1 AND o.person_id = p.id AND o.customer_id IS NOT NULL))),
			`+GroupsOfPerson("$2"), r.Company, person).Scan(&known, &groups)
	return known, groups, err
}
