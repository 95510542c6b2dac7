package access_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"vitrine/admin/api/apitest"
	"vitrine/internal/shop"
	"vitrine/internal/store"
	"vitrine/internal/store/letter"
	"vitrine/internal/store/people"
)

const (
	invitations = "/v1/orgs/current/invitations"
	accept      = "/v1/auth/invitations/accept"
)

// invite invites an address to a role as the owner and returns the code.
func invite(a *apitest.API, email, role string) string {
	a.OK("POST", members, a.Session(a.OwnerID), m{"email": email, "role": role})
	return a.Code(email)
}

// waiting lists the addresses with a pending invitation to the shop.
func waiting(a *apitest.API) (emails []string) {
	for _, row := range a.OK("GET", members, a.Session(a.OwnerID), nil)["invitations"].(l) {
		emails = append(emails, row.(m)["email"].(string))
	}
	return emails
}

// Someone registers an address that is not theirs, and the shop invites that address: the
// squatter must not get the role.
func TestASquatterOfAnInvitedAddressGetsNoRole(t *testing.T) {
	t.Parallel()
	a := apitest.New(t)
	squatter := a.Result("POST", "/v1/auth/register", "", person("ann@people.test", "squatted"))["token"].(string)
	a.OK("POST", members, a.Session(a.OwnerID), m{"email": "ann@people.test", "role": "admin"})
	if me := a.Result("GET", "/v1/auth/me", squatter, nil); me["role"] != "" || me["company_id"] != 0.0 || me["proven"] != false {
		t.Errorf("an unproven address has a role: %v", me)
	}
	a.Refused("GET", "/v1/orgs/current", squatter, nil, 403, "ROLE_REQUIRED")
	if got := roles(a); len(got) != 2 {
		t.Errorf("members %v", got)
	}

	// The code goes to the owner of the address, and the account becomes theirs.
	a.OK("POST", accept, "", m{"code": a.Code("ann@people.test"), "password": "my own password"})
	a.Refused("GET", "/v1/auth/me", squatter, nil, 401, "UNAUTHENTICATED")
	a.Refused("POST", "/v1/auth/login", "", person("ann@people.test", "squatted"), 401, "INVALID_CREDENTIALS")
	me := a.Result("POST", "/v1/auth/login", "", person("ann@people.test", "my own password"))["user"].(m)
	if me["role"] != "admin" || me["proven"] != true {
		t.Errorf("me %v", me)
	}
}

func TestAnInvitedPersonWorksInTheShop(t *testing.T) {
	t.Parallel()
	a := apitest.New(t)
	ann := a.Result("POST", "/v1/auth/register", "", person("ann@people.test", "password"))
	session := ann["token"].(string)
	code := invite(a, "ANN@people.test", "editor")
	joined := a.Result("POST", accept, session, m{"code": code})
	if joined["company_id"] != float64(a.Shop.ID) || joined["role"] != "editor" || joined["user_id"] != ann["user"].(m)["id"] {
		t.Errorf("joined %v", joined)
	}
	a.OK("GET", "/v1/orgs/current", session, nil)
	a.OK("POST", "/v1/auth/login", "", person("ann@people.test", "password")) // the password still works

	a.Result("POST", accept, "", m{"code": invite(a, "bob@people.test", "admin"), "password": "first password", "name": "Bob"})
	bob := a.Result("POST", "/v1/auth/login", "", person("bob@people.test", "first password"))
	if user := bob["user"].(m); user["role"] != "admin" || user["name"] != "Bob" {
		t.Errorf("user %v", user)
	}
	if got := waiting(a); len(got) != 0 {
		t.Errorf("used invitations are still pending: %v", got)
	}
	seen := map[string]bool{}
	for _, e := range entries(a, nil) {
		seen[fmt.Sprint(e.(m)["path"], e.(m)["user_id"])] = true
	}
	if !seen[members+a.OwnerID.String()] || !seen[accept+fmt.Sprint(ann["user"].(m)["id"])] {
		t.Errorf("the audit log lacks the inviter or the new member: %v", seen)
	}
}

func TestTheMemberListShowsUnprovenAddresses(t *testing.T) {
	t.Parallel()
	a := apitest.New(t)
	a.OK("POST", accept, "", m{"code": invite(a, "bob@people.test", "admin"), "password": "first password"})
	invite(a, "ann@people.test", "editor")
	answer := a.Send(apitest.Request{Method: "GET", Path: members, Key: a.Session(a.OwnerID)})
	for _, row := range answer.JSON["result"].(l) {
		if row := row.(m); row["proven"] != (row["email"] == "bob@people.test") {
			t.Errorf("%v", row)
		}
	}
	listed := answer.JSON["invitations"].(l)[0].(m)
	if listed["email"] != "ann@people.test" || listed["role"] != "editor" || listed["invited_by"] != float64(a.OwnerID) ||
		listed["expires_at"] == nil {
		t.Errorf("%v", listed)
	}
	if strings.Contains(string(answer.Body), a.Code("ann@people.test")) {
		t.Error("managers can read the code")
	}
}

