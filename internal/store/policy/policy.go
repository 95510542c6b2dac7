package policy

import (
	"context"
	"crypto/subtle"
	"time"

	"github.com/jackc/pgx/v5"

	"vitrine/internal/shop"
	"vitrine/internal/store"
)

// Refusals of access policies.
var (
	ErrNotFound      = shop.Refuse(shop.NotFound, "ACCESS_POLICY_NOT_FOUND").When("no access policy of the shop has this id")
	ErrGrantNotFound = shop.Refuse(shop.NotFound, "ACCESS_PASSWORD_NOT_FOUND").When("the policy has no password with this id")
	ErrLimit         = shop.Refuse(shop.FailedPrecondition, "ACCESS_POLICY_LIMIT").When("the shop has 50 access policies already, or the policy 200 passwords")
)

// Bounds of access policies.
const (
	Max       = 50 // of a shop
	MaxGrants = 200
)

// Policy closes resources to visitors who have not unlocked it (CONTRACT-COMMERCE,
// "Customers, closed resources, statistics").
type Policy struct {
	ID        shop.PolicyID
	Name      string
	Kind      shop.PolicyKind
	Groups    []shop.CustomerGroupID
	Title     string // of the page shown instead of a closed one
	Text      string
	CreatedAt time.Time
	UpdatedAt time.Time

	Resources []Resource // not deleted; deleted ones are still closed when restored
	Grants    []Grant    // the newest first
}

// Resource is a resource that a policy closes: an id with its type, category,
// product, article or site_folder.
type Resource struct {
	Type string
	ID   int32
	Name string // when read
}

// Grant is a password of a policy; only its hash is stored.
type Grant struct {
	ID        shop.GrantID
	Label     string
	ExpiresAt *time.Time
	Uses      *int // how often it can be used; nil: unlimited
	Used      int
	CreatedAt time.Time
}

const policyColumns = `id, name, kind, group_ids, title, text, created_at, updated_at`

// List lists the policies of the shop, newest first, with their resources and
// passwords, and counts them. A limit of 0 returns all.
func List(ctx context.Context, r store.Reader, limit, offset int) (list []Policy, total int, err error) {
	if err := r.DB.QueryRow(ctx, `SELECT count(*) FROM access_policy WHERE company_id = $1`, r.Company).Scan(&total); err != nil || total <= offset {
		return nil, total, err
	}
	list, err = policies(ctx, r, `ORDER BY id DESC LIMIT nullif($2, 0) OFFSET $3`, limit, offset)
	return list, total, err
}

// Get reads one policy with its resources and passwords.
func Get(ctx context.Context, r store.Reader, id shop.PolicyID) (p Policy, err error) {
	return firstPolicy(policies(ctx, r, `AND id = $2`, id))
}

// Lock reads and locks a policy.
func Lock(ctx context.Context, tx *store.Tx, id shop.PolicyID) (Policy, error) {
	return firstPolicy(policies(ctx, tx.Reader, `AND id = $2 FOR UPDATE`, id))
}

func firstPolicy(list []Policy, err error) (p Policy, _ error) {
	if err == nil && len(list) == 0 {
		err = ErrNotFound
	}
	if err != nil {
		return p, err
	}
	return list[0], nil
}

func policies(ctx context.Context, r store.Reader, condition string, args ...any) ([]Policy, error) {
	rows, err := r.DB.Query(ctx, `SELECT `+policyColumns+` FROM access_policy WHERE company_id = $1 `+condition, append([]any{r.Company}, args...)...)
	if err != nil {
		return nil, err
	}
	list, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (p Policy, err error) {
		return p, row.Scan(&p.ID, &p.Name, &p.Kind, &p.Groups, &p.Title, &p.Text, &p.CreatedAt, &p.UpdatedAt)
	})
	if err != nil || len(list) == 0 {
		return nil, err
	}
	ids, byID := make([]shop.PolicyID, len(list)), make(map[shop.PolicyID]*Policy, len(list))
	for i := range list {
		ids[i], byID[list[i].ID] = list[i].ID, &list[i]
	}
	if err := policyResources(ctx, r, ids, byID); err != nil {
		return nil, err
	}
	return list, policyGrants(ctx, r, ids, byID)
}

