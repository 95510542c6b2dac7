package draft_test

import (
	"fmt"
	"sync"
	"testing"
	"time"

	"vitrine/admin/api/apitest"
)

// raceRounds is the number of rounds that race a publish with edits.
const raceRounds = 200

// A draft edit, a live edit and a publish of one product run concurrently. Whatever their order,
// each edit is then live, overwritten by one acknowledged after it, or still in the draft. There
// is no fourth outcome: no edit is lost.
func TestPublishAgainstEdits(t *testing.T) {
	b := open(t)
	green := id(b.green)
	outcomes := map[string]int{}
	for round := range raceRounds {
		b.Clock.Advance(time.Minute) // a new window of the rate limits
		outcomes[b.race(green, round)]++
	}
	t.Logf("%d rounds: %v", raceRounds, outcomes)
	total := 0
	for _, name := range []string{"published", "conflict", "published, later edit pending"} {
		total += outcomes[name]
	}
	if total != raceRounds {
		t.Errorf("outcomes %v", outcomes)
	}
}

// race runs one round and returns its outcome. In odd rounds both sides edit the same field.
func (b *bench) race(green string, round int) string {
	b.t.Helper()
	first, second := fmt.Sprint("first ", round), fmt.Sprint("second ", round)
	onLive := m{"description": fmt.Sprint("live ", round)}
	if round%2 == 1 {
		onLive["name"] = fmt.Sprint("live ", round)
	}
	b.put(b.Dev, "products", green, m{"name": first})
	answers := b.concurrently(
		apitest.Request{Method: "POST", Path: "/drafts/publish", Key: b.Owner, Body: one("product", green)},
		apitest.Request{Method: "PUT", Path: "/products/" + green, Key: b.Dev, Body: m{"item": m{"name": second}}},
		apitest.Request{Method: "PUT", Path: "/products/" + green, Key: b.Owner, Body: m{"item": onLive}},
	)
	publish := answers[0].Status
	if answers[1].Status != 200 || answers[2].Status != 200 ||
		publish != 200 && (publish != 409 || apitest.Code(answers[0].JSON) != "DRAFT_CONFLICT") {
		b.t.Fatalf("round %d: publish %d %s, draft edit %d, live edit %d", round, publish, answers[0].Body, answers[1].Status, answers[2].Status)
	}
	live := b.Result("GET", "/products/"+green, b.Owner, nil)
	draft := b.Result("GET", "/products/"+green, b.Dev, nil)
	pending := b.pending()["product "+green] != nil
	if live["description"] != onLive["description"] {
		b.t.Errorf("round %d: the live edit is lost: %v", round, live["description"])
	}
	if onLive["name"] != nil && publish == 200 && live["name"] != onLive["name"] {
		b.t.Errorf("round %d: a publish without force overwrote a live edit: %v", round, live["name"])
	}
	if pending && draft["name"] != second || !pending && (publish != 200 || onLive["name"] == nil && live["name"] != second) {
		b.t.Errorf(
			"round %d: the draft edit is lost: publish %d, live %v, draft %v, pending %v", round, publish, live["name"],
			draft["name"], pending,
		)
	}
	if pending {
		b.OK("POST", "/drafts/discard", b.Dev, all)
	}
	switch {
	case publish != 200:
		return "conflict"
	case pending:
		return "published, later edit pending"
	}
	return "published"
}

// concurrently sends requests at the same time.
func (b *bench) concurrently(calls ...apitest.Request) []apitest.Answer {
	answers := make([]apitest.Answer, len(calls))
	start := make(chan struct{})
	var wg sync.WaitGroup
	for i, r := range calls {
		wg.Go(func() {
			<-start
			answers[i] = b.Send(r)
		})
	}
	close(start)
	wg.Wait()
	return answers
}
