package zone

import (
	"encoding/json"

	"vitrine/render"
)

// account reads who is signed in.
func (v *Visit) account() (*render.Account, error) {
	a := &render.Account{Next: local(v.Query.Get("next"), "")}
	who, err := v.person()
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

// deed is one form of the account: the call that it makes, and what the page says
// when it was done.
type deed struct {
	method, path string
	fields       []string // of the form, sent by their names
	done         string
	onward       bool // the visitor is signed in then, and goes on
	at           string
}

var deeds = map[string]deed{
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
	"ask":      {"POST", "/v1/auth/code", []string{"email"}, "asked", false, ""}, // to who is signed in
	"leave":    {"POST", "/v1/auth/logout", nil, "left", false, ""},
	"remove":   {"DELETE", "/v1/account", []string{"password", "code"}, "removed", false, "remove"},
}

// takeAccount takes the forms of the account.
func (v *Visit) takeAccount() (Answer, error) {
	if v.Below != "" {
		return missing()
	}
	do := v.sent("do")
	d, known := deeds[do]
	var refused *refusal
	var err error
	if known {
		refused, err = v.own(do, d)
	} else {
		d = deed{done: "saved", at: "address"}
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

// own makes the call of a form. A code is sent to the address that the person has,
// whatever the form says.
func (v *Visit) own(do string, d deed) (*refusal, error) {
	in := v.fields(d.fields)
	if do == "ask" {
		who, err := v.person()
		if err != nil || who == nil {
			return &refusal{401, "UNAUTHENTICATED"}, err
		}
		in["email"] = who.Email
	}
	return v.call(d.method, d.path, in, nil)
}

// fields are those of the form that a call takes. A password is taken as it is.
func (v *Visit) fields(names []string) map[string]string {
	in := map[string]string{}
	for _, name := range names {
		if in[name] = v.sent(name); name == "password" || name == "new_password" {
			in[name] = v.Form.Get(name)
		}
	}
	return in
}

// refusedAccount shows the page again, with what was typed.
func (v *Visit) refusedAccount(do string, d deed, refused *refusal) (Answer, error) {
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

// askCode asks for the code that was sent.
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
