package access_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/descope/virtualwebauthn"

	"vitrine/admin/api/apitest"
)

// device is a device with a passkey of mei.
type device struct {
	*apitest.API
	t    *testing.T
	rp   virtualwebauthn.RelyingParty
	auth virtualwebauthn.Authenticator
	cred virtualwebauthn.Credential
}

const passkeys = "/v1/auth/passkeys"

func newDevice(t *testing.T, a *apitest.API) *device {
	return &device{
		API: a, t: t, rp: virtualwebauthn.RelyingParty{ID: "admin.test", Name: "vitrine", Origin: "https://admin.test"},
		auth: virtualwebauthn.NewAuthenticator(), cred: apitest.NewPasskey(),
	}
}

func (d *device) begin(path, session string) (publicKey m) {
	d.t.Helper()
	return d.Result("POST", passkeys+path+"/begin", session, m{})["publicKey"].(m)
}

func (d *device) object(text string) m {
	d.t.Helper()
	var out m
	if err := json.Unmarshal([]byte(text), &out); err != nil {
		d.t.Fatal(err)
	}
	return out
}

func (d *device) text(publicKey m) string {
	d.t.Helper()
	text, err := json.Marshal(m{"publicKey": publicKey})
	if err != nil {
		d.t.Fatal(err)
	}
	return string(text)
}

// attested answers register/begin.
func (d *device) attested(publicKey m) m {
	d.t.Helper()
	options, err := virtualwebauthn.ParseAttestationOptions(d.text(publicKey))
	if err != nil {
		d.t.Fatal(err)
	}
	d.auth.Options.UserHandle = []byte(options.UserID)
	return d.object(virtualwebauthn.CreateAttestationResponse(d.rp, d.auth, d.cred, *options))
}

// asserted answers login/begin.
func (d *device) asserted(publicKey m) m {
	d.t.Helper()
	options, err := virtualwebauthn.ParseAssertionOptions(d.text(publicKey))
	if err != nil {
		d.t.Fatal(err)
	}
	d.cred.Counter++
	return d.object(virtualwebauthn.CreateAssertionResponse(d.rp, d.auth, d.cred, *options))
}

// enrolled registers mei with a passkey, in a session whose token it returns.
func enrolled(t *testing.T, a *apitest.API) (d *device, session string) {
	t.Helper()
	a.OK("POST", "/v1/auth/register", "", person(mei, "a long password"))
	session = a.Result("POST", "/v1/auth/login", "", login())["token"].(string)
	d = newDevice(t, a)
	body := d.attested(d.begin("/register", session))
	body["name"] = " Laptop "
	if made := a.Result("POST", passkeys+"/register/finish", session, body); made["name"] != "Laptop" {
		t.Fatalf("%v", made)
	}
	return d, session
}

func (d *device) signIn(body m) apitest.Answer {
	d.t.Helper()
	return d.Send(apitest.Request{Method: "POST", Path: passkeys + "/login/finish", Header: ownPage(), Body: body})
}

