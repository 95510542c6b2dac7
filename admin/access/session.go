package access

import (
	"context"
	"strings"
	"time"

	"vitrine/admin/api"
	"vitrine/internal/secret"
	"vitrine/internal/shop"
	"vitrine/internal/store"
)

type userView struct {
	ID        shop.UserID    `json:"id"`
	Email     string         `json:"email"`
	Name      string         `json:"name"`
	CompanyID shop.CompanyID `json:"company_id"`
	Role      shop.Role      `json:"role"`
}

type sessionView struct {
	Token     string    `json:"token"`
	ExpiresAt time.Time `json:"expires_at"`
	User      userView  `json:"user"`
}

type registerRequest struct {
	Email    string `json:"email" len:"254" refuse:"EMAIL_INVALID"`
	Password string `json:"password" len:"256" refuse:"PASSWORD_TOO_SHORT"`
	Name     string `json:"name"`
}

func (a *Access) register(ctx context.Context, c *api.Call, in registerRequest) (api.Result[sessionView], error) {
	email, err := checkEmail(in.Email)
	if err != nil {
		return api.Result[sessionView]{}, err
	}
	if err := checkPassword(in.Password); err != nil {
		return api.Result[sessionView]{}, err
	}
	if in.Name, err = checkName(in.Name); err != nil {
		return api.Result[sessionView]{}, err
	}
	if err := a.try("register " + c.RemoteIP()); err != nil {
		return api.Result[sessionView]{}, err
	}
	hash, err := a.hash(ctx, in.Password)
	if err != nil {
		return api.Result[sessionView]{}, err
	}
	id, err := a.store.CreatePerson(ctx, email, in.Name, hash)
	if err != nil {
		return api.Result[sessionView]{}, err
	}
	return a.open(ctx, c, store.Person{ID: id, Email: email, Name: in.Name})
}

type loginRequest struct {
	Email    string `json:"email" len:"body"`
	Password string `json:"password" len:"body"`
}

func (a *Access) login(ctx context.Context, c *api.Call, in loginRequest) (api.Result[sessionView], error) {
	email := strings.ToLower(strings.TrimSpace(in.Email))
	if len(email) > maxEmail || len(in.Password) > maxPassword {
		return api.Result[sessionView]{}, errWrong // nobody has these
	}
	if err := a.try(email); err != nil {
		return api.Result[sessionView]{}, err
	}
	person, found, err := a.store.PersonByEmail(ctx, email)
	if err != nil {
		return api.Result[sessionView]{}, err
	}
	if !found {
		person.PasswordHash = nobody // the same work for an email that nobody has
	}
	ok, err := a.check(ctx, person.PasswordHash, in.Password)
	if err != nil {
		return api.Result[sessionView]{}, err
	}
	if !ok || !found {
		return api.Result[sessionView]{}, errWrong
	}
	a.tries.giveBack(email)
	return a.open(ctx, c, person)
}

// errWrong does not tell which of the two is wrong.
var errWrong = ErrCredentials.With("email or password is wrong")

// nobody is the hash of no password, with the cost of a real one.
const nobody = "$argon2id$v=19$m=19456,t=2,p=1$AAAAAAAAAAAAAAAAAAAAAA$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"

// open starts a session; on a storefront host the token also goes into an
// HttpOnly cookie.
func (a *Access) open(ctx context.Context, c *api.Call, p store.Person) (api.Result[sessionView], error) {
	token, hash, err := secret.New(secret.Session)
	if err != nil {
		return api.Result[sessionView]{}, err
	}
	expires := a.now().Add(sessionLifetime).UTC().Truncate(time.Second)
	if err := a.store.CreateSession(ctx, hash, p.ID, expires); err != nil {
		return api.Result[sessionView]{}, err
	}
	if c.Storefront != 0 {
		c.SetHeader("Set-Cookie", api.SessionCookie+"="+token+"; Path=/; HttpOnly; Secure; SameSite=Lax; Max-Age=2592000")
	}
	user, err := a.view(ctx, p)
	return api.Wrap(sessionView{Token: token, ExpiresAt: expires, User: user}), err
}

func (a *Access) view(ctx context.Context, p store.Person) (userView, error) {
	company, role, err := a.store.MainCompany(ctx, p.ID)
	return userView{ID: p.ID, Email: p.Email, Name: p.Name, CompanyID: company, Role: role}, err
}

func (a *Access) logout(ctx context.Context, c *api.Call, _ api.None) (api.None, error) {
	if token := c.Token(); secret.WellFormed(token, secret.Session) {
		if err := a.store.EndSession(ctx, secret.Hash(token)); err != nil {
			return api.None{}, err
		}
	}
	if c.Storefront != 0 {
		c.SetHeader("Set-Cookie", api.SessionCookie+"=; Path=/; HttpOnly; Secure; SameSite=Lax; Max-Age=0")
	}
	return api.None{}, nil
}

func (a *Access) me(ctx context.Context, c *api.Call, _ api.None) (api.Result[userView], error) {
	person, err := a.store.Person(ctx, c.Person)
	if err != nil {
		return api.Result[userView]{}, err
	}
	user, err := a.view(ctx, person)
	return api.Wrap(user), err
}

type passwordRequest struct {
	Password    string `json:"password" len:"body"`
	NewPassword string `json:"new_password" len:"256" refuse:"PASSWORD_TOO_SHORT"`
}

// changePassword counts wrong passwords together with those of logins.
func (a *Access) changePassword(ctx context.Context, c *api.Call, in passwordRequest) (api.None, error) {
	if err := checkPassword(in.NewPassword); err != nil {
		return api.None{}, err
	}
	if len(in.Password) > maxPassword {
		return api.None{}, errWrong
	}
	person, err := a.store.Person(ctx, c.Person)
	if err != nil {
		return api.None{}, err
	}
	email := strings.ToLower(person.Email)
	if err := a.try(email); err != nil {
		return api.None{}, err
	}
	ok, err := a.check(ctx, person.PasswordHash, in.Password)
	if err == nil && !ok {
		err = errWrong
	}
	if err != nil {
		return api.None{}, err
	}
	a.tries.giveBack(email)
	hash, err := a.hash(ctx, in.NewPassword)
	if err != nil {
		return api.None{}, err
	}
	return api.None{}, a.store.SetPassword(ctx, c.Person, hash, secret.Hash(c.Token()))
}