func TestInvalidInvitationCodesAreRefused(t *testing.T) {
	t.Parallel()
	a := apitest.New(t)
	owner, stranger := a.Session(a.OwnerID), a.Session(a.StrangerID)
	a.OK("POST", accept, "", m{"code": invite(a, "bob@people.test", "editor"), "password": "password"})
	bob := a.Result("POST", "/v1/auth/login", "", person("bob@people.test", "password"))
	a.OK("DELETE", memberPath(shop.UserID(bob["user"].(m)["id"].(float64))), owner, nil)
	replaced := invite(a, "ann@people.test", "admin")
	ann, again := invite(a, "ann@people.test", "editor"), invite(a, "bob@people.test", "editor")
	withdrawn := invite(a, "cat@people.test", "editor")
	for _, row := range a.OK("GET", members, owner, nil)["invitations"].(l) {
		if row.(m)["email"] == "cat@people.test" {
			a.OK("DELETE", invitations+"/"+row.(m)["id"].(string), owner, nil)
			a.Refused("DELETE", invitations+"/"+row.(m)["id"].(string), owner, nil, 404, "INVITATION_NOT_FOUND")
		}
	}
	for name, c := range map[string]struct {
		token  string
		body   m
		status int
		code   string
	}{
		"another's session":          {stranger, m{"code": ann}, 403, "INVITATION_FOREIGN"},
		"another's, with a password": {stranger, m{"code": ann, "password": "password"}, 403, "INVITATION_FOREIGN"},
		"a key":                      {a.Owner, m{"code": ann}, 403, "PAT_METHOD_NOT_ALLOWED"},
		"an expired session":         {"vs_" + strings.Repeat("0", 36), m{"code": ann, "password": "password"}, 401, "UNAUTHENTICATED"},
		"proven, without a session":  {"", m{"code": again, "password": "password"}, 401, "UNAUTHENTICATED"},
		"new, without a password":    {"", m{"code": ann}, 400, "PASSWORD_TOO_SHORT"},
		"a weak password":            {"", m{"code": ann, "password": "1234567"}, 400, "PASSWORD_TOO_SHORT"},
		"a long name":                {"", m{"code": ann, "password": "password", "name": strings.Repeat("я", 256)}, 400, "TEXT_TOO_LONG"},
		"no code":                    {"", m{"password": "password"}, 404, "INVITATION_NOT_FOUND"},
		"a replaced code":            {"", m{"code": replaced, "password": "password"}, 404, "INVITATION_NOT_FOUND"},
		"a withdrawn code":           {"", m{"code": withdrawn, "password": "password"}, 404, "INVITATION_NOT_FOUND"},
		"a session as code":          {"", m{"code": owner, "password": "password"}, 404, "INVITATION_NOT_FOUND"},
		"one letter off":             {"", m{"code": ann[:len(ann)-1] + "~", "password": "password"}, 404, "INVITATION_NOT_FOUND"},
		"a huge code":                {"", m{"code": strings.Repeat("v", 1<<16), "password": "password"}, 400, "TEXT_TOO_LONG"},
	} {
		t.Log(name)
		a.Refused("POST", accept, c.token, c.body, c.status, c.code)
	}
	if got := roles(a); len(got) != 2 {
		t.Errorf("members %v", got)
	}
	a.OK("POST", accept, bob["token"].(string), m{"code": again}) // refusals must not use up the code
	a.Refused("POST", accept, bob["token"].(string), m{"code": again}, 404, "INVITATION_NOT_FOUND")

	header := a.ThroughStorefront()
	header["Cookie"] = "__Host-vitrine-session=" + owner
	through := a.Send(apitest.Request{Method: "POST", Path: accept, Header: header, Body: m{"code": ann, "password": "password"}})
	if through.Status != 403 || apitest.Code(through.JSON) != "ROLE_REQUIRED" {
		t.Errorf("through a storefront: %d %s", through.Status, through.Body)
	}
	a.Clock.Advance(7 * 24 * time.Hour)
	a.Refused("POST", accept, "", m{"code": ann, "password": "password"}, 404, "INVITATION_NOT_FOUND")
}

