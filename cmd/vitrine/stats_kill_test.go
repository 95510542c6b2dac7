package main

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"testing"
)

// stroll requests a page of the shop tea as a separate browser.
func (p *program) stroll(who int, path string) {
	p.t.Helper()
	request, err := http.NewRequest("GET", "http://"+p.edge+path, nil)
	if err != nil {
		p.t.Fatal(err)
	}
	request.Host = "tea.localhost"
	request.Header.Set("User-Agent", fmt.Sprintf("Mozilla/5.0 (X11; Linux x86_64; rv:%d.0) Gecko/20100101 Firefox/%d.0", who, who))
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		p.t.Fatal(err)
	}
	response.Body.Close()
	if response.StatusCode != http.StatusOK {
		p.t.Fatalf("%s: %d", path, response.StatusCode)
	}
}

// A killed edge loses at most the visits counted since it last stored them, and none counts
// twice; a stopped edge loses none. A visitor before and after the restart is one visitor.
func TestVisitsSurviveKilledEdges(t *testing.T) {
	t.Parallel()
	p := newProgram(t)
	key := p.shop("tea")
	p.startRole("admin")
	e := *p
	e.ops = freeAddress(t)
	e.env = append(append([]string{}, p.env...), "VITRINE_OPS_LISTEN="+e.ops)
	counted := func() (visits, views int) {
		s := p.must(key, "GET", "/stats", nil)
		return int(s["visits"].(float64)), int(s["page_views"].(float64))
	}
	made, sure, lost := 0, 0, 0 // views made, views stored, views lost
	const people = 20
	walk := func(first, n int) {
		for who := range n {
			e.stroll(first+who, "/")
			made++
		}
	}
	for round := range 3 {
		r := e.startRole("edge")
		walk(0, people)
		wait(t, "the edge hands over", func() bool { _, views := counted(); return views >= made-lost })
		_, sure = counted()
		walk(0, people+round)
		for range rand.IntN(40) {
			e.stroll(0, "/")
			made++
		}
		r.kill()
		visits, views := counted()
		if views < sure || views > made-lost || visits > people+round {
			t.Errorf("round %d: %d visits, %d views of %d, %d were stored", round, visits, views, made-lost, sure)
		}
		lost = made - views
	}
	r := e.startRole("edge")
	walk(0, people+5)
	r.stop()
	if visits, views := counted(); visits != people+5 || views != made-lost {
		t.Errorf("after a stop: %d visits of %d, %d views of %d", visits, people+5, views, made-lost)
	}
	t.Logf("%d views were made, %d were lost in three kills", made, lost)
}
