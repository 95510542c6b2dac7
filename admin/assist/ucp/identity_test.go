package ucp_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"vitrine/admin/api/apitest"
	"vitrine/internal/schematest"
	"vitrine/internal/secret"
	"vitrine/internal/shop"
	core "vitrine/internal/store"
	"vitrine/internal/store/people"
	"vitrine/internal/store/privacy"
)

const (
	cartScope     shop.Scope = "dev.ucp.shopping.cart:manage"
	checkoutScope shop.Scope = "dev.ucp.shopping.checkout:manage"
	orderScope    shop.Scope = "dev.ucp.shopping.order:read"
)

// link links the platform with the account of a person in a shop and returns the access token.
func (s *store) link(company shop.CompanyID, person shop.UserID, scopes ...shop.Scope) (token string) {
	s.t.Helper()
	ctx, now := s.t.Context(), s.Clock.Now()
	client, err := people.RegisterLinkClient(ctx, s.Store, company, people.Client{Profile: s.platform.address(), Name: "Agent", Redirects: []string{"http://127.0.0.1/"}}, now)
	if err != nil {
		s.t.Fatal(err)
	}
	_, code, err := secret.New(secret.Code)
	if err != nil {
		s.t.Fatal(err)
	}
	token, access, err := secret.New(secret.Assistant)
	if err != nil {
		s.t.Fatal(err)
	}
	err = s.Store.Write(ctx, company, func(tx *core.Tx) error {
		if err := people.AgreeToLink(ctx, tx, code, people.Consent{Client: client, Person: person, Scopes: scopes}, now.Add(time.Minute), now); err != nil {
			return err
		}
		_, link, _, err := people.UseLinkCode(ctx, tx, code, now)
		if err != nil {
			return err
		}
		_, refresh, err := secret.New(secret.Refresh)
		if err != nil {
			return err
		}
		return people.StoreLinkTokens(ctx, tx, link, people.TokenPair{Access: access, AccessExpires: now.Add(time.Hour), Refresh: refresh, RefreshExpires: now.AddDate(0, 2, 0)}, now)
	})
	if err != nil {
		s.t.Fatal(err)
	}
	return token
}

// unlink ends all links of a person.
func (s *store) unlink(person shop.UserID) {
	s.t.Helper()
	list, err := people.Links(s.t.Context(), s.Store.Shop(s.Shop.ID), person, s.Clock.Now())
	if err != nil {
		s.t.Fatal(err)
	}
	for _, l := range list {
		if err := s.Store.Write(s.t.Context(), s.Shop.ID, func(tx *core.Tx) error { return people.EndLink(s.t.Context(), tx, person, l.ID) }); err != nil {
			s.t.Fatal(err)
		}
	}
}

// The profile offers linking without making it a condition: listed scopes would close the shop to guests.
func TestTheProfileOffersIdentityLinking(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	entry := pick(s.get("/.well-known/ucp").JSON, "ucp", "capabilities", "dev.ucp.common.identity_linking", 0)
	if config := pick(entry, "config", "scopes"); fmt.Sprint(config) != "map[]" {
		t.Errorf("the entry: %v", entry)
	}
	text, err := json.Marshal(entry)
	if err != nil {
		t.Fatal(err)
	}
	schematest.Official(t).Fits(t, "ucp/schemas/common/identity_linking.json#/$defs/dev.ucp.common.identity_linking/business_schema", text)
	server := s.get("/.well-known/oauth-authorization-server").JSON
	for _, scope := range []shop.Scope{cartScope, checkoutScope, orderScope} {
		if !slices.Contains(server["scopes_supported"].(list), any(string(scope))) {
			t.Errorf("%s is not offered: %v", scope, server["scopes_supported"])
		}
	}
}

