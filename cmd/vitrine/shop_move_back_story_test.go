package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"vitrine/internal/blob/blobtest"
)

// again sends a request with an Idempotency-Key on a shop's host, and returns the answer and whether it
// is one of an earlier call.
func (p *program) again(slug, cookie, key, path string, body any) (status int, text string, cookieNow string, replayed bool) {
	p.t.Helper()
	data, err := json.Marshal(body)
	if err != nil {
		p.t.Fatal(err)
	}
	request, err := http.NewRequest("POST", "http://"+p.edge+"/api"+path, bytes.NewReader(data))
	if err != nil {
		p.t.Fatal(err)
	}
	request.Host = slug + ".localhost:" + portOf(p.t, p.edge)
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Cookie", cookie)
	if key != "" {
		request.Header.Set("Idempotency-Key", key)
	}
	response, err := direct.Do(request)
	if err != nil {
		p.t.Fatal(err)
	}
	defer response.Body.Close()
	answer, err := io.ReadAll(response.Body)
	if err != nil {
		p.t.Fatal(err)
	}
	cookieNow, _, _ = strings.Cut(response.Header.Get("Set-Cookie"), ";")
	return response.StatusCode, string(answer), cookieNow, response.Header.Get("Idempotent-Replayed") != ""
}

// peopleIDs are the fields that name people, who have other ids at each installation.
var peopleIDs = regexp.MustCompile(`(created_by|updated_by|user_id|person_id):[0-9]+`)

