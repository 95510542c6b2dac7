package backend

import (
	"github.com/valyala/fasthttp"

	"vitrine/render"
)

const (
	mePath      = "/v1/auth/me"
	addressPath = "/v1/account/addresses"
)

// EnsureSession makes a visitor without a valid session a guest, so that a cart can be kept
// for them.
func (v *Visitor) EnsureSession() (*Refusal, error) {
	if v.token != "" {
		refused, err := v.call(request{method: fasthttp.MethodGet, path: mePath}, nil)
		if err != nil || !refused.Unauthenticated() {
			return refused, err
		}
		v.token = "" // the session has expired
	}
	return v.post("/v1/auth/guest", empty{})
}

// Customer is the signed-in customer; nil for guests and visitors without a session.
func (v *Visitor) Customer() (*render.Person, error) {
	if v.token == "" {
		return nil, nil
	}
	who, refused, err := get[render.Person](v, mePath)
	if err != nil || refused != nil || who.Email == "" {
		return nil, err
	}
	return &who, nil
}

// Addresses is the address book of the customer.
func (v *Visitor) Addresses() ([]render.Address, error) {
	book, _, err := get[[]render.Address](v, addressPath)
	return book, err
}

// Coupons are the customer's own promotion codes.
func (v *Visitor) Coupons() ([]render.Coupon, error) {
	coupons, _, err := get[[]render.Coupon](v, "/v1/account/coupons")
	return coupons, err
}

// AddAddress adds an address to the book.
func (v *Visitor) AddAddress(a render.Address) (*Refusal, error) { return v.post(addressPath, a) }

// RemoveAddress removes an address from the book.
func (v *Visitor) RemoveAddress(id string) (*Refusal, error) {
	return v.call(request{method: fasthttp.MethodDelete, path: path(addressPath, id)}, nil)
}

// SetDefaultAddress makes an address the default one.
func (v *Visitor) SetDefaultAddress(id string) (*Refusal, error) {
	return v.put(path(addressPath, id), struct {
		IsDefault bool `json:"is_default"`
	}{true})
}

// Factor is the second factor of a customer who has one.
type Factor struct {
	TOTP         string `json:"totp,omitempty"` // code of an authenticator app
	RecoveryCode string `json:"recovery_code,omitempty"`
}

// Login signs in with a password.
type Login struct {
	Email    string `json:"email"`
	Password string `json:"password"`
	Factor
}

// LogIn signs the visitor in.
func (v *Visitor) LogIn(in Login) (*Refusal, error) { return v.post("/v1/auth/login", in) }

// Registration is a new account.
type Registration struct {
	Login
	Name string `json:"name"`
}

// Register creates an account and signs the visitor in.
func (v *Visitor) Register(in Registration) (*Refusal, error) {
	return v.post("/v1/auth/register", in)
}

type emailOnly struct {
	Email string `json:"email"`
}

// SendCode sends a code to an address.
func (v *Visitor) SendCode(email string) (*Refusal, error) {
	return v.post("/v1/auth/code", emailOnly{email})
}

// ConfirmCode signs in with the code that was sent to an address, or confirms the address.
func (v *Visitor) ConfirmCode(email, code string, by Factor) (*Refusal, error) {
	return v.post("/v1/auth/code/confirm", struct {
		emailOnly
		Code string `json:"code"`
		Factor
	}{emailOnly{email}, code, by})
}

// ForgotPassword sends a link that sets a new password.
func (v *Visitor) ForgotPassword(email string) (*Refusal, error) {
	return v.post("/v1/auth/password/forgot", emailOnly{email})
}

// ResetPassword sets the password with the token of such a link.
func (v *Visitor) ResetPassword(token, password string, by Factor) (*Refusal, error) {
	return v.post("/v1/auth/password/reset", struct {
		Token    string `json:"token"`
		Password string `json:"password"`
		Factor
	}{token, password, by})
}

// Proof proves that a change is made by the customer: with the password, or with a code.
type Proof struct {
	Password string `json:"password"`
	Code     string `json:"code"`
}

// SaveProfile changes name and phone of the customer.
func (v *Visitor) SaveProfile(name, phone string) (*Refusal, error) {
	return v.put(mePath, struct {
		Name  string `json:"name"`
		Phone string `json:"phone"`
	}{name, phone})
}

// ChangeEmail asks for another address, which a code then confirms.
func (v *Visitor) ChangeEmail(email string, by Proof) (*Refusal, error) {
	return v.put(mePath, struct {
		emailOnly
		Proof
	}{emailOnly{email}, by})
}

// ChangePassword sets another password.
func (v *Visitor) ChangePassword(password string, by Proof) (*Refusal, error) {
	return v.post("/v1/auth/password", struct {
		Proof
		New string `json:"new_password"`
	}{by, password})
}

// LogOut ends the session.
func (v *Visitor) LogOut() (*Refusal, error) { return v.post("/v1/auth/logout", empty{}) }

// DeleteAccount deletes the customer's account.
func (v *Visitor) DeleteAccount(by Proof) (*Refusal, error) {
	return v.call(request{method: fasthttp.MethodDelete, path: "/v1/account", in: by}, nil)
}

func (v *Visitor) post(path string, in any) (*Refusal, error) {
	return v.call(request{method: fasthttp.MethodPost, path: path, in: in}, nil)
}

func (v *Visitor) put(path string, in any) (*Refusal, error) {
	return v.call(request{method: fasthttp.MethodPut, path: path, in: in}, nil)
}