func TestALinkedBuyerHasTheOrder(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	selling(s)
	tea := s.sell(object{"name": "Tea", "price": 10})
	mei := s.Buyer("mei@people.test")
	body := object{"line_items": lines(tea, 1), "buyer": ann, "fulfillment": shippingTo("DE")}
	s.platform.publish(func(w http.ResponseWriter) {
		writeJSON(w, profileOf(append(all, "dev.ucp.common.identity_linking")...))
	})
	guest := s.rest(createCheckout, "", body).JSON
	expect(t, "a guest is invited", codes(guest), "identity_optional")
	s.token = s.link(s.Shop.ID, mei, checkoutScope, orderScope)
	made := map[string]string{}
	for _, by := range []string{"rest", "mcp", "a guest's session"} {
		id := fmt.Sprint(guest["id"])
		if by != "a guest's session" {
			answer := s.rest(createCheckout, "", body).JSON
			expect(t, "messages", codes(answer), "")
			id = fmt.Sprint(answer["id"])
		}
		var done object
		if by == "mcp" {
			_, done = s.tool(completeCheckout, object{"meta": object{"ucp-agent": object{"profile": s.platform.address()}, "idempotency-key": "k"}, "id": id, "checkout": offline})
		} else {
			done = s.rest(completeCheckout, id, offline).JSON
		}
		expect(t, by, done["status"], "completed")
		made[by] = fmt.Sprint(pick(done, "order", "id"))
	}
	shown := s.Send(apitest.Request{Method: "POST", Path: "/orders", Header: s.OnHost(s.Bound(mei)), Body: object{}}).JSON
	orders, _ := pick(shown, "result", "items").(list)
	if len(orders) != 3 {
		t.Errorf("the history of the buyer: %v", shown)
	}
	for _, o := range orders {
		if pick(o, "source") != "assistant" || pick(o, "assistant", "platform") != s.platform.address() {
			t.Errorf("an order in the history: %v", o)
		}
	}
	// The order is read by its platform for its buyer.
	for by, id := range made {
		read := s.rest(getOrder, id, nil)
		_, same := s.call(getOrder, id, nil)
		if read.JSON["id"] != id || same["id"] != id {
			t.Errorf("%s: %s %v", by, read.Body, same)
		}
	}
	id := made["rest"]
	s.token = s.link(s.Shop.ID, s.Buyer("ben@people.test"), orderScope)
	expect(t, "another buyer", codes(s.rest(getOrder, id, nil).JSON), "not_found")
	s.platform = newPlatform(t)
	s.token = s.link(s.Shop.ID, mei, orderScope)
	expect(t, "another platform of the buyer", codes(s.rest(getOrder, id, nil).JSON), "not_found")
	// What the buyer has, their export has and an erasure takes.
	export, err := privacy.ExportPerson(t.Context(), s.Store, mei, s.Shop.ID)
	if err != nil {
		t.Fatal(err)
	}
	var held struct {
		Sessions list `json:"assistants"`
		Links    list `json:"linked_assistants"`
	}
	if err := json.Unmarshal(export, &held); err != nil || len(held.Sessions) != 3 || len(held.Links) != 2 {
		t.Errorf("the export has %v: %v", held, err)
	}
	if err := privacy.RemovePerson(t.Context(), s.Store, mei); err != nil {
		t.Fatal(err)
	}
	expect(t, "after the removal of the account", s.rest(getOrder, id, nil).Status, 401)
	var left int
	if err := s.Store.Pool.QueryRow(t.Context(), `SELECT count(*) FROM assist_session WHERE buyer_id IS NOT NULL`).Scan(&left); err != nil || left != 0 {
		t.Errorf("%d sessions of the buyer are left: %v", left, err)
	}
}