func TestAPersonAddsNamesUsesAndRemovesPasskeys(t *testing.T) {
	t.Parallel()
	a := at(t, "https://admin.test")
	d, session := enrolled(t, a)
	body := d.asserted(d.begin("/login", ""))
	body["cookie"] = true
	out := d.signIn(body)
	if sent := setCookie(t, out); out.Status != 200 || sent.Name != "__Host-vitrine" || strings.Contains(string(out.Body), "vs_") {
		t.Fatalf("%d %s", out.Status, out.Body)
	}
	if out.JSON["result"].(m)["user"].(m)["email"] != mei {
		t.Errorf("%s", out.Body)
	}
	if again := d.signIn(body); again.Status != 401 || apitest.Code(again.JSON) != "PASSKEY_INVALID" {
		t.Errorf("a challenge used twice: %d %s", again.Status, again.Body)
	}
	list := a.OK("GET", passkeys, session, nil)["result"].(l)
	if len(list) != 1 || list[0].(m)["name"] != "Laptop" || list[0].(m)["last_used_at"] == nil {
		t.Fatalf("%v", list)
	}
	own := passkeys + "/" + list[0].(m)["id"].(string)
	a.Refused("PUT", own, session, m{"name": " "}, 400, "NAME_REQUIRED")
	a.OK("PUT", own, session, m{"name": "Old laptop"})
	for _, method := range []string{"PUT", "DELETE"} {
		a.Refused(method, own, a.Session(a.OwnerID), m{"name": "x"}, 404, "PASSKEY_NOT_FOUND")
	}
	again := d.attested(d.begin("/register", session))
	a.Refused("POST", passkeys+"/register/finish", session, again, 409, "PASSKEY_EXISTS")
	if me := a.Result("GET", "/v1/auth/me", session, nil)["second_factor"].(m); me["passkeys"] != 1.0 {
		t.Errorf("%v", me)
	}
	a.OK("DELETE", own, session, nil)
	if out := d.signIn(d.asserted(d.begin("/login", ""))); out.Status != 401 || apitest.Code(out.JSON) != "PASSKEY_INVALID" {
		t.Errorf("a removed passkey: %d %s", out.Status, out.Body)
	}
}

func TestAPasskeyTakesThePlaceOfTheSecondFactorAndOfThePassword(t *testing.T) {
	t.Parallel()
	a := at(t, "https://admin.test")
	d, session := enrolled(t, a)
	p := app{API: a, t: t, secret: a.Result("POST", "/v1/auth/totp", session, nil)["secret"].(string)}
	a.OK("POST", "/v1/auth/totp/confirm", session, m{"code": p.code(0)})
	asked := a.Refused("POST", "/v1/auth/login", "", login(), 401, "SECOND_FACTOR_REQUIRED")
	if got := fmt.Sprint(asked["methods"]); got != "[totp recovery_code passkey]" {
		t.Errorf("%s", got)
	}
	onHost := a.Send(apitest.Request{Method: "POST", Path: "/v1/auth/login", Header: a.ThroughStorefront(), Body: login()})
	if got := fmt.Sprint(onHost.JSON["methods"]); got != "[totp recovery_code]" {
		t.Errorf("on a shop's host: %s", got)
	}
	signed := d.signIn(d.asserted(d.begin("/login", ""))).JSON["result"].(m)["token"].(string)
	a.OK("GET", "/v1/auth/me", signed, nil)
	a.Clock.Advance(time.Hour)
	a.Refused("POST", passkeys+"/register/begin", signed, m{}, 403, "REAUTH_REQUIRED")
	a.OK("POST", "/v1/auth/reauth", signed, m{"passkey": d.asserted(d.begin("/login", ""))})
	d.begin("/register", signed)
	// Another person's session does not accept it.
	a.Refused("POST", "/v1/auth/reauth", a.Session(a.OwnerID), m{"passkey": d.asserted(d.begin("/login", ""))}, 401, "PASSKEY_INVALID")
}

