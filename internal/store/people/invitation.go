package people

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"vitrine/internal/shop"
	"vitrine/internal/store"
)

// Invitation is a role in a shop that a person gets once they verified the invited address.
type Invitation struct {
	ID        shop.InvitationID `json:"id"`
	Company   shop.CompanyID    `json:"-"`
	Email     string            `json:"email"`
	Role      shop.Role         `json:"role"`
	InvitedBy shop.UserID       `json:"invited_by"`
	CreatedAt time.Time         `json:"created_at"`
	ExpiresAt time.Time         `json:"expires_at"`
}

// openInvitation is a condition: invitation i is not expired at time $2, and its inviter may
// still invite. Invitations of people who left, or whose role was lowered, are void, and so are
// those of deleted shops.
var openInvitation = `i.expires_at > $2 AND EXISTS (SELECT FROM member m WHERE m.company_id = i.company_id AND m.person_id = i.invited_by
	AND (m.role = 'owner' OR m.role = 'admin' AND i.role <> 'owner'))
	AND ` + store.LiveShop("i.company_id")

const invitationColumns = `i.id, i.company_id, i.email, i.role, i.invited_by, i.created_at, i.expires_at`

// Invitations returns the shop's open invitations, the oldest first.
func Invitations(ctx context.Context, r store.Reader, now time.Time) ([]Invitation, error) {
	rows, err := r.DB.Query(ctx, `
		SELECT `+invitationColumns+` FROM invitation i WHERE i.company_id = $1 AND `+openInvitation+` ORDER BY i.id`, r.Company, now)
	if err != nil {
		return nil, err
	}
	list, err := pgx.CollectRows(rows, pgx.RowToStructByPos[Invitation])
	for i := range list {
		list[i].CreatedAt, list[i].ExpiresAt = list[i].CreatedAt.UTC(), list[i].ExpiresAt.UTC()
	}
	return list, err
}

// InvitationByHash finds the invitation of a code; found is false for codes that are
// unknown, used, withdrawn or expired.
func InvitationByHash(ctx context.Context, s *store.Store, hash []byte, now time.Time) (Invitation, bool, error) {
	rows, err := s.Pool.Query(ctx, `SELECT `+invitationColumns+` FROM invitation i WHERE i.hash = $1 AND `+openInvitation, hash, now)
	if err != nil {
		return Invitation{}, false, err
	}
	in, err := pgx.CollectExactlyOneRow(rows, pgx.RowToStructByPos[Invitation])
	if store.NoRow(err) {
		return in, false, nil
	}
	return in, err == nil, err
}

// Invite stores an invitation by the hash of its code. It replaces an earlier invitation of
// the same address, whose code becomes void.
func Invite(ctx context.Context, tx *store.Tx, in Invitation, hash []byte) (id shop.InvitationID, err error) {
	err = tx.DB.QueryRow(ctx, `
		INSERT INTO invitation (company_id, email, role, invited_by, hash, created_at, expires_at) VALUES ($1, $2, $3, $4, $5, $6, $7)
		ON CONFLICT (company_id, lower(email)) DO UPDATE SET email = excluded.email, role = excluded.role,
			invited_by = excluded.invited_by, hash = excluded.hash, created_at = excluded.created_at, expires_at = excluded.expires_at
		RETURNING id`, tx.Company, in.Email, in.Role, in.InvitedBy, hash, in.CreatedAt, in.ExpiresAt).Scan(&id)
	return id, err
}

// UseInvitation uses the code up. found is false when a concurrent request used it first,
// or the invitation is no longer open.
func UseInvitation(ctx context.Context, tx *store.Tx, hash []byte, now time.Time) (found bool, err error) {
	tag, err := tx.DB.Exec(ctx, `DELETE FROM invitation i WHERE i.company_id = $1 AND i.hash = $3 AND `+openInvitation, tx.Company, now, hash)
	return tag.RowsAffected() > 0, err
}

// WithdrawInvitation deletes an invitation.
func WithdrawInvitation(ctx context.Context, tx *store.Tx, id shop.InvitationID) error {
	_, err := tx.DB.Exec(ctx, `DELETE FROM invitation WHERE company_id = $1 AND id = $2`, tx.Company, id)
	return err
}

// SweepInvitations deletes expired invitations.
func SweepInvitations(ctx context.Context, s *store.Store, now time.Time) error {
	return s.SweepBatches(ctx, `DELETE FROM invitation WHERE ctid = ANY(ARRAY(
		SELECT ctid FROM invitation WHERE expires_at <= $1 LIMIT $2))`, now)
}
