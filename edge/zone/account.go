package zone

import (
	"encoding/json"

	"vitrine/render"
)

// account reads the data of the signed-in customer.
func (v *Visit) account() (*render.Account, error) {
	a := &render.Account{Next: local(v.Query.Get("next"), "")}
	who, err := v.customer()
	if err != nil || who == nil {
		return a, err
	}
	a.Person = who
	if a.Addresses, err = v.addresses(); err != nil {
		return a, err
	}
	_, err = v.call("GET", "/v1/account/coupons", nil, &struct {
		Result *[]render.Coupon `json:"result"`
	}{&a.Coupons})
	return a, err
}

func (v *Visit) showAccount() (Answer, error) {
	if v.Below != "" && v.Below != "reset" {
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
	method, path string
	fields       []string // form fields sent with the call under the same names
	done         string   // value of ?done= on the next page
	onward       bool     // the call signs the visitor in, who is then redirected to next
	at           string   // where the page shows a refusal
}

var accountForms = map[string]accountForm{
	"login":    {"POST", "/v1/auth/login", []string{"email", "password"}, "", true, "login"},
	"register": {"POST", "/v1/auth/register", []string{"email", "password", "name"}, "", true, "register"},
	"code":     {"POST", "/v1/auth/code", []string{"email"}, "", false, "code"},
	"confirm":  {"POST", "/v1/auth/code/confirm", []string{"email", "code"}, "", true, "code"},
	"forgot":   {"POST", "/v1/auth/password/forgot", []string{"email"}, "forgot", false, "forgot"},
	"reset":    {"POST", "/v1/auth/password/reset", []string{"token", "password"}, "reset", false, "reset"},
	"profile":  {"PUT", "/v1/auth/me", []string{"name", "phone"}, "saved", false, "profile"},
	"email":    {"PUT", "/v1/auth/me", []string{"email", "password", "code"}, "email", false, "email"},
	"moved":    {"POST", "/v1/auth/code/confirm", []string{"email", "code"}, "saved", false, "moved"},
	"password": {"POST", "/v1/auth/password", []string{"password", "code", "new_password"}, "saved", false, "password"},
	"ask":      {"POST", "/v1/auth/code", []string{"email"}, "asked", false, ""}, // for signed-in customers
	"leave":    {"POST", "/v1/auth/logout", nil, "left", false, ""},
	"remove":   {"DELETE", "/v1/account", []string{"password", "code"}, "removed", false, "remove"},
}

// takeAccount handles the forms of the account.
func (v *Visit) takeAccount() (Answer, error) {
	if v.Below != "" {
		return missing()
	}
	do := v.sent("do")
	d, known := accountForms[do]
	var refused *refusal
	var err error
	if known {
		refused, err = v.submit(do, d)
	} else {
		d = accountForm{done: "saved", at: "address"}
		refused, err = v.changeAddress(do)
	}
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

// submit makes the call of a form. A code for a signed-in customer is sent to their own
// address, whatever the form contains.
func (v *Visit) submit(do string, d accountForm) (*refusal, error) {
	in := v.fields(d.fields)
	if do == "ask" {
		who, err := v.customer()
		if err != nil || who == nil {
			return &refusal{401, "UNAUTHENTICATED"}, err
		}
		in["email"] = who.Email
	}
	return v.call(d.method, d.path, in, nil)
}

// fields returns the form fields of a call. Passwords are not trimmed.
func (v *Visit) fields(names []string) map[string]string {
	in := map[string]string{}
	for _, name := range names {
		if in[name] = v.sent(name); name == "password" || name == "new_password" {
			in[name] = v.Form.Get(name)
		}
	}
	return in
}

// refusedAccount shows the page again, with everything typed.
func (v *Visit) refusedAccount(do string, d accountForm, refused *refusal) (Answer, error) {
	a, err := v.account()
	if err != nil {
		return Answer{}, err
	}
	a.Next, a.At, a.Trouble = local(v.Form.Get("next"), ""), d.at, refused.trouble("")
	a.Typed = render.Person{Email: v.sent("email"), Name: v.sent("name")}
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

func (v *Visit) changeAddress(do string) (*refusal, error) {
	const book = "/v1/account/addresses"
	switch do {
	case "address-add":
		return v.call("POST", book, v.typedAddress(), nil)
	case "address-remove":
		return v.call("DELETE", path(book, v.sent("id")), nil, nil)
	case "address-default":
		return v.call("PUT", path(book, v.sent("id")), map[string]json.RawMessage{"is_default": json.RawMessage("true")}, nil)
	}
	return &refusal{400, "INVALID_REQUEST"}, nil
}