func policyResources(ctx context.Context, r store.Reader, ids []shop.PolicyID, into map[shop.PolicyID]*Policy) error {
	rows, err := r.DB.Query(ctx, `
		SELECT a.policy_id, a.type, coalesce(a.category_id, a.product_id, a.article_id), coalesce(
			(SELECT name FROM category WHERE company_id = $1 AND id = a.category_id), (SELECT name FROM product WHERE company_id = $1 AND id = a.product_id),
			(SELECT title FROM article WHERE company_id = $1 AND id = a.article_id)) FROM access_resource a
		WHERE a.company_id = $1 AND a.policy_id = ANY($2) AND `+existingResource+` ORDER BY a.policy_id, a.n`, r.Company, ids)
	if err != nil {
		return err
	}
	var policy shop.PolicyID
	var one Resource
	_, err = pgx.ForEachRow(rows, []any{&policy, &one.Type, &one.ID, &one.Name}, func() error {
		into[policy].Resources = append(into[policy].Resources, one)
		return nil
	})
	return err
}

// existingResource is a condition: resource a exists and is not deleted.
const existingResource = `(EXISTS (SELECT FROM category c WHERE c.company_id = $1 AND c.id = a.category_id AND c.deleted_at IS NULL)
	OR EXISTS (SELECT FROM product p WHERE p.company_id = $1 AND p.id = a.product_id AND p.deleted_at IS NULL)
	OR EXISTS (SELECT FROM article t WHERE t.company_id = $1 AND t.id = a.article_id AND t.deleted_at IS NULL))`

func policyGrants(ctx context.Context, r store.Reader, ids []shop.PolicyID, into map[shop.PolicyID]*Policy) error {
	rows, err := r.DB.Query(ctx, `
		SELECT policy_id, `+grantColumns+` FROM access_grant WHERE company_id = $1 AND policy_id = ANY($2) ORDER BY policy_id, id DESC`, r.Company, ids)
	if err != nil {
		return err
	}
	var policy shop.PolicyID
	var g Grant
	_, err = pgx.ForEachRow(rows, []any{&policy, &g.ID, &g.Label, &g.ExpiresAt, &g.Uses, &g.Used, &g.CreatedAt}, func() error {
		into[policy].Grants = append(into[policy].Grants, g)
		return nil
	})
	return err
}

const grantColumns = `id, label, expires_at, uses, used, created_at`

// Save inserts a policy without an id and updates one that has an id. The caller
// holds LockPolicies; nil resources are left unchanged. Pages are rendered again, since
// other resources may be closed.
func Save(ctx context.Context, tx *store.Tx, p Policy) (Policy, error) {
	args := []any{tx.Company, p.Name, p.Kind, p.Groups, p.Title, p.Text}
	var err error
	if p.ID == 0 {
		err = tx.DB.QueryRow(ctx, `
			INSERT INTO access_policy (company_id, name, kind, group_ids, title, text) SELECT $1, $2, $3, $4, $5, $6
			WHERE (SELECT count(*) FROM access_policy WHERE company_id = $1) < $7 RETURNING id`, append(args, Max)...).Scan(&p.ID)
		if store.NoRow(err) {
			err = ErrLimit.With("50 access policies")
		}
	} else {
		var rows int64
		rows, err = exec(ctx, tx, `
			UPDATE access_policy SET name = $2, kind = $3, group_ids = $4, title = $5, text = $6, updated_at = now()
			WHERE company_id = $1 AND id = $7`, append(args, p.ID)...)
		if err == nil && rows == 0 {
			err = ErrNotFound
		}
	}
	if err != nil {
		return p, err
	}
	if p.Resources != nil {
		if err := setPolicyResources(ctx, tx, p.ID, p.Resources); err != nil {
			return p, err
		}
	}
	tx.Changed(shop.Key{Kind: shop.KeyAccess}, shop.Key{Kind: shop.KeyCategories})
	return Get(ctx, tx.Reader, p.ID)
}

