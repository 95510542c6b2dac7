package store

import "context"

// LockOrder is the order of advisory locks, by name: the shops opened from a network, then those
// of a shop: its members, its draft, its tree of sections, its design bindings, its collections, slugs and skus of products, its
// promotions and pricing rules, its access policies, its redirect set, its webhooks, shards
// of the blob store from which objects may be deleted, the account of its storage, and the
// letter counts of one recipient. A transaction that holds one never waits for an earlier
// one.
var LockOrder = []string{"openings", "members", "draft", "tree", "design", "collections", "products", "pricing", "policies", "rules", "webhooks", "objects", "storage", "letters"}

// LockStorage serialises changes of a shop's storage account. A transaction that also locks
// releases or files locks those first.
func (tx *Tx) LockStorage(ctx context.Context) error {
	_, err := tx.DB.Exec(ctx, `SELECT pg_advisory_xact_lock(hashtextextended('storage:' || $1::text, 0))`, tx.Company)
	return err
}

// LockCollections lets one transaction at a time change the shop's collections: a move is
// checked against the whole tree.
func (tx *Tx) LockCollections(ctx context.Context) error {
	_, err := tx.DB.Exec(ctx, `SELECT pg_advisory_xact_lock(hashtextextended('collections:' || $1::text, 0))`, tx.Company)
	return err
}

// LockDesign serialises the writers of one shop's bindings until the end of the
// transaction, so that a change event reports the right difference.
func (tx *Tx) LockDesign(ctx context.Context) error {
	_, err := tx.DB.Exec(ctx, `SELECT pg_advisory_xact_lock(hashtextextended('design:' || $1::text, 0))`, tx.Company)
	return err
}

// LockDraft serialises the writers of one shop's draft, publishing included, until the end
// of the transaction. It is the first lock: in the draft it replaces row locks, which views
// over two tables do not support.
func (tx *Tx) LockDraft(ctx context.Context) error {
	_, err := tx.DB.Exec(ctx, `SELECT pg_advisory_xact_lock(hashtextextended('draft:' || $1::integer::text, 0))`, tx.Company)
	return err
}

// LockMembers serialises everything that depends on roles in the shop: changes of members
// and the granting of keys. It is taken before other locks.
func (tx *Tx) LockMembers(ctx context.Context) error {
	_, err := tx.DB.Exec(ctx, `SELECT pg_advisory_xact_lock(hashtextextended('members:' || $1::integer::text, 0))`, tx.Company)
	return err
}

// LockPolicies serialises the writers of the shop's policies, so that checks still hold
// when the policies are written.
func (tx *Tx) LockPolicies(ctx context.Context) error {
	_, err := tx.DB.Exec(ctx, `SELECT pg_advisory_xact_lock(hashtextextended('policies:' || $1::integer::text, 0))`, tx.Company)
	return err
}

// LockPricing serialises changes of the promotions and rules of a shop: their number is
// limited, and no two active rules may name the same product.
func (tx *Tx) LockPricing(ctx context.Context) error {
	_, err := tx.DB.Exec(ctx, `SELECT pg_advisory_xact_lock(hashtextextended('pricing:' || $1::integer::text, 0))`, tx.Company)
	return err
}

// LockProductCreation serialises, until the end of the transaction, writers that take
// slugs, skus or plan capacity for products of one shop: two batches neither wait for each
// other's slugs nor both take the last free place of the plan. It comes before the rows of
// products.
func (tx *Tx) LockProductCreation(ctx context.Context) error {
	_, err := tx.DB.Exec(ctx, ProductCreationLock, tx.Company)
	return err
}

// ProductCreationLock is the statement of LockProductCreation, for a batch; $1 is the shop.
const ProductCreationLock = `SELECT pg_advisory_xact_lock(hashtextextended('products:' || $1::integer::text, 0))`

// LockTree serialises the writers of one shop's category tree until the end of the
// transaction, so that a check of the tree still holds when it is written.
func (tx *Tx) LockTree(ctx context.Context) error {
	_, err := tx.DB.Exec(ctx, `SELECT pg_advisory_xact_lock(hashtextextended('tree:' || $1::integer::text, 0))`, tx.Company)
	return err
}

// LockRules serialises the writers of one shop's redirect set and returns the version of
// the set.
func (tx *Tx) LockRules(ctx context.Context) (version int64, err error) {
	if _, err := tx.DB.Exec(ctx, RulesLock, tx.Company); err != nil {
		return 0, err
	}
	err = tx.DB.QueryRow(ctx, `SELECT rules_version FROM company WHERE id = $1`, tx.Company).Scan(&version)
	return version, err
}

// RulesLock is the statement of LockRules, for a batch; $1 is the shop.
const RulesLock = `SELECT pg_advisory_xact_lock(hashtextextended('rules:' || $1::integer::text, 0))`
