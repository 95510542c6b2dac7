package letter_test

import (
	"context"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/emersion/go-smtp"

	"vitrine/admin/api/apitest"
	"vitrine/admin/letter"
	"vitrine/internal/await"
	"vitrine/internal/catalogue"
	"vitrine/internal/load"
	"vitrine/internal/mail"
	"vitrine/internal/mail/mailtest"
	"vitrine/internal/secret"
	"vitrine/internal/shop"
	companydb "vitrine/internal/store/company"
	letterdb "vitrine/internal/store/letter"
)

// mailFixture is a mail server with a worker that sends to it, on its own clock.
type mailFixture struct {
	*fixture
	box     *mailtest.Box
	mu      sync.Mutex
	ahead   time.Duration
	letters *letter.Letters
	ask     func() // asks the worker to stop
	stop    func() // asks the worker to stop and waits for it
}

func (p *mailFixture) now() time.Time {
	p.mu.Lock()
	defer p.mu.Unlock()
	return time.Now().Add(p.ahead)
}

func (p *mailFixture) wait(d time.Duration) {
	p.mu.Lock()
	p.ahead += d
	p.mu.Unlock()
}

func startWorker(t *testing.T, box *mailtest.Box) *mailFixture {
	t.Helper()
	p := &mailFixture{fixture: open(t, "ru"), box: mailtest.Serve(t, box)}
	server, err := mail.Parse(box.URL, "shops.test")
	if err != nil {
		t.Fatal(err)
	}
	sealer, err := secret.NewSealer("AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=")
	if err != nil {
		t.Fatal(err)
	}
	hosts, err := shop.ParseStorefronts("http://{shop}.shops.test")
	if err != nil {
		t.Fatal(err)
	}
	cfg := letter.Config{
		Store: p.Store, Sites: load.NewSites(hosts, p.now), Catalogues: catalogue.NewCatalogues(hosts, p.now), Now: p.now, Sealer: sealer, Server: server,
		From: "shop@shops.test",
	}
	cfg.URLs.Storefront = func(c companydb.Company) string { return hosts.Origin(c.Slug, c.Domain) }
	p.letters = letter.New(cfg)
	p.resume()
	t.Cleanup(func() { p.stop() })
	return p
}

// resume starts a worker after the one before has stopped.
func (p *mailFixture) resume() *mailFixture {
	ctx, cancel := context.WithCancel(p.t.Context())
	var worker sync.WaitGroup
	loop := p.letters.Carrier()
	worker.Go(func() { loop.Run(ctx, slog.New(slog.DiscardHandler)) })
	p.ask, p.stop = cancel, func() { cancel(); worker.Wait() }
	return p
}

// rows returns the letters with a name as queued, newest first.
func (p *mailFixture) rows(name string) []letterdb.ShopLetter {
	p.t.Helper()
	list, _, err := letterdb.List(p.t.Context(), p.Store.Shop(p.Shop.ID), "", name, 100, 0)
	if err != nil {
		p.t.Fatal(err)
	}
	return list
}

// waitFor polls until the queue is in the expected state.
func (p *mailFixture) waitFor(what string, is func([]letterdb.ShopLetter) bool) {
	p.t.Helper()
	if await.Until(func() bool { return is(p.rows("")) }) {
		return
	}
	var said []string
	for _, l := range p.rows("") {
		said = append(said, fmt.Sprint(l.Name, " to ", l.To, " ", l.State, " after ", l.Tries, ": ", l.Error))
	}
	p.t.Fatalf("timed out waiting for %s: %q", what, said)
}

// until waits for n letters with a name in a state.
func (p *mailFixture) until(name, state string, n int) (list []m) {
	p.t.Helper()
	p.waitFor(fmt.Sprint(n, " ", name, " ", state), func(all []letterdb.ShopLetter) bool {
		found := 0
		for _, l := range all {
			if l.Name == name && l.State == state {
				found++
			}
		}
		return found >= n
	})
	for _, l := range p.fixture.letters(name) {
		if l["state"] == state {
			list = append(list, l)
		}
	}
	return list
}

func TestLettersAreSent(t *testing.T) {
	t.Parallel()
	p := startWorker(t, &mailtest.Box{})
	p.orders(1, "ben@people.test")
	l := p.until("order_made_buyer", "sent", 1)[0]
	p.until("order_made_seller", "sent", 1)
	mails := p.box.Mails()
	if len(mails) != 2 {
		t.Fatalf("%d arrived", len(mails))
	}
	for _, got := range mails {
		if got.To != "ben@people.test" {
			continue
		}
		if got.Header("Subject") != l["subject"] || got.Part("text/plain") != l["text"] || got.Part("text/html") != l["html"] {
			t.Errorf("%q: %s", got.Header("Subject"), got.Raw)
		}
		if got.Header("From") != `"Tea & Co" <shop@shops.test>` || got.Header("Reply-To") != "<hello@tea.test>" || !strings.HasSuffix(got.Header("Message-ID"), "@shops.test>") {
			t.Errorf("%s %s %s", got.Header("From"), got.Header("Reply-To"), got.Header("Message-ID"))
		}
	}
	// Sending it again creates another letter.
	p.OK("POST", "/v1/shop/letters/again/"+fmt.Sprint(l["id"]), p.owner, m{})
	p.until("order_made_buyer", "sent", 2)
	ids := map[string]bool{}
	for _, got := range p.box.Mails() {
		ids[got.Header("Message-ID")] = true
	}
	if len(ids) != 3 {
		t.Errorf("%v", ids)
	}
}