func exec(ctx context.Context, tx *store.Tx, sql string, args ...any) (int64, error) {
	tag, err := tx.DB.Exec(ctx, sql, args...)
	return tag.RowsAffected(), err
}

// setPolicyResources replaces the resources of a policy. Deleted resources stay in it.
func setPolicyResources(ctx context.Context, tx *store.Tx, policy shop.PolicyID, list []Resource) error {
	if _, err := tx.DB.Exec(ctx, `
		DELETE FROM access_resource a WHERE a.company_id = $1 AND a.policy_id = $2 AND `+existingResource, tx.Company, policy); err != nil {
		return err
	}
	types, ids := make([]string, len(list)), make([]int32, len(list))
	for i, r := range list {
		types[i], ids[i] = r.Type, r.ID
	}
	_, err := tx.DB.Exec(ctx, `
		INSERT INTO access_resource (company_id, policy_id, n, type, category_id, product_id, article_id)
		SELECT $1, $2, (SELECT coalesce(max(n), 0) FROM access_resource WHERE company_id = $1 AND policy_id = $2) + r.n, r.type,
			CASE WHEN r.type IN ('category', 'site_folder') THEN r.id END, CASE r.type WHEN 'product' THEN r.id END, CASE r.type WHEN 'article' THEN r.id END
		FROM unnest($3::text[], $4::integer[]) WITH ORDINALITY r(type, id, n)`, tx.Company, policy, types, ids)
	return err
}

// UnknownResource returns the first of some resources that the shop does not have, or not
// with that type.
func UnknownResource(ctx context.Context, r store.Reader, list []Resource) (unknown Resource, found bool, err error) {
	types, ids := make([]string, len(list)), make([]int32, len(list))
	for i, one := range list {
		types[i], ids[i] = one.Type, one.ID
	}
	err = r.DB.QueryRow(ctx, `
		SELECT q.type, q.id FROM unnest($2::text[], $3::integer[]) WITH ORDINALITY q(type, id, n)
		WHERE NOT CASE q.type
			WHEN 'product' THEN EXISTS (SELECT FROM product p WHERE p.company_id = $1 AND p.id = q.id AND p.deleted_at IS NULL)
			WHEN 'article' THEN EXISTS (SELECT FROM article t WHERE t.company_id = $1 AND t.id = q.id AND t.deleted_at IS NULL)
			ELSE EXISTS (SELECT FROM category c WHERE c.company_id = $1 AND c.id = q.id AND c.deleted_at IS NULL
				AND (q.type = 'category' OR c.type = 'site')) END
		ORDER BY q.n LIMIT 1`, r.Company, types, ids).Scan(&unknown.Type, &unknown.ID)
	if store.NoRow(err) {
		return unknown, false, nil
	}
	return unknown, err == nil, err
}

// UnknownGroup returns the first of some groups of customers that the shop does not have.
func UnknownGroup(ctx context.Context, r store.Reader, ids []shop.CustomerGroupID) (unknown shop.CustomerGroupID, found bool, err error) {
	err = r.DB.QueryRow(ctx, `
		SELECT q.id FROM unnest($2::bigint[]) q(id)
		WHERE NOT EXISTS (SELECT FROM customer_group g WHERE g.company_id = $1 AND g.id = q.id) LIMIT 1`, r.Company, ids).Scan(&unknown)
	if store.NoRow(err) {
		return unknown, false, nil
	}
	return unknown, err == nil, err
}

// Delete opens the resources of a policy, and deletes its passwords.
func Delete(ctx context.Context, tx *store.Tx, id shop.PolicyID) error {
	deleted, err := exec(ctx, tx, `DELETE FROM access_policy WHERE company_id = $1 AND id = $2`, tx.Company, id)
	if err == nil && deleted == 0 {
		err = ErrNotFound
	}
	if err != nil {
		return err
	}
	tx.Changed(shop.Key{Kind: shop.KeyAccess}, shop.Key{Kind: shop.KeyCategories})
	return nil
}