// A dry run says what an invitation is for and whether its address has an account that signs in, and
// uses nothing up.
func TestADryRunOfAnInvitationChangesNothing(t *testing.T) {
	t.Parallel()
	a := apitest.New(t)
	a.OK("POST", "/v1/auth/register", "", person("cat@people.test", "password")) // unproven: anybody may have done it
	a.OK("POST", accept, "", m{"code": invite(a, "bob@people.test", "editor"), "password": "password"})
	bob := a.Result("POST", "/v1/auth/login", "", person("bob@people.test", "password"))["user"].(m)["id"]
	a.OK("DELETE", memberPath(shop.UserID(bob.(float64))), a.Session(a.OwnerID), nil)
	for email, account := range map[string]any{"ann@people.test": 0.0, "cat@people.test": 0.0, "bob@people.test": bob} {
		code := invite(a, email, "admin")
		for _, session := range []string{"", a.Session(a.StrangerID)} {
			got := a.Result("POST", accept, session, m{"code": code, "dry_run": true})
			if got["user_id"] != account || got["email"] != email || got["role"] != "admin" || got["name"] != a.Shop.Name || got["slug"] != a.Shop.Slug {
				t.Errorf("%s: %v", email, got)
			}
		}
	}
	if got := waiting(a); len(got) != 3 {
		t.Errorf("pending %v", got)
	}
	a.Refused("POST", accept, "", m{"code": "vi_" + strings.Repeat("0", 36), "dry_run": true}, 404, "INVITATION_NOT_FOUND")
}

// A letter of an invitation is in the language of the shop and leads to the cabinet.
func TestTheLetterOfAnInvitationLeadsToTheCabinet(t *testing.T) {
	t.Parallel()
	a := apitest.New(t)
	for lang, wants := range map[string][]string{"en": {"as administrator", "Accept here"}, "ru": {"администратор", "Принять приглашение"}} {
		a.OK("PUT", "/v1/shop/settings", a.Session(a.OwnerID), m{"language": lang})
		code := invite(a, lang+"@people.test", "admin")
		letters, err := letter.PlatformLetters(t.Context(), a.Store, a.Clock.Now(), 10)
		if err != nil {
			t.Fatal(err)
		}
		for _, want := range append(wants, "/cabinet/invitation#"+code+"\n") {
			if !strings.Contains(letters[0].Text, want) {
				t.Errorf("%s: the letter lacks %q: %s", lang, want, letters[0].Text)
			}
		}
	}
}

// A code adds one member, however many concurrent calls use it.
func TestACodeIsUsedOnce(t *testing.T) {
	t.Parallel()
	a := apitest.New(t)
	call := apitest.Request{Method: "POST", Path: accept, Body: m{"code": invite(a, "ann@people.test", "editor"), "password": "password"}}
	got := apitest.Codes(a.AtOnce(call, call, call, call))
	if got[""] != 1 || got["INVITATION_NOT_FOUND"] != 3 {
		t.Errorf("answers %v", got)
	}
}

// An invitation is revoked when its inviter may no longer grant its role.
func TestAnInvitationEndsWithTheRightsOfItsInviter(t *testing.T) {
	t.Parallel()
	a := apitest.New(t)
	owner := a.Session(a.OwnerID)
	for name, c := range map[string]struct {
		by     shop.Role
		role   string
		method string
		body   any
	}{
		"removed":                        {shop.Admin, "editor", "DELETE", nil},
		"an editor now":                  {shop.Admin, "editor", "PUT", m{"role": "editor"}},
		"an admin now, invited an owner": {shop.Owner, "owner", "PUT", m{"role": "admin"}},
	} {
		by := a.Member(c.by)
		email := strings.Fields(name)[len(strings.Fields(name))-1] + "@people.test"
		a.OK("POST", members, a.Session(by), m{"email": email, "role": c.role})
		code := a.Code(email)
		a.OK(c.method, memberPath(by), owner, c.body)
		if got := waiting(a); len(got) != 0 {
			t.Errorf("%s: pending %v", name, got)
		}
		a.Refused("POST", accept, "", m{"code": code, "password": "password"}, 404, "INVITATION_NOT_FOUND")
	}
}

func TestAnAdminCannotChangeInvitationsOfOwners(t *testing.T) {
	t.Parallel()
	a := apitest.New(t)
	code, admin := invite(a, "ann@people.test", "owner"), a.Session(a.Member(shop.Admin))
	a.Refused("POST", members, admin, m{"email": "Ann@people.test", "role": "editor"}, 403, "ROLE_ABOVE_OWN")
	id := a.OK("GET", members, admin, nil)["invitations"].(l)[0].(m)["id"].(string)
	a.Refused("DELETE", invitations+"/"+id, admin, nil, 403, "ROLE_ABOVE_OWN")
	a.OK("POST", accept, "", m{"code": code, "password": "password"})
}

