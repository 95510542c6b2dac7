package assist_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"vitrine/admin/api/apitest"
	"vitrine/internal/await"
	"vitrine/internal/pay/stripetest"
)

// A complete that hangs at Stripe for longer than a call takes is taken over by another one. When it is
// declined at last, the other one is still placing the order: nobody can change the session meanwhile.
func TestACompleteThatWasTakenOverReopensNothing(t *testing.T) {
	t.Parallel()
	stripe := stripetest.New(t)
	type intent struct{ answer chan struct{} }
	asked := make(chan intent)
	stripe.Fault = func(r *http.Request) stripetest.Fault {
		if r.Method == "POST" && strings.HasSuffix(r.URL.Path, "/payment_intents") {
			i := intent{make(chan struct{})}
			asked <- i
			<-i.answer
		}
		return stripetest.None
	}
	s := takesCards(t, stripe)
	tea := fmt.Sprint(s.Result("POST", "/products", s.Owner, m{"item": m{"name": "Tea", "price": m{"price": 7}, "is_published": true}})["id"])
	body := m{"line_items": l{m{"item": m{"id": tea}, "quantity": 1}}, "buyer": m{"first_name": "Ann", "email": "ann@people.test", "phone_number": "+4930123456"}}
	_, made := s.call("POST", "/ucp/checkout-sessions", body)
	at := fmt.Sprint("/ucp/checkout-sessions/", made["id"])
	complete := func(key, token string) (intent, chan apitest.Answer) {
		answered, r := make(chan apitest.Answer, 1), s.request("POST", at+"/complete", key, google(token))
		go func() { answered <- s.AtOnce(r)[0] }()
		return await.Next(t, asked), answered
	}
	slow, first := complete("1", "tok_declined")
	s.Clock.Advance(3 * time.Minute)
	quick, second := complete("2", "tok_ok")
	close(slow.answer)
	if out := await.Next(t, first); out.Status != 409 {
		t.Errorf("the complete that was taken over: %d %s", out.Status, out.Body)
	}
	if _, now := s.call("GET", at, nil); now["status"] != "complete_in_progress" {
		t.Errorf("it is %v", now["status"])
	}
	if status, out := s.call("PUT", at, body); status != 409 {
		t.Errorf("a change meanwhile: %d %v", status, out)
	}
	close(quick.answer)
	if out := await.Next(t, second); out.JSON["status"] != "completed" {
		t.Errorf("%d %s", out.Status, out.Body)
	}
	if states := fmt.Sprint(stripe.States()); states != "map[requires_payment_method:1 succeeded:1]" {
		t.Error(states)
	}
}