// Salt returns the salt of a policy's password hashes.
func Salt(ctx context.Context, r store.Reader, id shop.PolicyID) (salt []byte, err error) {
	err = r.DB.QueryRow(ctx, `SELECT salt FROM access_policy WHERE company_id = $1 AND id = $2`, r.Company, id).Scan(&salt)
	if store.NoRow(err) {
		err = ErrNotFound
	}
	return salt, err
}

// AddGrant adds a password to a locked policy by its hash.
func AddGrant(ctx context.Context, tx *store.Tx, policy shop.PolicyID, g Grant, hash []byte) (Grant, error) {
	err := tx.DB.QueryRow(ctx, `
		INSERT INTO access_grant (company_id, policy_id, label, hash, expires_at, uses) SELECT $1, $2, $3, $4, $5, $6
		WHERE (SELECT count(*) FROM access_grant WHERE company_id = $1 AND policy_id = $2) < $7 RETURNING `+grantColumns,
		tx.Company, policy, g.Label, hash, g.ExpiresAt, g.Uses, MaxGrants).Scan(&g.ID, &g.Label, &g.ExpiresAt, &g.Uses, &g.Used, &g.CreatedAt)
	if store.NoRow(err) {
		err = ErrLimit.With("200 passwords of one policy")
	}
	if err != nil {
		return g, err
	}
	tx.Changed(shop.Key{Kind: shop.KeyAccess})
	return g, touchPolicy(ctx, tx, policy)
}

// touchPolicy records that the passwords of a locked policy were edited.
func touchPolicy(ctx context.Context, tx *store.Tx, id shop.PolicyID) error {
	_, err := exec(ctx, tx, `UPDATE access_policy SET updated_at = now() WHERE company_id = $1 AND id = $2`, tx.Company, id)
	return err
}

// DeleteGrant deletes a password; those who used it lose access.
func DeleteGrant(ctx context.Context, tx *store.Tx, policy shop.PolicyID, id shop.GrantID) error {
	deleted, err := exec(ctx, tx, `DELETE FROM access_grant WHERE company_id = $1 AND policy_id = $2 AND id = $3`, tx.Company, policy, id)
	if err == nil && deleted == 0 {
		err = ErrGrantNotFound
	}
	if err != nil {
		return err
	}
	tx.Changed(shop.Key{Kind: shop.KeyAccess})
	return touchPolicy(ctx, tx, policy)
}

// UseGrant uses a password of a policy once, given by its hash, if it is not expired at a
// moment and has uses left; id is 0 when none matches. Of several equal passwords the one
// added first is used. Every hash of the policy is compared, and the use is counted by one
// statement, so that concurrent visitors cannot exceed the limit.
func UseGrant(ctx context.Context, tx *store.Tx, policy shop.PolicyID, hash []byte, now time.Time) (id shop.GrantID, err error) {
	rows, err := tx.DB.Query(ctx, `
		SELECT id, hash FROM access_grant WHERE company_id = $1 AND policy_id = $2 AND (expires_at IS NULL OR expires_at > $3) ORDER BY id`,
		tx.Company, policy, now)
	if err != nil {
		return 0, err
	}
	var matching []shop.GrantID
	var grant shop.GrantID
	var stored []byte
	if _, err = pgx.ForEachRow(rows, []any{&grant, &stored}, func() error {
		if subtle.ConstantTimeCompare(stored, hash) == 1 {
			matching = append(matching, grant)
		}
		return nil
	}); err != nil {
		return 0, err
	}
	for _, g := range matching {
		taken, err := exec(ctx, tx, `
			UPDATE access_grant SET used = used + 1 WHERE company_id = $1 AND policy_id = $2 AND id = $3
			AND (uses IS NULL OR used < uses) AND (expires_at IS NULL OR expires_at > $4)`, tx.Company, policy, g, now)
		if err != nil || taken > 0 {
			return g, err
		}
	}
	return 0, nil
}