// What a buyer's token does not admit is refused, by REST and by MCP.
func TestTokensThatDoNotAdmitACall(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	selling(s)
	tea := s.sell(object{"name": "Tea", "price": 10})
	mei := s.Buyer("mei@people.test")
	body := object{"line_items": lines(tea, 1)}
	session, _, err := secret.New(secret.Session)
	if err != nil {
		t.Fatal(err)
	}
	unknown, _, err := secret.New(secret.Assistant)
	if err != nil {
		t.Fatal(err)
	}
	expired := s.link(s.Shop.ID, mei, cartScope, checkoutScope)
	s.Clock.Advance(time.Hour)
	revoked := s.link(s.Shop.ID, mei, cartScope, checkoutScope)
	s.unlink(mei)
	own := s.platform
	s.platform = newPlatform(t)
	anothers := s.link(s.Shop.ID, mei, cartScope, checkoutScope, orderScope)
	s.platform = own
	const (
		realm = `Bearer realm="http://tea.shops.test", `
		where = `resource_metadata="http://tea.shops.test/.well-known/oauth-protected-resource"`
		bad   = realm + `error="invalid_token", ` + where
	)
	for name, c := range map[string]struct {
		token  string
		status int
		code   string
		header string
	}{
		"unknown":                        {unknown, 401, "identity_required", bad},
		"of another shop":                {s.link(s.Other.ID, mei, cartScope, checkoutScope), 401, "identity_required", bad},
		"expired":                        {expired, 401, "identity_required", bad},
		"revoked":                        {revoked, 401, "identity_required", bad},
		"a session":                      {session, 401, "identity_required", bad},
		"a key of the owner":             {s.Owner, 401, "identity_required", bad},
		"10 KB":                          {strings.Repeat("x", 10<<10), 401, "identity_required", bad},
		"two words":                      {unknown + " " + unknown, 401, "identity_required", bad},
		"of another platform":            {anothers, 403, "profile_not_trusted", ""},
		"without the scope":              {s.link(s.Shop.ID, mei, orderScope), 403, "insufficient_scope", realm + `error="insufficient_scope", scope="dev.ucp.shopping.cart:manage", ` + where},
		"with the scope of the checkout": {s.link(s.Shop.ID, mei, checkoutScope), 403, "insufficient_scope", realm + `error="insufficient_scope", scope="dev.ucp.shopping.cart:manage", ` + where},
		"valid":                          {s.link(s.Shop.ID, mei, cartScope), 201, "", ""},
	} {
		s.token = c.token
		out := s.rest(createCart, "", body)
		code := codes(out.JSON)
		if code == "" && out.JSON["code"] != nil {
			code = fmt.Sprint(out.JSON["code"])
		}
		if out.Status != c.status || code != c.code || out.Header.Get("WWW-Authenticate") != c.header {
			t.Errorf("%s: %d %s %q", name, out.Status, out.Body, out.Header.Get("WWW-Authenticate"))
		}
		arguments := object{"meta": object{"ucp-agent": object{"profile": s.platform.address()}}, "cart": body}
		over := s.rpcAnswer("tools/call", object{"name": "create_cart", "arguments": arguments})
		status := c.status
		if status == 201 {
			status = 200
		}
		if over.Status != status || !strings.Contains(string(over.Body), c.code) || over.Header.Get("WWW-Authenticate") != c.header {
			t.Errorf("%s by MCP: %d %s %q", name, over.Status, over.Body, over.Header.Get("WWW-Authenticate"))
		}
		if _, answer := s.call(createCart, "", body); codes(answer) != codes(out.JSON) {
			t.Errorf("%s by MCP: %v", name, answer)
		}
	}
	s.token = ""
	for name, value := range map[string]string{"no scheme": unknown, "another scheme": "Basic eDp5", "nothing": "Bearer ", "only the scheme": "Bearer"} {
		if out := s.rest(createCart, "", body, "Authorization", value); out.Status != 401 || out.Header.Get("WWW-Authenticate") != bad {
			t.Errorf("%s: %d %s", name, out.Status, out.Body)
		}
	}
	if out := s.rest(search, "", object{"query": "tea"}, "Authorization", "bearer "+s.link(s.Shop.ID, mei, orderScope)); out.Status != 200 {
		t.Errorf("a search needs no scope: %d %s", out.Status, out.Body)
	}
	// Of two headers neither counts.
	text, err := json.Marshal(body)
	if err != nil {
		t.Fatal(err)
	}
	request, err := http.NewRequest("POST", apitest.AdminURL+"/ucp/carts", strings.NewReader(string(text)))
	if err != nil {
		t.Fatal(err)
	}
	for name, value := range s.ThroughStorefront() {
		request.Header.Set(name, value)
	}
	request.Header.Set("UCP-Agent", fmt.Sprintf("profile=%q", s.platform.address()))
	request.Header["Authorization"] = []string{"Bearer " + s.link(s.Shop.ID, mei, cartScope), "Bearer " + unknown}
	answer, err := s.Client("").Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	if text, err := io.ReadAll(answer.Body); err != nil || answer.StatusCode != 400 || !strings.Contains(string(text), "invalid_request") {
		t.Errorf("two headers: %d %s %v", answer.StatusCode, text, err)
	}
}

