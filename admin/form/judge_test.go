package form_test

import (
	"encoding/base64"
	"fmt"
	"strings"
	"testing"
	"time"

	"vitrine/admin/api/apitest"
	"vitrine/admin/upkeep"
)

// What a page's form says by itself, and what was sent before, tells spam from leads;
// the sender hears the same in every case.
func TestSpamIsKeptApart(t *testing.T) {
	h := open(t, field("words", "text", false))
	h.Clock.Advance(time.Minute)
	say := func(words string, more m) apitest.Answer { return h.send("203.0.113.1", m{"words": words}, more) }
	fresh, old := h.token(), h.token()
	foreign := open2(h)
	sent := map[string]apitest.Answer{
		"new":        say("plain", nil),
		"spam again": say(" PLAIN ", nil),
		"spam trap":  say("trap", m{"trap": "http://x"}),
		"spam early": say("at once", m{"token": fresh}),
	}
	h.Clock.Advance(3 * time.Second)
	sent["new 2"] = say("in time", m{"token": old, "proof": ""})
	sent["spam token"] = say("used", m{"token": old})
	sent["spam token 2"] = say("forged", m{"token": strings.Repeat("A", 43)})
	sent["spam token 3"] = say("another form's", m{"token": foreign})
	h.Clock.Advance(time.Minute)
	real := []string{}
	for want, got := range sent {
		want = strings.TrimRight(strings.TrimSuffix(strings.TrimSuffix(want, " 2"), " 3"), " ")
		if stands := h.stands(got); stands != want {
			t.Errorf("%s: the lead is %s", want, stands)
		}
		if want == "new" {
			real = append(real, got.JSON["result"].(m)["id"].(string))
		}
		if got.Header.Get("X-Request-Id") == "" || len(got.JSON["result"].(m)) != 2 {
			t.Errorf("%s answers %s", want, got.Body)
		}
	}
	if n := len(strings.Split(h.told(), ", ")); n != len(real) || h.letters() != len(real) {
		t.Errorf("told of %s, %d letters, %d are real", h.told(), h.letters(), len(real))
	}
	if got := h.Result("GET", "/form-leads?filter.status=spam", h.Owner, nil); got["total"] != 6.0 {
		t.Errorf("spam: %v", got["total"])
	}
	if got := h.OK("GET", "/forms/"+h.form+"/leads", h.Owner, nil); got["total"] != 8.0 || values(got["result"], "status") == "" {
		t.Errorf("leads of the form: %v", got["total"])
	}
	// A page that stood open for more than a day says nothing; the same after an hour is new.
	open := h.token()
	h.Clock.Advance(25 * time.Hour)
	if got := h.stands(say("plain", m{"token": open})); got != "new" {
		t.Errorf("a day later: %s", got)
	}
	// A mistake is put right: told of once, however often it is moved.
	path := "/form-leads/" + sent["spam trap"].JSON["result"].(m)["id"].(string)
	before := h.told()
	for _, status := range []string{"seen", "spam", "new"} {
		h.OK("PUT", path, h.Owner, m{"status": status})
	}
	if after := h.told(); after != before+", "+strings.TrimPrefix(path, "/form-leads/") || h.letters() != 3 {
		t.Errorf("told of %s, before of %s, %d letters", after, before, h.letters())
	}
}

// open2 is a token of another form.
func open2(h house) string {
	h.form = newForm(h.API, field("words", "text", false))
	return h.token()
}

// One address that floods closes the form to itself alone, unless its page works for it.
func TestAFloodFromOneAddress(t *testing.T) {
	h := open(t, field("words", "text", false))
	h.Clock.Advance(time.Minute)
	tokens := []string{h.token(), h.token()}
	h.Clock.Advance(3 * time.Second)
	for n := range 15 {
		got := h.send("203.0.113.1", m{"words": fmt.Sprint("flood ", n)}, nil)
		if n < 10 && h.stands(got) != "new" || n >= 10 && (got.Status != 429 || got.Header.Get("Retry-After") != "6") {
			t.Fatalf("lead %d: %d %s", n+1, got.Status, got.Body)
		}
	}
	if got := h.stands(h.send("203.0.113.2", m{"words": "another"}, nil)); got != "new" {
		t.Errorf("another address: %s", got)
	}
	asked := h.send("203.0.113.1", m{"words": "a neighbour"}, m{"token": tokens[0], "proof": ""})
	if asked.Status != 409 || apitest.Code(asked.JSON) != "FORM_PROOF_REQUIRED" || asked.JSON["bits"] != 16.0 {
		t.Fatalf("%d %s", asked.Status, asked.Body)
	}
	for proof, want := range map[string]int{"1": 429, "x": 429, prove(tokens[1]): 429} {
		if got := h.send("203.0.113.1", m{"words": "a neighbour"}, m{"token": tokens[0], "proof": proof}); got.Status != want {
			t.Errorf("the proof %s: %d", proof, got.Status)
		}
	}
	if got := h.stands(h.send("203.0.113.1", m{"words": "a neighbour"}, m{"token": tokens[0], "proof": prove(tokens[0])})); got != "new" {
		t.Errorf("with a proof: %s", got)
	}
}

