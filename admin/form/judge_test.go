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

// The fields of a page's form and the leads sent before distinguish spam from leads; the sender
// gets the same response in every case.
func TestSpamIsKeptApart(t *testing.T) {
	h := newFixture(t, field("words", "text", false))
	h.Clock.Advance(time.Minute)
	sendWords := func(words string, more m) apitest.Answer { return h.send("203.0.113.1", m{"words": words}, more) }
	fresh, old := h.token(), h.token()
	foreign := otherFormToken(h)
	sent := map[string]apitest.Answer{
		"new":        sendWords("plain", nil),
		"spam again": sendWords(" PLAIN ", nil),
		"spam trap":  sendWords("trap", m{"trap": "http://x"}),
		"spam early": sendWords("at once", m{"token": fresh}),
	}
	h.Clock.Advance(3 * time.Second)
	sent["new 2"] = sendWords("in time", m{"token": old, "proof": ""})
	sent["spam token"] = sendWords("used", m{"token": old})
	sent["spam token 2"] = sendWords("forged", m{"token": strings.Repeat("A", 43)})
	sent["spam token 3"] = sendWords("another form's", m{"token": foreign})
	h.Clock.Advance(time.Minute)
	real := []string{}
	for want, got := range sent {
		want = strings.TrimRight(strings.TrimSuffix(strings.TrimSuffix(want, " 2"), " 3"), " ")
		if status := h.status(got); status != want {
			t.Errorf("%s: the lead is %s", want, status)
		}
		if want == "new" {
			real = append(real, got.JSON["result"].(m)["id"].(string))
		}
		if got.Header.Get("X-Request-Id") == "" || len(got.JSON["result"].(m)) != 2 {
			t.Errorf("%s: the response is %s", want, got.Body)
		}
	}
	if n := len(strings.Split(h.reported(), ", ")); n != len(real) || h.letters() != len(real) {
		t.Errorf("reported %s, %d letters, %d are not spam", h.reported(), h.letters(), len(real))
	}
	if got := h.Result("GET", "/form-leads?filter.status=spam", h.Owner, nil); got["total"] != 6.0 {
		t.Errorf("spam: %v", got["total"])
	}
	if got := h.OK("GET", "/forms/"+h.form+"/leads", h.Owner, nil); got["total"] != 8.0 || apitest.Values(got["result"], "status") == "" {
		t.Errorf("leads of the form: %v", got["total"])
	}
	// The token of a page open for more than a day is ignored; the same content counts as new
	// after an hour.
	open := h.token()
	h.Clock.Advance(25 * time.Hour)
	if got := h.status(sendWords("plain", m{"token": open})); got != "new" {
		t.Errorf("a day later: %s", got)
	}
	// A lead wrongly marked as spam is moved back: it is reported once, however often it is
	// moved.
	path := "/form-leads/" + sent["spam trap"].JSON["result"].(m)["id"].(string)
	before := h.reported()
	for _, status := range []string{"seen", "spam", "new"} {
		h.OK("PUT", path, h.Owner, m{"status": status})
	}
	if after := h.reported(); after != before+", "+strings.TrimPrefix(path, "/form-leads/") || h.letters() != 3 {
		t.Errorf("reported %s, before %s, %d letters", after, before, h.letters())
	}
}

// otherFormToken returns a token of another form.
func otherFormToken(h fixture) string {
	h.form = newForm(h.API, field("words", "text", false))
	return h.token()
}

