package access

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"vitrine/admin/api"
	"vitrine/internal/secret"
	"vitrine/internal/shop"
	"vitrine/internal/store"
	companydb "vitrine/internal/store/company"
	"vitrine/internal/store/people"
)

// Refusals of invitations.
var (
	ErrInvitationNotFound = shop.Refuse(shop.NotFound, "INVITATION_NOT_FOUND").When("the invitation is unknown, used, withdrawn or expired")
	ErrInvitationForeign  = shop.Refuse(shop.PermissionDenied, "INVITATION_FOREIGN").When("the invitation is for an address other than the signed-in person's")
	ErrInvitationLimit    = shop.Refuse(shop.ResourceExhausted, "INVITATION_LIMIT_REACHED").When("the shop already has 100 pending invitations").WithField("limit_code", "invitations_max")
)

const (
	maxInvitations     = 100 // pending invitations of one shop
	invitationLifetime = 7 * 24 * time.Hour
)

type inviteRequest struct {
	Email string    `json:"email" required:"always" len:"254" refuse:"EMAIL_INVALID"`
	Role  shop.Role `json:"role" required:"always"`
}

// invite sends an address a code that grants a role. Neither the response nor the work depends on
// whether the address has an account. Each invitation sends a letter, so each counts as an
// attempt.
func (a *Access) invite(ctx context.Context, c *api.Call, in inviteRequest) (api.Result[people.Invitation], error) {
	var none api.Result[people.Invitation]
	if !in.Role.Known() {
		return none, ErrRoleUnknown.At("role").With("owner, admin or editor")
	}
	email, err := checkEmail(in.Email)
	if err != nil {
		return none, err
	}
	if _, err := a.attempt(ctx, "invite "+c.Person.String()); err != nil {
		return none, err
	}
	company, err := companydb.Info(ctx, a.store.Shop(c.Company))
	if err != nil {
		return none, err
	}
	code, hash, err := secret.New(secret.Invitation)
	if err != nil {
		return none, err
	}
	now := a.now().UTC()
	made := people.Invitation{
		Email: email, Role: in.Role, InvitedBy: c.Person, CreatedAt: now,
		ExpiresAt: now.Add(invitationLifetime).Truncate(time.Second),
	}
	err = a.changeMembers(ctx, c, func(ctx context.Context, tx *store.Tx, own shop.Role) (err error) {
		if in.Role.Above(own) {
			return errAbove
		}
		if err := a.invitable(ctx, tx, own, email); err != nil {
			return err
		}
		if made.ID, err = people.Invite(ctx, tx, made, hash); err != nil {
			return err
		}
		return a.post(ctx, tx, a.invitationLetter(company, made, code))
	})
	return api.Wrap(made), err
}

// invitable checks an address against the members and the pending invitations.
func (a *Access) invitable(ctx context.Context, tx *store.Tx, own shop.Role, email string) error {
	member, err := people.MemberByEmail(ctx, tx.Reader, email)
	if err != nil {
		return err
	}
	if member {
		return people.ErrMemberExists
	}
	waiting, err := people.Invitations(ctx, tx.Reader, a.now())
	if err != nil {
		return err
	}
	again := slices.IndexFunc(waiting, func(w people.Invitation) bool { return strings.EqualFold(w.Email, email) })
	switch {
	case again >= 0 && waiting[again].Role.Above(own):
		return errAbove
	case again < 0 && len(waiting) >= maxInvitations:
		return ErrInvitationLimit.With("withdraw one first")
	}
	return nil
}

type invitationPath struct {
	ID shop.InvitationID `path:"id" json:"-"`
}

// withdraw invalidates the code of an invitation.
func (a *Access) withdraw(ctx context.Context, c *api.Call, in invitationPath) (api.None, error) {
	return api.None{}, a.changeMembers(ctx, c, func(ctx context.Context, tx *store.Tx, own shop.Role) error {
		waiting, err := people.Invitations(ctx, tx.Reader, a.now())
		if err != nil {
			return err
		}
		i := slices.IndexFunc(waiting, func(w people.Invitation) bool { return w.ID == in.ID })
		switch {
		case i < 0:
			return ErrInvitationNotFound
		case waiting[i].Role.Above(own):
			return errAbove
		}
		return people.WithdrawInvitation(ctx, tx, in.ID)
	})
}

// acceptPath is the endpoint that accepts invitations.
const acceptPath = "/v1/auth/invitations/accept"

type acceptRequest struct {
	Code     string `json:"code"`
	DryRun   bool   `json:"dry_run" doc:"change nothing, and answer what the invitation is for"`
	Password string `json:"password" len:"256" refuse:"PASSWORD_TOO_SHORT" spaces:"kept"` // a new password, from callers who are not signed in
	Name     string `json:"name"`                                                         // from callers without an account
}

type joined struct {
	Company shop.CompanyID `json:"company_id"`
	Slug    string         `json:"slug"`
	Name    string         `json:"name" doc:"of the shop"`
	Person  shop.UserID    `json:"user_id" doc:"0 in a dry run without an account that can sign in"`
	Email   string         `json:"email"`
	Role    shop.Role      `json:"role"`
}