func TestPasskeysOfOtherOriginsCopiesAndOldChallengesAreRefused(t *testing.T) {
	t.Parallel()
	a := at(t, "https://admin.test")
	d, session := enrolled(t, a)
	refused := func(what string, change func(d *device), body func(d *device) m) {
		t.Helper()
		other := *d
		change(&other)
		if out := d.signIn(body(&other)); out.Status != 401 || apitest.Code(out.JSON) != "PASSKEY_INVALID" {
			t.Errorf("%s: %d %s", what, out.Status, out.Body)
		}
	}
	sign := func(d *device) m { return d.asserted(d.begin("/login", "")) }
	refused("another origin", func(d *device) { d.rp.Origin = "https://tea.shops.test" }, sign)
	refused("a host below", func(d *device) { d.rp.Origin = "https://a.admin.test" }, sign)
	refused("over http", func(d *device) { d.rp.Origin = "http://admin.test" }, sign)
	refused("another port", func(d *device) { d.rp.Origin = "https://admin.test:8443" }, sign)
	refused("another relying party", func(d *device) { d.rp.ID = "test" }, sign)
	refused("an unverified user", func(d *device) { d.auth.Options.UserNotVerified = true }, sign)
	refused("another user", func(d *device) { d.auth.Options.UserHandle = []byte("1") }, sign)
	refused("no user", func(d *device) { d.auth.Options.UserHandle = nil }, sign)
	refused("another key", func(d *device) { d.cred.Key = apitest.NewPasskey().Key }, sign)
	refused("a challenge to add a passkey", func(*device) {}, func(o *device) m { return o.asserted(o.begin("/register", session)) })
	refused("an old challenge", func(*device) {}, func(o *device) m {
		body := sign(o)
		a.Clock.Advance(5*time.Minute + time.Second)
		return body
	})
	refused("nothing", func(*device) {}, func(*device) m { return m{} })
	if out := d.signIn(sign(d)); out.Status != 200 {
		t.Fatalf("%d %s", out.Status, out.Body)
	}
	refused("a copy that has counted less far", func(o *device) { o.cred.Counter = 0 }, sign)
	if out := d.signIn(sign(d)); out.Status != 200 {
		t.Errorf("%d %s", out.Status, out.Body)
	}

	// The same for adding one.
	for what, change := range map[string]func(d *device){
		"another origin": func(d *device) { d.rp.Origin = "https://tea.shops.test" }, "an unverified user": func(d *device) { d.auth.Options.UserNotVerified = true },
	} {
		other := newDevice(t, a)
		change(other)
		t.Log(what)
		a.Refused("POST", passkeys+"/register/finish", session, other.attested(other.begin("/register", session)), 401, "PASSKEY_INVALID")
	}
	other := newDevice(t, a)
	body := other.attested(other.begin("/register", session))
	a.Refused("POST", passkeys+"/register/finish", a.Session(a.OwnerID), body, 401, "PASSKEY_INVALID") // another person's challenge
	a.OK("POST", passkeys+"/register/finish", session, body)
}

func TestPasskeysNeedAnAdminOriginWithAName(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]int{"http://127.0.0.1:8081": 400, "http://[::1]:8081": 400, "http://localhost:8081": 200} {
		a := at(t, address)
		for _, path := range []string{"/register/begin", "/login/begin"} {
			out := a.Send(apitest.Request{Method: "POST", Path: passkeys + path, Key: a.Session(a.OwnerID), Header: map[string]string{"Host": "localhost"}, Body: m{}})
			if out.Status != want || want == 400 && apitest.Code(out.JSON) != "PASSKEY_ORIGIN" {
				t.Errorf("%s %s: %d %s", address, path, out.Status, out.Body)
			}
			if onHost := a.Send(apitest.Request{Method: "POST", Path: passkeys + path, Header: a.OnHost(a.Bound(a.OwnerID)), Body: m{}}); onHost.Status != 400 || apitest.Code(onHost.JSON) != "PASSKEY_ORIGIN" {
				t.Errorf("on a shop's host: %d %s", onHost.Status, onHost.Body)
			}
		}
	}
}

func TestAPersonHasAtMostTwentyPasskeys(t *testing.T) {
	t.Parallel()
	a := at(t, "https://admin.test")
	d, session := enrolled(t, a)
	one := func() m {
		d.cred = apitest.NewPasskey()
		return d.attested(d.begin("/register", session))
	}
	late := one() // begun in time
	for range 19 {
		if late = one(); len(a.OK("GET", passkeys, session, nil)["result"].(l)) < 19 {
			a.OK("POST", passkeys+"/register/finish", session, late)
		}
	}
	last := one()
	a.OK("POST", passkeys+"/register/finish", session, last)
	a.Refused("POST", passkeys+"/register/finish", session, late, 429, "PASSKEY_LIMIT_REACHED")
	a.Refused("POST", passkeys+"/register/begin", session, m{}, 429, "PASSKEY_LIMIT_REACHED")
}