// A flood from one address closes the form only to that address, unless its page computes proofs.
func TestAFloodFromOneAddress(t *testing.T) {
	h := newFixture(t, field("words", "text", false))
	h.Clock.Advance(time.Minute)
	tokens := []string{h.token(), h.token()}
	h.Clock.Advance(3 * time.Second)
	for n := range 15 {
		got := h.send("203.0.113.1", m{"words": fmt.Sprint("flood ", n)}, nil)
		if n < 10 && h.status(got) != "new" || n >= 10 && (got.Status != 429 || got.Header.Get("Retry-After") != "6") {
			t.Fatalf("lead %d: %d %s", n+1, got.Status, got.Body)
		}
	}
	if got := h.status(h.send("203.0.113.2", m{"words": "another"}, nil)); got != "new" {
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
	if got := h.status(h.send("203.0.113.1", m{"words": "a neighbour"}, m{"token": tokens[0], "proof": prove(tokens[0])})); got != "new" {
		t.Errorf("with a proof: %s", got)
	}
}

// Floods from many addresses do not fill the inbox, and leads with a proof get through.
func TestAFloodFromManyAddresses(t *testing.T) {
	h := newFixture(t, field("words", "text", false))
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
		t.Errorf("%d leads of the flood are not spam", n)
	}
	if n := total("filter.status=spam"); n > 301 || n < 290 || counts["429"] < 300 {
		t.Errorf("%d are spam, %v", n, counts)
	}
	if got := h.status(h.send("203.0.113.7", m{"words": "real"}, m{"token": token, "proof": prove(token)})); got != "new" {
		t.Errorf("a lead with a proof during the flood: %s", got)
	}
	if n := len(strings.Split(h.reported(), ", ")); n != 61 || h.letters() > 61 {
		t.Errorf("reported %d, %d letters", n, h.letters())
	}
	// The oldest spam is removed when there is too much, and all of it after 90 days.
	for n := range 300 {
		if h.Clock.Advance(time.Second); h.send(fmt.Sprintf("192.0.%d.%d", n/200, n%200), m{"words": fmt.Sprint("more ", n)}, m{"trap": "x"}).Status != 200 {
			t.Fatal("spam was refused")
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

// The same content sent with two different forms is not spam.
func TestTheSameContentWithAnotherFormIsNotSpam(t *testing.T) {
	h := newFixture(t, field("email", "email", true))
	sendWords := func() string { return h.status(h.send("203.0.113.1", m{"email": "ann@example.com"}, nil)) }
	first := sendWords()
	one := h.form
	h.form = newForm(h.API, field("email", "email", true))
	other := sendWords()
	h.form = one
	if again := sendWords(); first != "new" || other != "new" || again != "spam again" {
		t.Errorf("%s, with another form %s, with the first once more %s", first, other, again)
	}
}

// If the spam limit is reached, the oldest lead can still be marked as spam, and is then removed.
func TestMarkingSpamAtTheLimitRemovesTheOldestLead(t *testing.T) {
	h := newFixture(t, field("words", "text", false))
	old := "/form-leads/" + h.lead(h.send("203.0.113.1", m{"words": "buy"}, nil))["id"].(string)
	for n := range 500 {
		if h.Clock.Advance(time.Second); h.send(fmt.Sprintf("192.0.%d.%d", n/200, n%200), m{"words": fmt.Sprint(n)}, m{"trap": "x"}).Status != 200 {
			t.Fatal("spam was refused")
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

// Only tokens issued by this server for this form are valid.
func TestInvalidTokensAreSpam(t *testing.T) {
	h := newFixture(t, field("words", "text", false))
	own := h.token()
	h.Clock.Advance(3 * time.Second)
	for n, token := range []string{
		"x", own[1:], own + "A", own + "\n", own[:9] + "\r" + own[9:], own + "=", strings.ToLower(own), own[:42] + "\n", base64.RawURLEncoding.EncodeToString(make([]byte, 32)), strings.Repeat("A", 64), "é",
	} {
		if n%5 == 0 {
			h.Clock.Advance(time.Minute)
		}
		if got := h.status(h.send("203.0.113.1", m{"words": fmt.Sprint(n)}, m{"token": token})); got != "spam token" {
			t.Errorf("%q: %s", token, got)
		}
	}
	if got := h.send("203.0.113.1", m{"words": "x"}, m{"token": strings.Repeat("A", 65)}); got.Status != 400 {
		t.Errorf("a token that is too long: %d", got.Status)
	}
	if got := h.status(h.send("203.0.113.1", m{"words": "own"}, m{"token": own})); got != "new" {
		t.Errorf("our own: %s", got)
	}
}