// A shop moves from a directory to S3 and back, beside a shop with the same ids and the same webhook. It
// is closed, has a domain, an article of tomorrow and an order whose call is repeated; both
// installations are backed up and their processes killed meanwhile. Everything is as it was.
func TestAShopMovesThereAndBack(t *testing.T) {
	bucket := blobtest.Start(t).URL() // it sets the credentials of programs that start afterwards
	from, to := newProgram(t), newProgram(t)
	to.env = append(to.env, "VITRINE_BLOB_URL="+bucket)
	for _, p := range []*program{from, to} {
		p.env = append(p.env, "VITRINE_TRUSTED_PROXIES=127.0.0.0/8")
	}
	other, key := to.shop("other"), from.shop("tea")
	serves, there := from.start(), to.start()
	furnish(from, key)
	section := itoa(from.must(key, "POST", "/categories", map[string]any{"item": map[string]any{"name": "Many", "type": "product", "is_published": true}})["id"])
	product := itoa(from.must(key, "POST", "/products", map[string]any{"item": map[string]any{
		"name": "Sold", "category_id": section, "price": map[string]any{"price": 5}, "is_published": true}})["id"])
	news := itoa(from.must(key, "POST", "/categories", map[string]any{"item": map[string]any{"name": "Soon", "type": "news", "is_published": true}})["id"])
	article := itoa(from.must(key, "POST", "/articles", map[string]any{"item": map[string]any{
		"title": "Tomorrow", "category_id": news, "is_published": true, "published_at": time.Now().Add(24 * time.Hour).UTC().Format(time.RFC3339)}})["id"])
	company := itoa(from.must(key, "GET", "/v1/orgs/current", nil)["id"])
	hook := map[string]any{"url": "https://hooks.example.com/", "events": []any{"order.created"}}
	mine := itoa(from.must(from.signIn("tea@example.test"), "POST", "/webhooks", hook)["id"])
	if theirs := itoa(to.must(to.signIn("other@example.test"), "POST", "/webhooks", hook)["id"]); theirs != mine {
		t.Errorf("the webhooks %s and %s were to have one id", theirs, mine)
	}
	_, _, cookie, _ := from.again("tea", "", "", "/v1/auth/guest", map[string]any{})
	from.again("tea", cookie, "", "/cart/items/"+product+"/default", map[string]any{"quantity": 1})
	contact := map[string]any{"contact": map[string]any{"name": "Ann", "phone": "1"}}
	status, order, _, _ := from.again("tea", cookie, "the order", "/cart/confirm", contact)
	if status >= 300 {
		t.Fatalf("%d %s", status, order)
	}
	from.verb("shop", "close", "--shop", "tea", "--pin", "1234")

	// state is what the shop is for its owner.
	state := func(p *program) map[string]string {
		out, owner := map[string]string{}, p.signIn("tea@example.test")
		for _, path := range []string{"/products/" + product, "/articles/" + article, "/webhooks/" + mine, "/v1/storages/files", "/categories/" + section} {
			answer := p.must(owner, "GET", path, nil)
			delete(answer, "company_id")
			out[path] = peopleIDs.ReplaceAllString(hostless(p, "tea", fmt.Sprint(answer)), "$1")
		}
		return out
	}
	before, orders := state(from), from.orders(key)

	unchanged := func(where string, p *program) {
		t.Helper()
		for path, now := range state(p) {
			if now != before[path] {
				_, difference := moved{}.difference(before[path], now)
				t.Errorf("%s, %s: %s", where, path, difference)
			}
		}
	}

	move := func(p, to *program) []string {
		return []string{"shop", "move", "--shop", "tea", "--to", to.settingsFile()}
	}
	killed := from.killedWhen(func() bool {
		var begun bool
		err := to.database(t).QueryRow(t.Context(), `SELECT EXISTS (SELECT FROM shop_move)`).Scan(&begun)
		return err == nil && begun
	}, move(from, to)...)
	for name, p := range map[string]*program{"the installation that it leaves": from, "the installation that it moves to": to} {
		dir := filepath.Join(t.TempDir(), "backup")
		p.verb("backup", "--to", dir)
		if out, said, err := p.run("backup", "--check", dir); err != nil {
			t.Errorf("the backup of %s, killed %t: %s%s", name, killed, out, said)
		}
	}
	serves.kill()
	there.kill()
	from.start()
	to.start()
	report := from.verb(move(from, to)...)
	t.Logf("there: %v", report)
	unchanged("there", to)
	if got := to.orders(key); !slices.Equal(slices.Sorted(maps.Keys(got)), slices.Sorted(maps.Keys(orders))) {
		t.Errorf("%d orders, %d before", len(got), len(orders))
	}
	_, _, closed := to.visit("tea", "/products/sold")
	if !strings.Contains(closed, "PIN") || strings.Contains(closed, "Sold") {
		t.Errorf("a closed shop: %.500s", closed)
	}
	to.verb("shop", "open", "--shop", "tea")
	if status, again, _, replayed := to.again("tea", cookie, "the order", "/cart/confirm", contact); again != order || !replayed {
		t.Errorf("the order again: %d %s, it was %s", status, again, order)
	}
	// A domain, which both tables of hosts have in turn.
	hosts := func(what string, p *program, want bool) {
		t.Helper()
		out, said, err := p.run("shop", "hosts", "--pod", "x")
		if err != nil || strings.Contains(string(out), "tea.example.test") != want {
			t.Errorf("%s: %s%s, %v", what, out, said, err)
		}
	}
	to.verb("shop", "domain", "--shop", "tea", "--domain", "tea.example.test", "--at-once")
	hosts("the new one", to, true)
	hosts("the old one", from, false)
	to.must(other, "POST", "/products", map[string]any{"item": map[string]any{"name": "Cup"}})

	if _, said, err := to.run(move(to, from)...); err == nil || !strings.Contains(said, "a shop with this slug") {
		t.Errorf("back while the old one is there: %v %s", err, said)
	}
	from.verb("shop", "delete", "--shop", "tea", "--yes", "tea")
	t.Logf("back: %v", to.verb(move(to, from)...))
	hosts("the new one, back", to, false)
	hosts("the old one, back", from, true)
	from.verb("shop", "domain", "--shop", "tea", "--remove")
	wait(t, "the shop is at its slug", func() bool { status, _, _ := from.visit("tea", "/"); return status == 200 })
	unchanged("back", from)
	if status, again, _, replayed := from.again("tea", cookie, "the order", "/cart/confirm", contact); again != order || !replayed {
		t.Errorf("the order again, back: %d %s, it was %s", status, again, order)
	}
	if got := from.orders(key); len(got) != len(orders) {
		t.Errorf("%d orders, %d before", len(got), len(orders))
	}
	if company == itoa(report["company_id"]) {
		t.Error("the shop had the same id there, so nothing is proven about answers")
	}
}
