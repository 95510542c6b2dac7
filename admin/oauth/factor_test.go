package oauth_test

import (
	"strings"
	"testing"
	"time"

	"github.com/pquerna/otp/totp"

	"vitrine/admin/api/apitest"
	"vitrine/internal/shop"
)

func TestTheConsentPageAsksForTheSecondFactor(t *testing.T) {
	t.Parallel()
	f := newFlow(t, shop.Owner)
	session := f.a.Session(f.person)
	key := f.a.Result("POST", "/v1/auth/totp", session, nil)["secret"].(string)
	code := func() string {
		f.a.Clock.Advance(30 * time.Second) // each code counts once
		code, err := totp.GenerateCode(key, f.a.Clock.Now())
		if err != nil {
			t.Fatal(err)
		}
		return code
	}
	confirmed := f.a.Result("POST", "/v1/auth/totp/confirm", session, apitest.Map{"code": code()})
	values := f.request()
	values.Set("email", f.email)
	values.Set("password", password)
	used := code()
	for _, try := range []struct {
		code, says string // says: empty for the consent page
	}{
		{"", "too"}, {"000000", "wrong"}, {"nonsense", "wrong"}, {used, ""}, {used, "wrong"},
		{confirmed["recovery_codes"].([]any)[0].(string), ""}, {confirmed["recovery_codes"].([]any)[0].(string), "wrong"},
	} {
		values.Set("code", try.code)
		out := f.post("/oauth/authorize", values)
		if consentField.MatchString(out.body) != (try.says == "") || !strings.Contains(out.body, try.says) || out.status != 200 && try.says == "" {
			t.Errorf("the code %q: %d %s", try.code, out.status, out.body)
		}
	}
}

// A shop that requires a second factor of a role gives no access to a member without one.
func TestAMemberWithoutARequiredFactorGrantsNothing(t *testing.T) {
	t.Parallel()
	f := newFlow(t, shop.Editor)
	owner := f.a.Session(f.a.OwnerID)
	key := f.a.Result("POST", "/v1/auth/totp", owner, nil)["secret"].(string)
	code, err := totp.GenerateCode(key, f.a.Clock.Now())
	if err != nil {
		t.Fatal(err)
	}
	f.a.OK("POST", "/v1/auth/totp/confirm", owner, apitest.Map{"code": code})
	f.a.OK("PUT", "/v1/shop/settings", owner, apitest.Map{"members_need_second_factor": []string{"editor"}})
	if at := f.allow(f.request(), "dev"); at.Query().Get("error") != "access_denied" || at.Query().Get("code") != "" {
		t.Errorf("sent to %s", at)
	}
}
