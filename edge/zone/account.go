package zone

import (
	"strings"

	"github.com/valyala/fasthttp"

	"vitrine/edge/backend"
	"vitrine/render"
)

// account reads the data of the signed-in customer.
func (v *Visit) account() (*render.Account, error) {
	a := &render.Account{Next: local(v.Query.Get("next"), "")}
	who, err := v.Backend.Customer()
	if err != nil || who == nil {
		return a, err
	}
	a.Person = who
	if a.Addresses, err = v.Backend.Addresses(); err != nil {
		return a, err
	}
	if a.Coupons, err = v.Backend.Coupons(); err != nil {
		return a, err
	}
	a.Links, err = v.Backend.Links()
	return a, err
}

func (v *Visit) showAccount() (Answer, error) {
	switch v.Below {
	case "", "reset":
	case "link":
		return v.showLink()
	default:
		return missing()
	}
	a, err := v.account()
	if a.Done = v.Query.Get("done"); v.Below == "reset" {
		a.Reset = v.Query.Get("token")
	}
	return Answer{Body: a}, err
}

// accountForm is one form of the account: the call that it makes, and the message shown
// afterwards.
type accountForm struct {
	send   func(*Visit) (*backend.Refusal, error)
	done   string // value of ?done= on the next page
	onward bool   // the call signs the visitor in, who is then redirected to next
	at     string // where the page shows a refusal
}

var accountForms = map[string]accountForm{
	"login":           {(*Visit).logIn, "", true, "login"},
	"register":        {(*Visit).register, "", true, "register"},
	"code":            {(*Visit).sendCode, "", false, "code"},
	"confirm":         {(*Visit).confirmCode, "", true, "code"},
	"forgot":          {(*Visit).forgotPassword, "forgot", false, "forgot"},
	"reset":           {(*Visit).resetPassword, "reset", false, "reset"},
	"profile":         {(*Visit).saveProfile, "saved", false, "profile"},
	"email":           {(*Visit).changeEmail, "email", false, "email"},
	"moved":           {(*Visit).confirmCode, "saved", false, "moved"},
	"password":        {(*Visit).changePassword, "saved", false, "password"},
	"ask":             {(*Visit).sendOwnCode, "asked", false, ""},
	"unlink":          {(*Visit).unlink, "unlinked", false, ""},
	"leave":           {(*Visit).logOut, "left", false, ""},
	"remove":          {(*Visit).deleteAccount, "removed", false, "remove"},
	"address-add":     {(*Visit).addAddress, "saved", false, "address"},
	"address-remove":  {(*Visit).removeAddress, "saved", false, "address"},
	"address-default": {(*Visit).setDefaultAddress, "saved", false, "address"},
}

func (v *Visit) logIn() (*backend.Refusal, error) { return v.Backend.LogIn(v.login()) }

func (v *Visit) register() (*backend.Refusal, error) {
	return v.Backend.Register(backend.Registration{Login: v.login(), Name: v.sent("name")})
}

func (v *Visit) sendCode() (*backend.Refusal, error) { return v.Backend.SendCode(v.sent("email")) }

func (v *Visit) confirmCode() (*backend.Refusal, error) {
	return v.Backend.ConfirmCode(v.sent("email"), v.sent("code"), v.factor())
}

func (v *Visit) forgotPassword() (*backend.Refusal, error) {
	return v.Backend.ForgotPassword(v.sent("email"))
}

func (v *Visit) resetPassword() (*backend.Refusal, error) {
	return v.Backend.ResetPassword(v.sent("token"), v.Form.Get("password"), v.factor())
}

func (v *Visit) saveProfile() (*backend.Refusal, error) {
	return v.Backend.SaveProfile(v.sent("name"), v.sent("phone"))
}

func (v *Visit) changeEmail() (*backend.Refusal, error) {
	return v.Backend.ChangeEmail(v.sent("email"), v.proof())
}

func (v *Visit) changePassword() (*backend.Refusal, error) {
	return v.Backend.ChangePassword(v.Form.Get("new_password"), v.proof())
}

// sendOwnCode sends a signed-in customer a code to their own address, whatever the form
// contains.
func (v *Visit) sendOwnCode() (*backend.Refusal, error) {
	who, err := v.Backend.Customer()
	if err != nil || who == nil {
		return &backend.Refusal{Status: fasthttp.StatusUnauthorized, Code: "UNAUTHENTICATED"}, err
	}
	return v.Backend.SendCode(who.Email)
}

func (v *Visit) logOut() (*backend.Refusal, error) { return v.Backend.LogOut() }

func (v *Visit) deleteAccount() (*backend.Refusal, error) {
	return v.Backend.DeleteAccount(v.proof())
}

func (v *Visit) addAddress() (*backend.Refusal, error) {
	return v.Backend.AddAddress(v.typedAddress())
}

func (v *Visit) removeAddress() (*backend.Refusal, error) {
	return v.Backend.RemoveAddress(v.sent("id"))
}

func (v *Visit) setDefaultAddress() (*backend.Refusal, error) {
	return v.Backend.SetDefaultAddress(v.sent("id"))
}

// login are the fields of a sign-in. Passwords are not trimmed.
func (v *Visit) login() backend.Login {
	return backend.Login{Email: v.sent("email"), Password: v.Form.Get("password"), Factor: v.factor()}
}

// factor is the second factor, for which the forms have one field once it is asked for: codes of
// authenticator apps consist of digits, recovery codes do not.
func (v *Visit) factor() backend.Factor {
	sent := v.sent("factor")
	if strings.Trim(sent, "0123456789 ") == "" {
		return backend.Factor{TOTP: strings.ReplaceAll(sent, " ", "")}
	}
	return backend.Factor{RecoveryCode: sent}
}

func (v *Visit) proof() backend.Proof {
	return backend.Proof{Password: v.Form.Get("password"), Code: v.sent("code")}
}

// takeAccount handles the forms of the account.
func (v *Visit) takeAccount() (Answer, error) {
	switch v.Below {
	case "":
	case "link":
		return v.takeLink()
	default:
		return missing()
	}
	do := v.sent("do")
	d, known := accountForms[do]
	if !known {
		return v.refusedAccount(do, accountForm{at: "address"}, invalid)
	}
	refused, err := d.send(v)
	switch {
	case err != nil:
		return Answer{}, err
	case refused != nil:
		return v.refusedAccount(do, d, refused)
	case do == "code":
		return v.askCode()
	case d.onward:
		return to(local(v.Form.Get("next"), "/account"))
	}
	return to("/account?done=" + d.done)
}

// refusedAccount shows the page again, with everything typed.
func (v *Visit) refusedAccount(do string, d accountForm, refused *backend.Refusal) (Answer, error) {
	a, err := v.account()
	if err != nil {
		return Answer{}, err
	}
	a.Next, a.At, a.Trouble = local(v.Form.Get("next"), ""), d.at, trouble(refused, "")
	a.Typed = render.Person{Email: v.sent("email"), Name: v.sent("name")}
	a.Factor = refused.Code == "SECOND_FACTOR_REQUIRED" || refused.Code == "SECOND_FACTOR_INVALID"
	switch do {
	case "confirm":
		a.Asked = v.sent("email")
	case "reset":
		a.Reset = v.sent("token")
	case "address-add":
		a.Editing = v.typedAddress()
	}
	return page(a, refused)
}

// askCode shows the page that asks for the code just sent.
func (v *Visit) askCode() (Answer, error) {
	a, err := v.account()
	a.Next, a.Asked = local(v.Form.Get("next"), ""), v.sent("email")
	return Answer{Body: a}, err
}
