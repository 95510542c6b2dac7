package admin_test

import (
	"encoding/json"
	"testing"

	"github.com/descope/virtualwebauthn"
	"github.com/pquerna/otp/totp"

	"vitrine/admin/api/apitest"
)

// secondFactor gives a person an authenticator app, ends another session of theirs, and removes the
// app. The codes of its examples are those of the recorded moment.
func (r *recorder) secondFactor() {
	person := object{"email": "lin@example.com", "password": "a long password", "name": "Lin"}
	other := result(r.do("", "POST", "/v1/auth/register", person), "token").(string)
	session := result(r.do("", "POST", "/v1/auth/login", object{"email": "lin@example.com", "password": "a long password"}), "token").(string)
	r.do(other, "PUT", "/v1/account/views/products", object{"columns": list{"name", "price"}})
	r.do(other, "GET", "/v1/account/views/products", nil)
	for _, row := range r.do(session, "GET", "/v1/auth/sessions", nil)["result"].(list) {
		if row := row.(object); row["current"] != true {
			r.do(session, "DELETE", "/v1/auth/sessions/"+id(row["id"]), nil)
		}
	}
	r.do(session, "POST", "/v1/auth/reauth", object{"password": "a long password"})
	app := result(r.do(session, "POST", "/v1/auth/totp", nil), "secret").(string)
	code, err := totp.GenerateCode(app, r.Clock.Now())
	r.must(err)
	codes := result(r.do(session, "POST", "/v1/auth/totp/confirm", object{"code": code}), "recovery_codes").(list)
	r.do(session, "DELETE", "/v1/auth/totp", object{"code": codes[0]})
	r.passkey(session)
	r.do(session, "DELETE", "/v1/account", object{"password": "a long password"})
}

// passkey adds a passkey, signs in with it and removes it.
func (r *recorder) passkey(session string) {
	const path = "/v1/auth/passkeys"
	device := newLaptop(r.t)
	own := path + "/" + id(result(r.do(session, "POST", path+"/register/finish", device.attests(r.do(session, "POST", path+"/register/begin", nil))), "id"))
	r.do(session, "PUT", own, object{"name": "Work laptop"})
	r.do("", "POST", path+"/login/finish", device.signs(r.do("", "POST", path+"/login/begin", nil)))
	r.do(session, "GET", path, nil)
	r.do(session, "GET", own, nil)
	r.do(session, "DELETE", own, nil)
}

// laptop is a device with a passkey.
type laptop struct {
	t      *testing.T
	device virtualwebauthn.Authenticator
	key    virtualwebauthn.Credential
}

var adminSite = virtualwebauthn.RelyingParty{ID: "admin.test", Origin: apitest.AdminURL}

func newLaptop(t *testing.T) *laptop {
	return &laptop{t, virtualwebauthn.NewAuthenticator(), apitest.NewPasskey()}
}

// attests returns the body that enrols the passkey.
func (l *laptop) attests(begun object) object {
	l.t.Helper()
	creation, err := virtualwebauthn.ParseAttestationOptions(l.options(begun))
	if err != nil {
		l.t.Fatal(err)
	}
	l.device.Options.UserHandle = []byte(creation.UserID)
	made := l.body(virtualwebauthn.CreateAttestationResponse(adminSite, l.device, l.key, *creation))
	made["name"] = "Laptop"
	return made
}

// signs returns the body that signs in.
func (l *laptop) signs(begun object) object {
	l.t.Helper()
	request, err := virtualwebauthn.ParseAssertionOptions(l.options(begun))
	if err != nil {
		l.t.Fatal(err)
	}
	l.key.Counter++
	return l.body(virtualwebauthn.CreateAssertionResponse(adminSite, l.device, l.key, *request))
}

func (l *laptop) options(begun object) string {
	l.t.Helper()
	text, err := json.Marshal(begun["result"])
	if err != nil {
		l.t.Fatal(err)
	}
	return string(text)
}

func (l *laptop) body(text string) (out object) {
	l.t.Helper()
	if err := json.Unmarshal([]byte(text), &out); err != nil {
		l.t.Fatal(err)
	}
	return out
}
