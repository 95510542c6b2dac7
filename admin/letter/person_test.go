package letter_test

import (
	"strings"
	"testing"

	"vitrine/admin/api/apitest"
	"vitrine/internal/mail/mailtest"
	letterdb "vitrine/internal/store/letter"
	"vitrine/internal/store/people"
	"vitrine/internal/store/privacy"
)

// Deleting a person deletes their letters.
func TestDeletingAPersonDeletesTheirLetters(t *testing.T) {
	t.Parallel()
	d := open(t, "en")
	d.triggerAll()
	person, _, err := people.PersonByEmail(t.Context(), d.Store, "ben@people.test")
	if err != nil {
		t.Fatal(err)
	}
	if err := privacy.RemovePerson(t.Context(), d.Store, person.ID); err != nil {
		t.Fatal(err)
	}
	for _, l := range d.letters("") {
		if l["name"] != "lead_seller" && l["name"] != "leads_seller" && l["name"] != "low_stock_seller" {
			t.Errorf("%v was not deleted", l["name"])
		}
	}
}

// Letters about accounts are sent in the same way, in the language of the shop where they were
// requested, and no shop lists them.
func TestAccountLettersAreSentAndNotListed(t *testing.T) {
	t.Parallel()
	p := startWorker(t, &mailtest.Box{})
	for path, subject := range map[string]string{"/v1/auth/code": "Ваш код: ", "/v1/auth/password/forgot": "Новый пароль"} {
		before := len(p.box.Mails())
		got := p.Send(apitest.Request{Method: "POST", Path: path, Body: m{"email": "ben@people.test"}, Header: p.ThroughStorefront()})
		if got.Status != 200 {
			t.Fatalf("%s: %d %s", path, got.Status, got.Body)
		}
		p.waitFor(path, func([]letterdb.ShopLetter) bool { return len(p.box.Mails()) > before })
		arrived := p.box.Mails()[before]
		if !strings.HasPrefix(arrived.Header("Subject"), subject) || arrived.To != "ben@people.test" || !strings.Contains(arrived.Part("text/html"), "<p ") {
			t.Errorf("%s", arrived.Raw)
		}
	}
	if all := p.fixture.letters(""); len(all) != 0 {
		t.Errorf("a shop sees %v", all)
	}
}