// accept makes the holder of a code a member. A code has 178 bits, so guesses are not counted;
// a malformed code causes no look-up.
func (a *Access) accept(ctx context.Context, c *api.Call, in acceptRequest) (api.Result[joined], error) {
	var none api.Result[joined]
	signed, err := a.signedIn(ctx, c)
	if err != nil {
		return none, err
	}
	if !secret.WellFormed(in.Code, secret.Invitation) {
		return none, ErrInvitationNotFound
	}
	hash := secret.Hash(in.Code)
	invitation, found, err := people.InvitationByHash(ctx, a.store, hash, a.now())
	if err != nil {
		return none, err
	}
	if !found {
		return none, ErrInvitationNotFound
	}
	out, err := a.offer(ctx, invitation)
	if err != nil || in.DryRun {
		return api.Wrap(out), err
	}
	newcomer := people.Person{Email: invitation.Email}
	if signed == 0 {
		if newcomer, err = a.newcomer(ctx, invitation.Email, in.Name, in.Password); err != nil {
			return none, err
		}
	}
	err = a.operate(ctx, invitation.Company, func(tx *store.Tx) error {
		if found, err := people.UseInvitation(ctx, tx, hash, a.now()); err != nil || !found {
			return cmp.Or(err, error(ErrInvitationNotFound))
		}
		person, err := invitee(ctx, tx, signed, newcomer)
		if err != nil {
			return err
		}
		out.Person, out.Email = person.ID, person.Email
		return a.join(ctx, c, tx, person.ID, invitation)
	})
	return api.Wrap(out), err
}

// offer is what an invitation is for. Its code was sent to the address, so its holder may know
// whether the address has an account.
func (a *Access) offer(ctx context.Context, in people.Invitation) (out joined, err error) {
	company, err := companydb.Info(ctx, a.store.Shop(in.Company))
	if err != nil {
		return out, err
	}
	out = joined{Company: in.Company, Slug: company.Slug, Name: company.Name, Email: in.Email, Role: in.Role}
	person, known, err := people.PersonByEmail(ctx, a.store, in.Email)
	if known && person.Proven {
		out.Person = person.ID
	}
	return out, err
}

// signedIn returns the person of the call's session, or 0 without one. Scripts of a storefront
// can send the cookie of its visitors, so sessions of its host are refused, as are keys.
func (a *Access) signedIn(ctx context.Context, c *api.Call) (shop.UserID, error) {
	if c.Storefront != 0 {
		return 0, api.ErrRole.With("accept the invitation at the address of the admin API")
	}
	who, err := a.Identify(ctx, c.Credentials())
	if err == nil && who.ByKey() {
		err = api.ErrMethodForKeys.With("invitations are accepted by a person, not by a key")
	}
	return who.Person, err
}

// newcomer returns a person without a session and the hash of the password they chose. It
// accepts an empty password, because only invitee can tell whether one is required.
func (a *Access) newcomer(ctx context.Context, email, name, password string) (p people.Person, err error) {
	p.Email = email
	if p.Name, err = checkName(name); err != nil || password == "" {
		return p, err
	}
	if err = checkPassword("password", password); err == nil {
		p.PasswordHash, err = a.Hash(ctx, password)
	}
	return p, err
}

// invitee returns the person whose address a code was sent to. An account with an unproven
// address may have been registered by anyone: without its session, the code takes it over with
// a new password.
func invitee(ctx context.Context, tx *store.Tx, signed shop.UserID, newcomer people.Person) (people.Person, error) {
	person, known, err := people.LockPersonByEmail(ctx, tx, newcomer.Email)
	switch {
	case err != nil:
		return person, err
	case signed != 0 && signed != person.ID:
		return person, ErrInvitationForeign.With("sign in with the invited address, or sign out if it has no account")
	case signed != 0:
		return person, nil
	case known && person.Proven:
		return person, api.ErrUnauthenticated.With("this address has an account: sign in and accept again")
	case newcomer.PasswordHash == "":
		return person, ErrPasswordWeak.At("password").With("choose a password, 8 to 256 bytes")
	case known:
		return person, people.TakeOver(ctx, tx, person.ID, newcomer.PasswordHash)
	}
	newcomer.ID, err = people.AddPerson(ctx, tx, newcomer.Email, newcomer.Name, newcomer.PasswordHash)
	return newcomer, err
}

// join grants the role and records it in the audit log.
func (a *Access) join(ctx context.Context, c *api.Call, tx *store.Tx, person shop.UserID, in people.Invitation) error {
	if err := people.MarkProven(ctx, tx, person, a.now()); err != nil {
		return err
	}
	if err := people.AddMember(ctx, tx, person, in.Role); err != nil {
		return err
	}
	return tx.Audit(ctx, store.AuditEntry{
		Company: in.Company, At: a.now(), Person: person, Method: "POST", Path: acceptPath, RequestID: c.RequestID,
		Entities: map[string]string{"id": in.ID.String()}, Contour: shop.Prod, Status: 200,
	})
}
