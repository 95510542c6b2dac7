package access

import (
	"context"
	"strings"

	"vitrine/admin/api"
	"vitrine/internal/secret"
	"vitrine/internal/shop"
	"vitrine/internal/store"
	"vitrine/internal/store/people"
)

// SignIn checks the email and the password that a person typed into a page of this server, and the
// code of their second factor if they have one: of the app, or a recovery code. It counts as an
// attempt like a login, and opens no session.
func (a *Access) SignIn(ctx context.Context, c *api.Call, email, password, code string) (people.Person, error) {
	person, err := a.byPassword(ctx, c, email, password)
	if err != nil {
		return person, err
	}
	sent := secondFactor{RecoveryCode: code}
	if secret.IsCode(code) {
		sent = secondFactor{TOTP: code}
	}
	return person, a.pass(ctx, c, person.ID, strings.ToLower(person.Email), sent)
}

// GrantKey stores the key of a grant within the transaction, which holds the lock of the members. The
// hash of the key belongs to a secret that nobody knows: its tokens are used instead.
func (a *Access) GrantKey(ctx context.Context, tx *store.Tx, key people.APIKey) (shop.KeyID, error) {
	role, err := people.RoleOf(ctx, tx.Reader, key.Person)
	if err != nil {
		return 0, err
	}
	if err := grantable(key.Scopes, role); err != nil {
		return 0, err
	}
	_, hash, err := secret.New(secret.Key)
	if err != nil {
		return 0, err
	}
	return people.IssueKey(ctx, tx, key, hash)
}