// The session of a linked buyer is theirs: it ends with the link, also for the platform that filled it.
func TestASessionOfALinkedBuyerEndsWithTheLink(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	selling(s)
	tea := s.sell(object{"name": "Tea", "price": 10})
	mei := s.Buyer("mei@people.test")
	body := object{"line_items": lines(tea, 1), "buyer": ann, "fulfillment": shippingTo("DE")}
	token := s.link(s.Shop.ID, mei, cartScope, checkoutScope)
	s.token = token
	cart := fmt.Sprint(s.rest(createCart, "", object{"line_items": lines(tea, 1)}).JSON["id"])
	ofCart := fmt.Sprint(s.rest(createCheckout, "", object{"line_items": list{}, "cart_id": cart}).JSON["id"])
	first := s.rest(createCheckout, "", body, "Idempotency-Key", "k").JSON
	id := fmt.Sprint(first["id"])
	if _, answer := s.call(getCheckout, id, nil); answer["id"] != first["id"] {
		t.Fatalf("%v", answer)
	}
	s.token = s.link(s.Shop.ID, s.Buyer("ben@people.test"), cartScope, checkoutScope)
	expect(t, "of another buyer", codes(s.rest(getCheckout, id, nil).JSON), "not_found")
	expect(t, "a checkout of another buyer's cart", codes(s.rest(createCheckout, "", object{"line_items": list{}, "cart_id": cart}).JSON), "not_found")
	if again := s.rest(createCheckout, "", body, "Idempotency-Key", "k").JSON; again["id"] == first["id"] {
		t.Errorf("another buyer's key brings %v", again)
	}
	const want = `Bearer realm="http://tea.shops.test", resource_metadata="http://tea.shops.test/.well-known/oauth-protected-resource"`
	refused := func(when string) {
		t.Helper()
		for _, out := range []apitest.Answer{
			s.rest(getCheckout, id, nil), s.rest(updateCheckout, id, body), s.rest(completeCheckout, id, offline, "Idempotency-Key", when), s.rest(cancelCheckout, id, nil),
			s.rest(getCheckout, ofCart, nil), s.rest(getCart, cart, nil), s.rest(createCheckout, "", object{"line_items": list{}, "cart_id": cart}),
		} {
			if out.Status != 401 || codes(out.JSON) != "identity_required" || s.token == "" && out.Header.Get("WWW-Authenticate") != want {
				t.Errorf("%s: %d %s %q", when, out.Status, out.Body, out.Header.Get("WWW-Authenticate"))
			}
		}
	}
	s.token = ""
	refused("without a token")
	s.token = token
	s.unlink(mei)
	refused("after the end of the link")
	s.token = ""
	refused("without the token after the end of the link")
	// Guests go on buying, and the buyer links again.
	expect(t, "a guest", s.rest(completeCheckout, fmt.Sprint(s.rest(createCheckout, "", body).JSON["id"]), offline).JSON["status"], "completed")
	s.token = s.link(s.Shop.ID, mei, checkoutScope)
	expect(t, "linked again", s.rest(completeCheckout, id, offline, "Idempotency-Key", "without a token").JSON["status"], "completed")
}

// A platform that the shop has blocked gets nothing for the tokens that it has.
func TestABlockedPlatformUsesNoTokens(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	selling(s)
	tea := s.sell(object{"name": "Tea", "price": 10})
	s.token = s.link(s.Shop.ID, s.Buyer("mei@people.test"), cartScope)
	block := func(blocked bool) {
		t.Helper()
		s.OK("PUT", "/v1/shop/assistants/platforms", s.Session(s.OwnerID), object{"profile": s.platform.address(), "blocked": blocked})
	}
	block(true)
	body := object{"line_items": lines(tea, 1)}
	if out := s.rest(createCart, "", body); out.Status != 403 || out.JSON["code"] != "profile_not_trusted" {
		t.Errorf("%d %s", out.Status, out.Body)
	}
	if status, failed := s.call(createCart, "", body); status != 403 || fmt.Sprint(failed["code"]) != "-32000" {
		t.Errorf("by MCP: %d %v", status, failed)
	}
	block(false)
	expect(t, "afterwards", s.rest(createCart, "", body).Status, 201)
}
