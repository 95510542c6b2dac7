package access

import (
	"context"
	"strings"
	"time"

	"vitrine/admin/api"
	"vitrine/internal/secret"
	"vitrine/internal/shop"
	"vitrine/internal/store/people"
)

type userView struct {
	ID        shop.UserID    `json:"id"`
	Email     string         `json:"email"`
	Name      string         `json:"name"`
	Phone     string         `json:"phone"`
	NextEmail string         `json:"next_email"` // not confirmed with its code yet; empty: none
	IsGuest   bool           `json:"is_guest"`
	Proven    bool           `json:"proven"` // the address was proven with a code sent to it
	CompanyID shop.CompanyID `json:"company_id"`
	Role      shop.Role      `json:"role" blank:"of no member"`
}

// sessionView is the response of calls that open a session. It has the token on the admin origin
// only, unless the caller wants a cookie: on a shop's host the HttpOnly cookie carries it, because
// scripts of the shop's owner can read every response there.
type sessionView struct {
	Token     string     `json:"token,omitempty" doc:"absent if a cookie carries it, on a shop's host or with cookie, and if the caller already has a session"`
	ExpiresAt *time.Time `json:"expires_at,omitempty" doc:"absent if the caller keeps an existing session"`
	User      userView   `json:"user"`
}

// keeping is how a caller on the admin origin keeps a session.
type keeping struct {
	Cookie bool `json:"cookie" doc:"on the admin origin: keep the session in an HttpOnly cookie for scripts of its pages, instead of returning the token"`
}

// check refuses a cookie before the call has done anything.
func (k keeping) check(a *Access, c *api.Call) error {
	if !k.Cookie {
		return nil
	}
	return c.CheckAdminCookie(a.urls.Admin)
}

type registerRequest struct {
	Email    string `json:"email" required:"always" len:"254" refuse:"EMAIL_INVALID"`
	Password string `json:"password" required:"always" len:"256" refuse:"PASSWORD_TOO_SHORT" spaces:"kept"`
	Name     string `json:"name"`
	keeping
}

func (a *Access) register(ctx context.Context, c *api.Call, in registerRequest) (api.Result[sessionView], error) {
	if err := in.check(a, c); err != nil {
		return api.Result[sessionView]{}, err
	}
	email, err := checkEmail(in.Email)
	if err != nil {
		return api.Result[sessionView]{}, err
	}
	if err := checkPassword("password", in.Password); err != nil {
		return api.Result[sessionView]{}, err
	}
	if in.Name, err = checkName(in.Name); err != nil {
		return api.Result[sessionView]{}, err
	}
	spent, err := a.attempt(ctx, "register "+c.Network().String())
	if err != nil {
		return api.Result[sessionView]{}, err
	}
	hash, err := a.hashAt(ctx, priority{c.Network(), spent}, in.Password)
	if err != nil {
		return api.Result[sessionView]{}, err
	}
	id, err := a.createPerson(ctx, c, email, in.Name, hash)
	if err != nil {
		return api.Result[sessionView]{}, err
	}
	return a.open(ctx, c, people.Person{ID: id, Email: email, Name: in.Name}, in.keeping)
}

type loginRequest struct {
	Email    string `json:"email" required:"always" len:"body"`
	Password string `json:"password" required:"always" len:"body"`
	secondFactor
	keeping
}

func (a *Access) login(ctx context.Context, c *api.Call, in loginRequest) (api.Result[sessionView], error) {
	if err := in.check(a, c); err != nil {
		return api.Result[sessionView]{}, err
	}
	person, err := a.byPassword(ctx, c, in.Email, in.Password)
	if err != nil {
		return api.Result[sessionView]{}, err
	}
	if err := a.pass(ctx, c, person.ID, strings.ToLower(person.Email), in.secondFactor); err != nil {
		return api.Result[sessionView]{}, err
	}
	if err := a.mergeGuest(ctx, c, person.ID); err != nil {
		return api.Result[sessionView]{}, err
	}
	return a.open(ctx, c, person, in.keeping)
}

// byPassword returns the person with an email and a password.
func (a *Access) byPassword(ctx context.Context, c *api.Call, email, password string) (people.Person, error) {
	email = strings.ToLower(strings.TrimSpace(email))
	if len(email) > maxEmail || len(password) > maxPassword {
		return people.Person{}, errWrong // no account has these
	}
	var person people.Person
	err := a.verify(ctx, pairOf(c, email), func() (string, error) {
		found, known, err := people.PersonByEmail(ctx, a.store, email)
		if person = found; !known {
			return dummyHash, err // do the same work for unknown emails
		}
		return person.PasswordHash, err
	}, password)
	return person, err
}

// pairOf returns the pair of an account and the caller's network.
func pairOf(c *api.Call, email string) pair { return pair{strings.ToLower(email), c.Network()} }

// errWrong does not tell which of the two is wrong.
var errWrong = ErrCredentials.With("email or password is wrong")

// dummyHash matches no password and costs as much to check as a real hash.
const dummyHash = "$argon2id$v=19$m=19456,t=2,p=1$AAAAAAAAAAAAAAAAAAAAAA$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"