// A worker that is asked to stop records the letters that the server accepted meanwhile.
func TestAStoppingWorkerRecordsSentLetters(t *testing.T) {
	t.Parallel()
	begun, asked := make(chan struct{}, 8), make(chan struct{})
	p := startWorker(t, &mailtest.Box{OnAccept: func(mailtest.Mail) {
		begun <- struct{}{}
		<-asked // signals that the worker was asked to stop
	}})
	p.orders(1, "ben@people.test")
	await.Next(t, begun)
	p.ask()
	close(asked)
	p.stop()
	sent := 0
	for _, l := range p.rows("") {
		if l.State == "sent" {
			sent++
		}
	}
	if n := len(p.box.Mails()); sent != n || n == 0 {
		t.Errorf("the server has %d letters, %d are recorded as sent", n, sent)
	}
}

func TestRefusedLettersAreRetriedOrFail(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	asked := map[string]int{}
	p := startWorker(t, &mailtest.Box{Refuse: func(stage, address string) error {
		mu.Lock()
		defer mu.Unlock()
		if stage != "rcpt" {
			return nil
		}
		asked[address]++
		switch {
		case address == "gone@people.test":
			return &smtp.SMTPError{Code: 550, Message: "no such user"}
		case address == "later@people.test" && asked[address] < 3:
			return &smtp.SMTPError{Code: 451, Message: "greylisted"}
		case address == "never@people.test":
			return &smtp.SMTPError{Code: 450, Message: "busy"}
		}
		return nil
	}})
	p.orders(1, "gone@people.test")
	failed := p.until("order_made_buyer", "failed", 1)[0]
	if !strings.Contains(failed["error"].(string), "550") {
		t.Errorf("%v", failed["error"])
	}
	// A bounced address gets no further attempts until a letter is sent again by hand.
	p.orders(1, "gone@people.test")
	for _, l := range p.until("order_made_buyer", "failed", 2)[:1] {
		if !strings.Contains(l["error"].(string), "bounced") || asked["gone@people.test"] != 1 {
			t.Errorf("%v, %d attempts", l["error"], asked["gone@people.test"])
		}
	}
	p.OK("POST", "/v1/shop/letters/again/"+fmt.Sprint(failed["id"]), p.owner, m{})
	p.until("order_made_buyer", "failed", 3)
	mu.Lock()
	if asked["gone@people.test"] != 2 {
		t.Errorf("%d attempts", asked["gone@people.test"])
	}
	mu.Unlock()
	p.OK("PUT", "/products/"+p.product+"/stock", p.owner, m{"quantity": 40})

	// A 4xx is retried within 20 seconds at first.
	p.orders(1, "later@people.test")
	p.waitFor("the first attempt", func(all []letterdb.ShopLetter) bool { return all[1].Error != "" })
	p.wait(20 * time.Second)
	p.waitFor("the second attempt", func(all []letterdb.ShopLetter) bool { return all[1].Tries == 2 })
	p.waitFor("the third attempt", func(all []letterdb.ShopLetter) bool { p.wait(10 * time.Second); return all[1].State == "sent" })

	// After three days the letter fails.
	p.orders(1, "never@people.test")
	p.waitFor("the failure", func(all []letterdb.ShopLetter) bool { p.wait(time.Hour); return all[1].State == "failed" })
	if l := p.rows("order_made_buyer")[0]; l.Tries < 3 {
		t.Errorf("failed after %d attempts: %v", l.Tries, l.Error)
	}
}

// Invalid addresses fail on their own and do not delay letters to other addresses.
func TestInvalidAddressesFailAlone(t *testing.T) {
	t.Parallel()
	p := startWorker(t, &mailtest.Box{})
	p.OK("PUT", "/products/"+p.product+"/stock", p.owner, m{"quantity": 1000})
	for _, address := range []string{`"a b"@people.test`, strings.Repeat("a", 64) + "@" + strings.Repeat("b", 250) + ".test", "no address", "a@b\r\nRCPT TO:<c@d>"} {
		got := p.Send(apitest.Request{Method: "POST", Path: "/cart/items/" + p.product + "/default", Key: p.buyer, Body: m{"quantity": 1}, Header: p.ThroughStorefront()})
		if got.Status != 200 {
			t.Fatalf("%s", got.Body)
		}
		made := p.Send(apitest.Request{Method: "POST", Path: "/cart/confirm", Key: p.buyer, Header: p.ThroughStorefront(), Body: m{"contact": m{"name": "B", "phone": "1", "email": address}}})
		if made.Status >= 500 {
			t.Errorf("%s: %s", address, made.Body)
		}
	}
	p.orders(1, "бен@почта.рф")
	p.orders(1, "ben@bücher.test")
	p.until("order_made_buyer", "sent", 1)
	for _, l := range p.fixture.letters("order_made_buyer") {
		if ok := l["to"] == "ben@bücher.test" || l["to"] == "бен@почта.рф"; l["state"] == "sent" && !ok {
			t.Errorf("a letter was sent to %v", l["to"])
		}
	}
	for _, got := range p.box.Mails() {
		if strings.ContainsAny(got.To, " \r\n\"") || len(got.To) > mail.MaxAddress {
			t.Errorf("%q", got.To)
		}
	}
}
