package access

import (
	"vitrine/admin/api"
	"vitrine/internal/shop"
	"vitrine/internal/store/people"
	"vitrine/internal/store/privacy"
)

// memberErrors are the refusals of changes to a member.
var memberErrors = api.Refuses(ErrRoleAbove, privacy.ErrLastOwner, people.ErrMemberNotFound)

// factorErrors are the refusals of changes to the person's second factor.
var factorErrors = api.Refuses(api.ErrRole, shop.ErrNotFound)

// reauthErrors are the refusals of a proof of identity.
var reauthErrors = factorErrors.And(ErrCredentials, ErrFactorWrong, ErrTooManyAttempts, ErrPasskeyOrigin, ErrPasskeyInvalid)

// acceptErrors are the refusals of accepting an invitation.
var acceptErrors = api.Refuses(
	ErrInvitationNotFound, ErrInvitationForeign, ErrPasswordWeak, api.ErrRole, api.ErrUnauthenticated, api.ErrMethodForKeys,
	people.ErrEmailTaken, people.ErrMemberExists, people.ErrMemberLimit)

// maxPasskey is the size of a body with the answer of a device.
const maxPasskey = 128 << 10

// Endpoints returns the endpoint table of this package.
func (a *Access) Endpoints() []api.Endpoint {
	return []api.Endpoint{
		{Method: "POST", Path: "/v1/auth/register", Auth: api.Link, Secret: true, SignsIn: true, Errors: api.Refuses(ErrEmailInvalid, ErrPasswordWeak, ErrTooManyAttempts, people.ErrEmailTaken), Do: api.Handle(a.register), Summary: "Register a person and open a session"},
		{Method: "POST", Path: "/v1/auth/login", Auth: api.Link, Secret: true, SignsIn: true, OwnBudget: true, Errors: api.Refuses(ErrCredentials, ErrFactorRequired, ErrFactorWrong, ErrTooManyAttempts), Do: api.Handle(a.login), Summary: "Open a session"},
		{Method: "POST", Path: "/v1/auth/guest", Auth: api.Link, Secret: true, SignsIn: true, Errors: api.Refuses(ErrTooManyAttempts), Do: api.Handle(a.guest), Summary: "Open a session for a buyer without an account, so that they can fill a cart"},
		{Method: "POST", Path: "/v1/auth/logout", Auth: api.Link, Do: api.Handle(a.logout), Summary: "End the session"},
		{Method: "POST", Path: "/v1/auth/code", Auth: api.Link, Errors: api.Refuses(ErrEmailInvalid, ErrTooManyAttempts), Do: api.Handle(a.sendCode), Summary: "Send a code of six digits to an address, valid for 10 minutes and 5 attempts; the response is the same whether the address has an account"},
		{Method: "POST", Path: "/v1/auth/code/confirm", Auth: api.Link, Secret: true, SignsIn: true, Errors: api.Refuses(ErrEmailInvalid, ErrPasswordWeak, ErrCodeWrong, ErrFactorRequired, ErrFactorWrong, ErrTooManyAttempts, people.ErrEmailTaken), Do: api.Handle(a.confirmCode), Summary: "Open a session with the code, which proves the address; the first code creates the account, a password in the call replaces the old one"},
		{Method: "POST", Path: "/v1/auth/password/forgot", Auth: api.Link, Errors: api.Refuses(ErrEmailInvalid, ErrTooManyAttempts), Do: api.Handle(a.forgot), Summary: "Send a link for resetting the password to an address, valid once within an hour; the response is the same whether the address has an account"},
		{Method: "POST", Path: "/v1/auth/password/reset", Auth: api.Link, Secret: true, SignsIn: true, Errors: api.Refuses(ErrPasswordWeak, ErrResetInvalid, ErrFactorRequired, ErrFactorWrong, ErrTooManyAttempts), Do: api.Handle(a.reset), Summary: "Set the password with the token of the link and open a session; every other session ends"},
		{Method: "GET", Path: "/v1/auth/sessions", Contour: api.LiveOnly, Auth: api.SessionOnly, Class: api.Read, Do: api.Handle(a.sessions), Summary: "The sessions of the person, at most 500, the present one first; on a shop's host those of that host"},
		{Method: "DELETE", Path: "/v1/auth/sessions/{id}", Contour: api.LiveOnly, Auth: api.SessionOnly, Class: api.Write, Errors: api.Refuses(ErrSessionNotFound), Do: api.Handle(a.endSession), Summary: "End a session of the person at once"},
		{Method: "POST", Path: "/v1/auth/reauth", Contour: api.LiveOnly, Auth: api.SessionOnly, Class: api.Write, Errors: reauthErrors, Do: api.Handle(a.reauth), Summary: "Prove one's identity with the password, a code of the authenticator app or a passkey, so that the session may make sensitive calls for 10 minutes"},
		{Method: "POST", Path: "/v1/auth/totp", Secret: true, Contour: api.LiveOnly, Fresh: api.FreshAlways, Auth: api.SessionOnly, Class: api.Write, Errors: factorErrors.And(people.ErrTOTPActive), Do: api.Handle(a.addTOTP), Summary: "Make the secret of an authenticator app, which counts once its first code is confirmed"},
		{Method: "POST", Path: "/v1/auth/totp/confirm", Secret: true, Contour: api.LiveOnly, Fresh: api.FreshAlways, Auth: api.SessionOnly, Class: api.Write, Errors: factorErrors.And(ErrFactorWrong, ErrTooManyAttempts, people.ErrTOTPNotFound), Do: api.Handle(a.confirmTOTP), Summary: "Make the authenticator app the person's second factor with the code that it shows; the recovery codes in the response are shown once"},
		{Method: "DELETE", Path: "/v1/auth/totp", Contour: api.LiveOnly, Fresh: api.FreshAlways, Auth: api.SessionOnly, Class: api.Write, Errors: factorErrors.And(ErrFactorWrong, ErrTooManyAttempts, people.ErrTOTPNotFound), Do: api.Handle(a.removeTOTP), Summary: "Remove the authenticator app and its recovery codes, with a code of the app or a recovery code"},
		{Method: "GET", Path: "/v1/auth/passkeys", Contour: api.LiveOnly, Auth: api.SessionOnly, Class: api.Read, Errors: factorErrors, Do: api.Handle(a.ownPasskeys), Summary: "The passkeys of the person, the oldest first"},
		{Method: "POST", Path: "/v1/auth/passkeys/register/begin", Contour: api.LiveOnly, Fresh: api.FreshAlways, Auth: api.SessionOnly, Class: api.Write, Errors: factorErrors.And(ErrPasskeyOrigin, people.ErrPasskeyLimit), Do: api.Handle(a.beginPasskey), Summary: "What the browser needs to make a passkey for the admin origin, valid once within 5 minutes"},
		{Method: "POST", Path: "/v1/auth/passkeys/register/finish", MaxBody: maxPasskey, Contour: api.LiveOnly, Fresh: api.FreshAlways, Auth: api.SessionOnly, Class: api.Write, Errors: factorErrors.And(ErrPasskeyOrigin, ErrPasskeyInvalid, people.ErrPasskeyExists, people.ErrPasskeyLimit), Do: api.Handle(a.finishPasskey), Summary: "Add the passkey that the browser has made: the credential as it gives it, and a name beside it"},
		{Method: "POST", Path: "/v1/auth/passkeys/login/begin", Auth: api.Link, Errors: api.Refuses(ErrPasskeyOrigin, ErrTooManyAttempts), Do: api.Handle(a.beginSignIn), Summary: "What the browser needs to sign in with a passkey or to prove one's identity (reauth), valid once within 5 minutes"},
		{Method: "POST", Path: "/v1/auth/passkeys/login/finish", MaxBody: maxPasskey, Auth: api.Link, Secret: true, SignsIn: true, Errors: api.Refuses(ErrPasskeyOrigin, ErrPasskeyInvalid, shop.ErrNotFound), Do: api.Handle(a.finishSignIn), Summary: "Open a session with the credential as the browser gives it; it takes the place of the password and the second factor"},
		{Method: "GET", Path: "/v1/auth/passkeys/{id}", Own: true, Contour: api.LiveOnly, Auth: api.SessionOnly, Class: api.Read, Errors: factorErrors.And(people.ErrPasskeyNotFound), Do: api.Handle(a.getPasskey), Summary: "One passkey of the person"},
		{Method: "PUT", Path: "/v1/auth/passkeys/{id}", Edits: "/v1/auth/passkeys/{id}", Contour: api.LiveOnly, Auth: api.SessionOnly, Class: api.Write, Errors: factorErrors.And(ErrNameRequired, people.ErrPasskeyNotFound), Do: api.Handle(a.renamePasskey), Summary: "Rename a passkey"},
		{Method: "DELETE", Path: "/v1/auth/passkeys/{id}", Contour: api.LiveOnly, Fresh: api.FreshAlways, Auth: api.SessionOnly, Class: api.Write, Errors: factorErrors.And(people.ErrPasskeyNotFound), Do: api.Handle(a.removePasskey), Summary: "Remove a passkey"},
		{Method: "GET", Path: "/v1/auth/me", Own: true, Contour: api.LiveOnly, Auth: api.SessionOnly, Class: api.Read, Errors: api.Refuses(shop.ErrNotFound), Do: api.Handle(a.me), Summary: "The person of the session"},
		{Method: "PUT", Path: "/v1/auth/me", Edits: "/v1/auth/me", Contour: api.LiveOnly, Auth: api.SessionOnly, Class: api.Write, Errors: api.Refuses(shop.ErrNotFound, ErrEmailInvalid, ErrCredentials, ErrCodeWrong, ErrTooManyAttempts), Do: api.Handle(a.saveMe), Summary: "Change the person's name, phone and language; omitted fields stay. A new email requires the password or a fresh code and takes effect when the code sent to it is confirmed"},
		{Method: "POST", Path: "/v1/auth/password", Contour: api.LiveOnly, Auth: api.SessionOnly, Class: api.Write, Errors: api.Refuses(ErrPasswordWeak, ErrCredentials, ErrCodeWrong, ErrTooManyAttempts, api.ErrRole), Do: api.Handle(a.changePassword), Summary: "Change one's own password with the old one or a fresh code; all other sessions end, and with end_keys also one's keys in all shops"},
		{Method: "GET", Path: "/v1/account/export", Contour: api.LiveOnly, Auth: api.SessionOnly, Class: api.Read, Errors: api.Refuses(privacy.ErrExportTooLarge), Do: api.Handle(a.exportMe), Summary: "Export all data about the person as one JSON file; a session of a shop's host gets the data of that shop"},
		{Method: "DELETE", Path: "/v1/account", Contour: api.LiveOnly, Auth: api.SessionOnly, Class: api.Write, Errors: api.Refuses(shop.ErrNotFound, ErrCredentials, ErrCodeWrong, ErrTooManyAttempts, privacy.ErrLastOwner, api.ErrRole), Do: api.Handle(a.removeMe), Summary: "Delete the person, confirmed with the password or a fresh code; orders stay without their contact"},
		{Method: "GET", Path: "/v1/account/views/{page}", Own: true, Contour: api.LiveOnly, Auth: api.SessionOnly, Class: api.Read, Errors: api.Refuses(api.ErrRole), Do: api.Handle(a.ownView), Summary: "How the person has arranged a page of the cabinet; null: not at all"},
		{Method: "PUT", Path: "/v1/account/views/{page}", Edits: "/v1/account/views/{page}", Contour: api.LiveOnly, Auth: api.SessionOnly, Class: api.Write, Consumes: []string{"application/json"}, Errors: api.Refuses(api.ErrRole, people.ErrViewLimit, shop.ErrInvalidRequest, shop.ErrBodyTooLarge), Do: api.Handle(a.setView), Summary: "Store how the person has arranged a page of the cabinet: any JSON of at most 64 KB, for at most 100 pages"},
		{Method: "GET", Path: "/v1/account/token", Contour: api.LiveOnly, Class: api.Read, Do: api.Handle(a.passport), Summary: "The passport of the key: contour, shop, scopes and what they allow"},
		{Method: "GET", Path: "/v1/account/tokens", Contour: api.LiveOnly, Auth: api.SessionOnly, Class: api.Read, Do: api.Handle(a.keys), Summary: "The person's keys, without their secrets"},
		{Method: "POST", Path: "/v1/account/tokens", Secret: true, Contour: api.LiveOnly, Fresh: api.FreshForSecrets, Auth: api.SessionOnly, Class: api.Write, Errors: api.Refuses(api.ErrRole, ErrScopeUnknown, ErrTooManyScopes, ErrScopeSensitive, ErrContourUnknown, ErrExpiryInvalid, ErrNameRequired, people.ErrKeyLimit), Do: api.Handle(a.issue), Summary: "Issue a key; its secret is shown once"},
		{Method: "DELETE", Path: "/v1/account/tokens/{id}", Contour: api.LiveOnly, Auth: api.SessionOnly, Class: api.Write, Errors: api.Refuses(ErrKeyNotFound), Do: api.Handle(a.revoke), Summary: "Revoke a key at once"},
		{Method: "GET", Path: "/v1/account/companies", Contour: api.LiveOnly, Auth: api.SessionOnly, Class: api.Read, Do: api.Handle(a.companies), Summary: "The shops of the person, the main one first"},
		{Method: "PUT", Path: "/v1/account/main-company", Contour: api.LiveOnly, Auth: api.SessionOnly, Class: api.Write, Errors: api.Refuses(ErrNotYourCompany, api.ErrRole), Do: api.Handle(a.chooseCompany), Summary: "Choose the shop that the person's sessions act in; keys stay where they are"},
		{Method: "GET", Path: "/v1/orgs/current/members", Contour: api.LiveOnly, Auth: api.SessionOnly, Manage: errManagers, Class: api.Read, Do: api.Handle(a.members), Summary: "The members of the shop, owners first, and pending invitations"},
		{Method: "POST", Path: "/v1/orgs/current/members", Contour: api.LiveOnly, Auth: api.SessionOnly, Manage: errManagers, Class: api.Write, Errors: api.Refuses(ErrRoleUnknown, ErrEmailInvalid, ErrTooManyAttempts, ErrRoleAbove, ErrInvitationLimit, people.ErrMemberExists), Do: api.Handle(a.invite), Summary: "Invite an address: a letter carries a link with a code there, valid once within 7 days; at most 10 invitations in 15 minutes"},
		{Method: "DELETE", Path: "/v1/orgs/current/invitations/{id}", Contour: api.LiveOnly, Auth: api.SessionOnly, Manage: errManagers, Class: api.Write, Errors: api.Refuses(ErrRoleAbove, ErrInvitationNotFound), Do: api.Handle(a.withdraw), Summary: "Withdraw an invitation; its code becomes invalid"},
		{Method: "POST", Path: acceptPath, Auth: api.Link, Errors: acceptErrors, Do: api.Handle(a.accept), Summary: "Become a member with the code of an invitation: in a session of the invited address, or with a new password without one. dry_run only answers what the invitation is for"},
		{Method: "GET", Path: "/v1/orgs/current/members/{user_id}", Contour: api.LiveOnly, Auth: api.SessionOnly, Manage: errManagers, Class: api.Read, Errors: api.Refuses(people.ErrMemberNotFound), Do: api.Handle(a.member), Summary: "One member of the shop"},
		{Method: "PUT", Path: "/v1/orgs/current/members/{user_id}", Edits: "/v1/orgs/current/members/{user_id}", Contour: api.LiveOnly, Fresh: api.FreshAlways, Auth: api.SessionOnly, Manage: errManagers, Class: api.Write, Errors: memberErrors.And(ErrRoleUnknown), Do: api.Handle(a.assign), Summary: "Change a role; lowering it revokes keys with sensitive scopes and ends the sessions of the member"},
		{Method: "DELETE", Path: "/v1/orgs/current/members/{user_id}", Contour: api.LiveOnly, Fresh: api.FreshAlways, Auth: api.SessionOnly, Class: api.Write, Errors: memberErrors.And(api.ErrRole), Do: api.Handle(a.expel), Summary: "Remove a member from the shop and revoke all their keys in it; members of any role may remove themselves"},
		{Method: "GET", Path: "/audit", Contour: api.LiveOnly, Scopes: []shop.Scope{"access:read"}, Class: api.Read, Do: api.Handle(a.audit), Summary: "Who changed what with which key, newest first, for 90 days"},
	}
}

// SetTable sets the complete endpoint table, so that the passport can tell which endpoints a
// key may call.
func (a *Access) SetTable(all []api.Endpoint) { a.table = all }