// The response to an invitation is the same for addresses with a proven account, an unproven one,
// and none.
func TestInvitationsDoNotRevealAccounts(t *testing.T) {
	t.Parallel()
	a := apitest.New(t)
	owner := a.Session(a.OwnerID)
	a.OK("POST", "/v1/auth/register", "", person("aaaa@people.test", "password"))
	want := 0
	for i, email := range []string{"bbbb@people.test", "aaaa@people.test", "rival@people.test"} {
		a.Sent.Take()
		answer := a.Result("POST", members, owner, m{"email": email, "role": "editor"})
		if len(answer) != 6 || answer["email"] != email || answer["role"] != "editor" {
			t.Errorf("%s: %v", email, answer)
		}
		if got := a.Sent.Take(); i == 0 {
			want = len(got)
		} else if len(got) != want {
			t.Errorf("%s: %d statements, %d for an unknown address", email, len(got), want)
		}
	}
}

func TestInvitationsAreLimited(t *testing.T) {
	t.Parallel()
	a := apitest.New(t)
	owner := a.Session(a.OwnerID)
	for n := range 10 {
		a.OK("POST", members, owner, m{"email": fmt.Sprintf("p%d@people.test", n), "role": "editor"})
	}
	a.Refused("POST", members, owner, m{"email": "p10@people.test", "role": "editor"}, 429, "RATE_LIMITED")

	a.Clock.Advance(15 * time.Minute)
	for range 4 { // one was sent there before
		a.OK("POST", members, owner, m{"email": "P0@people.test", "role": "editor"})
	}
	a.Refused("POST", members, owner, m{"email": "p0@people.test", "role": "editor"}, 429, "RATE_LIMITED")
	if got := waiting(a); len(got) != 10 {
		t.Errorf("%d addresses are pending", len(got))
	}

	a.Clock.Advance(30 * time.Minute)
	err := a.Store.Write(t.Context(), a.Shop.ID, func(tx *store.Tx) (err error) {
		for n := 10; n < 100 && err == nil; n++ {
			_, err = people.Invite(t.Context(), tx, people.Invitation{
				Email: fmt.Sprintf("p%d@people.test", n), Role: shop.Editor, InvitedBy: a.OwnerID, ExpiresAt: a.Clock.Now().Add(time.Hour),
			}, []byte{byte(n)})
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	owner = a.Session(a.OwnerID)
	if got := a.Refused("POST", members, owner, m{"email": "new@people.test", "role": "editor"}, 429, "INVITATION_LIMIT_REACHED"); got["limit_code"] != "invitations_max" {
		t.Errorf("%v", got)
	}
	a.OK("POST", members, owner, m{"email": "p50@people.test", "role": "admin"}) // replaces a pending invitation
}

func TestMembersAreLimited(t *testing.T) {
	t.Parallel()
	a := apitest.New(t)
	code := invite(a, "ann@people.test", "editor")
	for range people.MaxMembers - 2 { // an owner and an editor exist already
		a.Member(shop.Editor)
	}
	if got := a.Refused("POST", accept, "", m{"code": code, "password": "password"}, 429, "MEMBER_LIMIT_REACHED"); got["limit_code"] != "members_max" {
		t.Errorf("%v", got)
	}
	if _, err := a.Admin.Access.AddMember(t.Context(), a.Shop.ID, "bob@people.test", "password", shop.Editor); err == nil {
		t.Error("the operator exceeded the limit")
	}
}

func TestExpiredInvitationsAndLettersAreDeleted(t *testing.T) {
	t.Parallel()
	a := apitest.New(t)
	invite(a, "ann@people.test", "editor")
	begun := a.Clock.Now()
	a.Clock.Advance(7*24*time.Hour + time.Hour)
	for _, sweep := range []func() error{
		func() error { return people.SweepInvitations(t.Context(), a.Store, a.Clock.Now()) },
		func() error { return letter.SweepPlatform(t.Context(), a.Store, a.Clock.Now()) },
	} {
		if err := sweep(); err != nil {
			t.Fatal(err)
		}
	}
	list, err := people.Invitations(t.Context(), a.Store.Shop(a.Shop.ID), begun)
	letters, lerr := letter.PlatformLetters(t.Context(), a.Store, begun, 10)
	if err != nil || lerr != nil || len(list) != 0 || len(letters) != 0 {
		t.Errorf("%v, %v, %v, %v", list, letters, err, lerr)
	}
}