// Many addresses that flood fill nothing, and whose page works for it comes through.
func TestAFloodFromManyAddresses(t *testing.T) {
	h := open(t, field("words", "text", false))
	h.Clock.Advance(time.Minute)
	token := h.token()
	h.Clock.Advance(3 * time.Second)
	counts := map[string]int{}
	for n := range 700 {
		got := h.send(fmt.Sprintf("198.51.%d.%d", n/200, n%200), m{"words": fmt.Sprint("flood ", n)}, nil)
		if got.Status == 429 {
			counts["429"]++
			continue
		}
		counts["200"]++
	}
	total := func(query string) int {
		return int(h.Result("GET", "/form-leads?"+query, h.Owner, nil)["total"].(float64))
	}
	h.Clock.Advance(time.Second)
	if n := total("filter.status=new"); n != 60 {
		t.Errorf("%d leads of the flood are real", n)
	}
	if n := total("filter.status=spam"); n > 301 || n < 290 || counts["429"] < 300 {
		t.Errorf("%d are spam, %v", n, counts)
	}
	if got := h.stands(h.send("203.0.113.7", m{"words": "real"}, m{"token": token, "proof": prove(token)})); got != "new" {
		t.Errorf("a real one in the flood: %s", got)
	}
	if n := len(strings.Split(h.told(), ", ")); n != 61 || h.letters() > 61 {
		t.Errorf("told of %d, %d letters", n, h.letters())
	}
	// The oldest spam goes when there is too much, and all of it after 90 days.
	for n := range 300 {
		if h.Clock.Advance(time.Second); h.send(fmt.Sprintf("192.0.%d.%d", n/200, n%200), m{"words": fmt.Sprint("more ", n)}, m{"trap": "x"}).Status != 200 {
			t.Fatal("spam is refused")
		}
	}
	if n := total("filter.status=spam"); n != 500 {
		t.Errorf("%d are kept as spam", n)
	}
	h.Clock.Advance(upkeep.SpamAge + time.Hour)
	if err := upkeep.New(h.Store, h.Blobs, h.Config().Log, h.Clock.Now).Round(t.Context()); err != nil {
		t.Fatal(err)
	}
	if n := total(""); n != 61 {
		t.Errorf("%d leads are left", n)
	}
}

// Who asks the same with two forms means both.
func TestTheSameWithAnotherFormIsNoSpam(t *testing.T) {
	h := open(t, field("email", "email", true))
	say := func() string { return h.stands(h.send("203.0.113.1", m{"email": "ann@example.com"}, nil)) }
	first := say()
	one := h.form
	h.form = newForm(h.API, field("email", "email", true))
	other := say()
	h.form = one
	if again := say(); first != "new" || other != "new" || again != "spam again" {
		t.Errorf("%s, with another form %s, with the first once more %s", first, other, again)
	}
}

// Where no more spam is kept, the oldest lead can be called so all the same, and goes.
func TestALeadIsSpamWhereThereIsEnough(t *testing.T) {
	h := open(t, field("words", "text", false))
	old := "/form-leads/" + h.lead(h.send("203.0.113.1", m{"words": "buy"}, nil))["id"].(string)
	for n := range 500 {
		if h.Clock.Advance(time.Second); h.send(fmt.Sprintf("192.0.%d.%d", n/200, n%200), m{"words": fmt.Sprint(n)}, m{"trap": "x"}).Status != 200 {
			t.Fatal("spam is refused")
		}
	}
	if got := h.Result("PUT", old, h.Owner, m{"status": "spam"}); got["status"] != "spam" {
		t.Errorf("%v", got)
	}
	h.Refused("GET", old, h.Owner, nil, 404, "LEAD_NOT_FOUND")
	if got := h.Result("GET", "/form-leads", h.Owner, nil); got["total"] != 500.0 {
		t.Errorf("%v are kept", got["total"])
	}
}

// Nothing but our own tokens is one.
func TestTokensThatAreNone(t *testing.T) {
	h := open(t, field("words", "text", false))
	own := h.token()
	h.Clock.Advance(3 * time.Second)
	for n, token := range []string{
		"x", own[1:], own + "A", own + "\n", own[:9] + "\r" + own[9:], own + "=", strings.ToLower(own), own[:42] + "\n", base64.RawURLEncoding.EncodeToString(make([]byte, 32)), strings.Repeat("A", 64), "é",
	} {
		if n%5 == 0 {
			h.Clock.Advance(time.Minute)
		}
		if got := h.stands(h.send("203.0.113.1", m{"words": fmt.Sprint(n)}, m{"token": token})); got != "spam token" {
			t.Errorf("%q: %s", token, got)
		}
	}
	if got := h.send("203.0.113.1", m{"words": "x"}, m{"token": strings.Repeat("A", 65)}); got.Status != 400 {
		t.Errorf("a long token: %d", got.Status)
	}
	if got := h.stands(h.send("203.0.113.1", m{"words": "own"}, m{"token": own})); got != "new" {
		t.Errorf("our own: %s", got)
	}
}
