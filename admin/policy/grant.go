package policy

import (
	"context"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"vitrine/admin/api"
	"vitrine/internal/secret"
	"vitrine/internal/shop"
	"vitrine/internal/store"
	policydb "vitrine/internal/store/policy"
)

// Limits of passwords.
const (
	minPassword = 4 // characters
	maxPassword = 64
	maxUses     = 1_000_000
)

type grantView struct {
	ID        shop.GrantID `json:"id"`
	Label     string       `json:"label"`
	Password  string       `json:"password,omitempty" doc:"returned only when it is added"`
	ExpiresAt *time.Time   `json:"expires_at" doc:"null: does not expire"`
	Uses      *int         `json:"uses" doc:"the number of entries it is valid for; null: unlimited"`
	Used      int          `json:"used" doc:"the number of entries so far"`
	CreatedAt time.Time    `json:"created_at"`
}

func viewGrant(g policydb.Grant) grantView {
	v := grantView{ID: g.ID, Label: g.Label, Uses: g.Uses, Used: g.Used, CreatedAt: g.CreatedAt.UTC()}
	if g.ExpiresAt != nil {
		at := g.ExpiresAt.UTC()
		v.ExpiresAt = &at
	}
	return v
}

type grantRequest struct {
	pathRequest
	Label     string  `json:"label" len:"255" refuse:"ACCESS_POLICY_INVALID" doc:"a note for whom the password is"`
	Password  *string `json:"password" len:"64" refuse:"ACCESS_POLICY_INVALID" doc:"4 to 64 characters; generated if absent"`
	ExpiresAt *string `json:"expires_at" len:"64" refuse:"ACCESS_POLICY_INVALID" doc:"RFC 3339, in the future"`
	Uses      *int    `json:"uses" doc:"the number of entries it is valid for, at least 1"`
}

// grant adds a password. It hashes the password before the transaction, because hashing is slow
// by design.
func (ps *Policies) grant(ctx context.Context, c *api.Call, in grantRequest) (out api.Result[grantView], err error) {
	g := policydb.Grant{Label: strings.TrimSpace(in.Label), Uses: in.Uses}
	if g.ExpiresAt, err = ps.parseExpiry(in.ExpiresAt); err != nil {
		return out, err
	}
	if g.Uses != nil && (*g.Uses < 1 || *g.Uses > maxUses) {
		return out, errInvalid.At("uses").With("1 to 1000000, or absent for unlimited")
	}
	password := secret.NewPassword()
	if in.Password != nil {
		if password = strings.TrimSpace(*in.Password); !validPassword(password) {
			return out, errInvalid.At("password").With("4 to 64 characters without control characters")
		}
	}
	salt, err := policydb.Salt(ctx, ps.Store.Shop(c.Company), in.ID)
	if err != nil {
		return out, err
	}
	hash := secret.HashShared(password, salt)
	err = ps.Store.Write(ctx, c.Company, func(tx *store.Tx) error {
		p, err := policydb.Lock(ctx, tx, in.ID)
		if err != nil {
			return err
		}
		if p.Kind != shop.ByPassword {
			return errKind.With("the policy has the kind " + string(p.Kind))
		}
		g, err = policydb.AddGrant(ctx, tx, in.ID, g, hash)
		return err
	})
	v := viewGrant(g)
	v.Password = password
	return api.Wrap(v), err
}

func validPassword(password string) bool {
	n := utf8.RuneCountInString(password)
	return n >= minPassword && n <= maxPassword && len(password) <= shop.MaxAccessPassword &&
		!strings.ContainsFunc(password, unicode.IsControl)
}

func (ps *Policies) parseExpiry(text *string) (*time.Time, error) {
	if text == nil || *text == "" {
		return nil, nil
	}
	at, err := time.Parse(time.RFC3339, *text)
	if err != nil || !at.After(ps.Now()) || at.Year() > 9999 {
		return nil, errInvalid.At("expires_at").With("expected a future time in RFC 3339")
	}
	return &at, nil
}

type revokeRequest struct {
	pathRequest
	Grant shop.GrantID `path:"grant_id" json:"-"`
}

func (ps *Policies) revoke(ctx context.Context, c *api.Call, in revokeRequest) (none api.None, err error) {
	return none, ps.Store.Write(ctx, c.Company, func(tx *store.Tx) error {
		if _, err := policydb.Lock(ctx, tx, in.ID); err != nil {
			return err
		}
		return policydb.DeleteGrant(ctx, tx, in.ID, in.Grant)
	})
}
