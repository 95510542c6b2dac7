package ucp_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"vitrine/admin/api/apitest"
	"vitrine/internal/httpsig"
)

// signing gives the platform a key of its own, and returns it.
func (p *platform) signing(t testing.TB) httpsig.Private {
	t.Helper()
	key, err := httpsig.NewKey()
	if err != nil {
		t.Fatal(err)
	}
	p.signs(key.Public)
	return key
}

// signs makes the platform's profile list keys.
func (p *platform) signs(keys ...httpsig.JWK) {
	p.publish(func(w http.ResponseWriter) {
		profile := profileOf(all...)
		profile["signing_keys"] = keys
		writeJSON(w, profile)
	})
}

// signed makes a call that the platform signs, changed by edit after that.
func (s *store) signed(key httpsig.Private, o op, id string, body any, edit func(m *httpsig.Message, header map[string]string)) apitest.Answer {
	s.t.Helper()
	text, err := json.Marshal(body)
	if err != nil {
		s.t.Fatal(err)
	}
	header := map[string]string{"UCP-Agent": fmt.Sprintf("profile=%q", s.platform.address()), "Content-Type": "application/json"}
	m := httpsig.Message{
		Method: o.method, Scheme: "https", Authority: "admin.test", Path: "/api/ucp" + strings.Replace(o.path, "{id}", id, 1), Header: httpsig.Headers(header), Body: text,
	}
	if o.method == "GET" {
		m.Body = nil
	}
	added, err := httpsig.Sign(m, key, s.Clock.Now())
	if err != nil {
		s.t.Fatal(err)
	}
	for name, value := range added {
		header[name] = value
	}
	if edit != nil {
		edit(&m, header)
	}
	var fields []string
	for name, value := range header {
		fields = append(fields, name, value)
	}
	if m.Body == nil {
		return s.rest(o, id, nil, fields...)
	}
	return s.rest(o, id, m.Body, fields...)
}

func TestSignaturesAreOptionalAndMustHold(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	selling(s)
	tea := s.sell(object{"name": "Tea", "price": 10})
	key := s.platform.signing(t)
	body := object{"line_items": lines(tea, 1)}
	made := s.signed(key, createCheckout, "", body, nil)
	if made.Status != 201 {
		t.Fatalf("signed: %d %s", made.Status, made.Body)
	}
	id := fmt.Sprint(made.JSON["id"])
	if out := s.rest(getCheckout, id, nil); out.Status != 401 || out.JSON["code"] != "signature_missing" {
		t.Errorf("unsigned about a session that was begun signed: %d %s", out.Status, out.Body)
	}
	if out := s.signed(key, getCheckout, id, nil, nil); out.Status != 200 {
		t.Errorf("signed read: %d %s", out.Status, out.Body)
	}
	other, err := httpsig.NewKey()
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		key  httpsig.Private
		edit func(m *httpsig.Message, header map[string]string)
		want string
	}{
		"another body":  {key, func(m *httpsig.Message, _ map[string]string) { m.Body = []byte(`{"line_items":[]}`) }, "400 digest_mismatch"},
		"another agent": {key, func(_ *httpsig.Message, h map[string]string) { h["UCP-Agent"] += ";x=1" }, "401 signature_invalid"},
		"half":          {key, func(_ *httpsig.Message, h map[string]string) { delete(h, "Signature") }, "401 signature_missing"},
		"a key more":    {key, func(_ *httpsig.Message, h map[string]string) { h["Idempotency-Key"] = "k" }, "401 signature_invalid"},
		"unknown key":   {other, nil, "401 key_not_found"},
	} {
		out := s.signed(c.key, createCheckout, "", body, c.edit)
		if got := fmt.Sprint(out.Status, " ", out.JSON["code"]); got != c.want {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
	}
	s.platform.signs(key.Public, other.Public)
	if out := s.signed(other, createCheckout, "", body, nil); out.JSON["code"] != "key_not_found" {
		t.Errorf("a new key within a minute: %d %s", out.Status, out.Body)
	}
	s.Clock.Advance(time.Minute)
	if out := s.signed(other, createCheckout, "", body, nil); out.Status != 201 {
		t.Errorf("a new key after a minute: %d %s", out.Status, out.Body)
	}
}

// A checkout that was begun for a cart by a signed call needs a signature, also where the cart finds it.
func TestACartDoesNotShowASignedCheckout(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	selling(s)
	tea := s.sell(object{"name": "Tea", "price": 10})
	key := s.platform.signing(t)
	cart := s.rest(createCart, "", object{"line_items": lines(tea, 1)}).JSON["id"]
	of := object{"line_items": list{}, "cart_id": cart}
	if out := s.signed(key, createCheckout, "", of, nil); out.Status != 201 {
		t.Fatalf("%d %s", out.Status, out.Body)
	}
	if out := s.rest(createCheckout, "", of); out.Status != 401 || out.JSON["code"] != "signature_missing" {
		t.Errorf("%d %s", out.Status, out.Body)
	}
}