// open starts a session and remembers the network of the account. It puts the token into the
// response or into an HttpOnly cookie, never both: on a shop's host always into the cookie.
func (a *Access) open(ctx context.Context, c *api.Call, p people.Person, by keeping) (api.Result[sessionView], error) {
	return a.openWith(ctx, c, p, by, people.NewSession{})
}

// openWith is open for a session with special properties.
func (a *Access) openWith(ctx context.Context, c *api.Call, p people.Person, by keeping, how people.NewSession) (api.Result[sessionView], error) {
	if !p.Guest() {
		a.guesses.known.Set(pairOf(c, p.Email))
	}
	token, hash, err := secret.New(secret.Session)
	if err != nil {
		return api.Result[sessionView]{}, err
	}
	now := a.now().UTC()
	expires := now.Add(sessionLifetime).Truncate(time.Second)
	how.TokenHash, how.Person, how.Bound, how.Network, how.Agent, how.At, how.Expires = hash, p.ID, c.Storefront, networkOf(c), agentOf(c), now, expires
	if err := people.CreateSession(ctx, a.store, how); err != nil {
		return api.Result[sessionView]{}, err
	}
	user, err := a.view(ctx, c, p)
	if c.Storefront != 0 || by.Cookie {
		c.SetSessionCookie(token, sessionLifetime)
		token = ""
	}
	return api.Wrap(sessionView{Token: token, ExpiresAt: &expires, User: user}), err
}

// view returns the person as the caller may see them, with the shop that the call acts in and
// their role there; on a shop's host without these.
func (a *Access) view(ctx context.Context, c *api.Call, p people.Person) (v userView, err error) {
	v = userView{ID: p.ID, Email: p.Email, Name: p.Name, Phone: p.Phone, NextEmail: p.NextEmail, IsGuest: p.Guest(), Proven: p.Proven}
	switch {
	case c.Storefront != 0:
	case c.Company != 0:
		v.CompanyID, v.Role = c.Company, c.Role
	default:
		v.CompanyID, v.Role, err = people.MainCompany(ctx, a.store, p.ID)
	}
	return v, err
}

func (a *Access) logout(ctx context.Context, c *api.Call, _ api.None) (api.None, error) {
	if token := c.Token(); secret.WellFormed(token, secret.Session) {
		if err := people.EndSession(ctx, a.store, secret.Hash(token)); err != nil {
			return api.None{}, err
		}
	}
	a.dropCookie(c)
	return api.None{}, nil
}

func (*Access) dropCookie(c *api.Call) {
	if c.Storefront != 0 || c.ByCookie() {
		c.SetSessionCookie("", 0)
	}
}

// meView is the person as they see themselves.
type meView struct {
	userView
	Language string         `json:"language" doc:"of the cabinet; empty: as the browser says"`
	Factors  people.Factors `json:"second_factor"`

	UpdatedAt time.Time `json:"updated_at" doc:"when name, phone, language or an address changed"`
}

func (a *Access) me(ctx context.Context, c *api.Call, _ api.None) (out api.Result[meView], err error) {
	person, err := people.GetPerson(ctx, a.store, c.Person)
	if err != nil {
		return out, err
	}
	out.Result, err = a.meOf(ctx, c, person)
	return out, err
}

// meOf is the response to a person who asks about themselves. Scripts of a shop on its host do not see
// the second factor.
func (a *Access) meOf(ctx context.Context, c *api.Call, p people.Person) (v meView, err error) {
	v.Language, v.UpdatedAt = p.Language, p.UpdatedAt
	if v.userView, err = a.view(ctx, c, p); err == nil && c.Storefront == 0 && !c.Buyer {
		v.Factors, err = people.FactorsOf(ctx, a.store, p.ID)
	}
	return v, err
}

type passwordRequest struct {
	reauthentication
	NewPassword string `json:"new_password" required:"always" len:"256" refuse:"PASSWORD_TOO_SHORT" spaces:"kept"`
	EndKeys     bool   `json:"end_keys"` // also revoke the person's keys in all shops
}

// changePassword ends all other sessions. Keys stay valid, because a shop's integrations depend
// on them, unless EndKeys is set; the response counts the keys that stay.
func (a *Access) changePassword(ctx context.Context, c *api.Call, in passwordRequest) (out api.Result[people.EndedCredentials], err error) {
	if err := checkPassword("new_password", in.NewPassword); err != nil {
		return out, err
	}
	if c.Buyer && in.EndKeys {
		return out, api.ErrRole.With("keys can only be revoked at the address of the admin API")
	}
	if err := a.reauthenticate(ctx, c, in.reauthentication); err != nil {
		return out, err
	}
	hash, err := a.Hash(ctx, in.NewPassword)
	if err != nil {
		return out, err
	}
	out.Result, err = people.SetPassword(ctx, a.store, c.Person, hash, secret.Hash(c.Token()), in.EndKeys, a.now())
	if c.Buyer {
		out.Result.LiveKeys = 0 // storefronts must not see keys
	}
	return out, err
}
