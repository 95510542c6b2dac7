package main

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"vitrine/internal/hook"
)

// cabinetTeam is the demo shop and the tab of its owner, at both widths.
func cabinetTeam(t *testing.T, story func(t *testing.T, p *program, b *tab, width int64)) {
	t.Parallel()
	for _, width := range []int64{1280, 390} {
		t.Run(fmt.Sprintf("at %d", width), func(t *testing.T) {
			p := newDemo(t)
			p.env = append(p.env, "VITRINE_ADMIN_URL=http://admin.localhost:"+portOf(t, p.admin), "VITRINE_OUTBOUND_ALLOW=127.0.0.0/8")
			p.start()
			story(t, p, p.owner(t, width), width)
		})
	}
}

var invitationLink = regexp.MustCompile(`/cabinet/invitation#vi_\w{36}`)

// An owner invites somebody, who registers with the link of the letter, adds a passkey and signs in
// with it. A link that was used, and one for another address, say so.
func TestInvitedMemberJoinsAndSignsInWithAPasskey(t *testing.T) {
	cabinetTeam(t, func(t *testing.T, p *program, b *tab, width int64) {
		core := axeCore(t)
		b.open("/cabinet/demo/team", width)
		b.shows("3 members")
		b.pushes("Invite")
		b.types("[name=invited-email]", "editor@demo.example")
		b.pushes("Send the invitation")
		b.shows("There is a member with this address already.")
		b.types("[name=invited-email]", "ann@example.com")
		b.text(`(document.querySelector('[role=dialog] [type=radio][value=admin]').click(), '')`)
		b.pushes("Send the invitation")
		b.shows("Open invitations")
		b.shows("ann@example.com\n")
		b.screenIsFit(core, "team", width)
		link := invitationLink.FindString(p.letterTo("ann@example.com"))

		ann := p.tab(t)
		ann.host = b.host
		ann.hasPasskeys()
		ann.open("/cabinet/invitation#vi_"+strings.Repeat("0", 36), width)
		ann.shows("This invitation has expired, was used or was withdrawn.")
		ann.open("/docs/scopes.json", width) // a change of the hash alone loads nothing
		ann.open(link, width)
		ann.shows("Invitation to Morrow & Fern")
		ann.shows("Sent to ann@example.com. Your role will be: Administrator.")
		ann.types("[name=name]", oddText)
		ann.types("[name=password]", "short")
		ann.pushes("Create the account and join")
		ann.shows("8 to 256 characters.")
		ann.screenIsFit(core, "invitation", width)
		ann.types("[name=password]", "a long password")
		ann.pushes("Create the account and join")
		ann.until(`location.pathname === '/cabinet/demo/start'`)
		ann.shows("Waiting for you")

		ann.open("/cabinet/account", width)
		ann.types("[name=passkey-name]", "Laptop")
		ann.pushes("Add a passkey")
		ann.shows("Added ")
		ann.pushes("As a call")
		ann.shows("$VITRINE_SESSION")
		ann.pushes("Close")
		ann.pushes("Sign out")
		ann.pushes("Sign in with a passkey")
		ann.shows("Where you are signed in")
		ann.open("/cabinet/demo/team", width)
		ann.shows("4 members")
		ann.shows(oddText)
		ann.until(`document.querySelectorAll('main [aria-label^="Change the role"]').length === 3`) // not the owner's
		ann.screenIsFit(core, "team-of-an-administrator", width)
		if got := p.memberOf("owner@demo.example", "ann@example.com"); got["role"] != "admin" || got["second_factor"] != true || got["proven"] != true {
			t.Errorf("%v", got)
		}

		// The same person, invited again after they left, has an account.
		ann.pushes("Leave the shop: " + oddText)
		ann.shows("To come back you need a new invitation.")
		ann.pushes("Leave the shop")
		ann.shows("You are not a member of any shop yet.")
		p.invites("ann@example.com")
		link = invitationLink.FindString(p.letterTo("ann@example.com"))
		b.open(link, width)
		b.shows("You are signed in as owner@demo.example, and the invitation is for another address.")
		ann.open(link, width)
		ann.pushes("Join the shop")
		ann.shows("Waiting for you")
		ann.open("/docs/scopes.json", width)
		ann.open(link, width)
		ann.shows("This invitation has expired, was used or was withdrawn.")
		ann.quiet("400", "404")
		b.quiet("409")
	})
}

// token opens a session of a person of the demo shop outside of the browser.
func (p *program) token(email string) string {
	p.t.Helper()
	return p.must("", "POST", "/v1/auth/login", map[string]any{"email": email, "password": "tea-at-four"})["token"].(string)
}

func (p *program) invites(email string) {
	p.t.Helper()
	p.must(p.token("owner@demo.example"), "POST", "/v1/orgs/current/members", map[string]any{"email": email, "role": "editor"})
}

// memberOf is a member as another one sees them.
func (p *program) memberOf(by, email string) map[string]any {
	p.t.Helper()
	_, answer := p.call(p.token(by), "GET", "/v1/orgs/current/members", nil)
	for _, row := range answer["result"].([]any) {
		if row := row.(map[string]any); row["email"] == email {
			return row
		}
	}
	p.t.Fatalf("no member %s", email)
	return nil
}

// An owner changes a role, withdraws an invitation and sees both in the audit log; the last owner
// stays one.
func TestOwnerKeepsTheTeam(t *testing.T) {
	cabinetTeam(t, func(t *testing.T, p *program, b *tab, width int64) {
		core := axeCore(t)
		b.open("/cabinet/demo/team", width)
		b.pushes("Change the role: editor@demo.example")
		b.text(`(document.querySelector('[role=dialog] [type=radio][value=admin]').click(), '')`)
		b.pushes("Save")
		b.shows("editor@demo.example: Administrator")
		b.until(`!document.querySelector('[role=dialog]')`)
		if got := p.memberOf("owner@demo.example", "editor@demo.example"); got["role"] != "admin" {
			t.Errorf("%v", got)
		}
		b.pushes("Change the role: owner@demo.example")
		b.text(`(document.querySelector('[role=dialog] [type=radio][value=editor]').click(), '')`)
		b.shows("You lose rights at once")
		b.pushes("Save")
		b.shows("A shop needs an owner.")
		b.screenIsFit(core, "role", width)
		b.pushes("Close")
		b.pushes("Leave the shop: owner@demo.example")
		b.pushes("Leave the shop")
		b.shows("A shop needs an owner.")
		b.open("/cabinet/account", width)
		b.pushes("Leave a shop")
		b.shows("To come back you need a new invitation.")
		b.pushes("Leave the shop")
		b.shows("A shop needs an owner.")
		b.screenIsFit(core, "account-leave", width)
		b.open("/cabinet/demo/team", width)
		b.until(`document.querySelector('main section [type=checkbox][value=owner]')`)

		b.text(`(document.querySelector('main section [type=checkbox][value=owner]').click(), '')`)
		b.shows("1 member with these roles has none yet.")
		b.text(`(document.querySelector('main section form').requestSubmit(), '')`)
		b.shows("Add a second factor to your own account first")

		p.invites("bob@example.com")
		b.open("/cabinet/demo/team", width)
		b.pushes("Withdraw: bob@example.com")
		b.shows("The link in the letter will no longer work.")
		b.pushes("Withdraw")
		b.shows("The invitation of bob@example.com is withdrawn.")
		b.until(`!document.body.innerText.includes('Open invitations')`)

		b.pushes("Audit log")
		b.shows("Withdrew an invitation")
		b.shows("Changed the role of a member")
		b.screenIsFit(core, "audit", width)
		b.text(`([...document.querySelectorAll('main a')].find((a) => a.textContent === 'POST /v1/orgs/current/members').click(), '')`)
		b.until(`location.search.includes('path=') && !document.querySelector('main').innerText.includes('Withdrew')`)
		b.shows("Invited somebody")
		b.pushes("All changes")
		b.shows("Withdrew an invitation")
		b.quiet("400", "403")
	})
}

// An administrator whose role is lowered while the page is open signs in again and is told that the
// new role may not do this; the buttons are gone.
func TestALoweredRoleIsToldOnTheOpenPage(t *testing.T) {
	cabinetTeam(t, func(t *testing.T, p *program, _ *tab, width int64) {
		b := cabinet(t, p, width)
		b.entersCabinet("admin@demo.example", "tea-at-four")
		b.shows("Waiting for you")
		b.open("/cabinet/demo/team", width)
		b.pushes("Invite")
		b.types("[name=invited-email]", "bob@example.com")
		admin := p.memberOf("owner@demo.example", "admin@demo.example")
		p.must(p.token("owner@demo.example"), "PUT", "/v1/orgs/current/members/"+itoa(admin["user_id"]), map[string]any{"role": "editor"})
		b.pushes("Send the invitation")
		b.shows("Your session has ended.")
		b.types("[role=dialog] [name=password]", "tea-at-four")
		b.pushes("Sign in")
		b.shows("Your role in this shop may not do this.")
		b.pushes("Close")
		b.until(`![...document.querySelectorAll('main button')].some((e) => /Invite|Withdraw/.test(e.textContent) || /role|Remove/.test(e.ariaLabel ?? ''))`)
		b.until(`!document.querySelector('nav[aria-label=Menu] a[href$="/team"]')`)
		b.fits("team-lowered", width)
		b.open("/cabinet/demo/integrations/keys/new", width)
		b.shows("Only owners and administrators may grant the others.")
		b.is(`document.querySelector('[type=checkbox][value="orders:read"]').disabled`, "true")
		b.quiet("401", "403")
	})
}

// A key is made, used and revoked with the keyboard alone. One that may do nothing is refused.
func TestAKeyIsMadeAndRevokedByKeyboard(t *testing.T) {
	cabinetTeam(t, func(t *testing.T, p *program, b *tab, width int64) {
		core := axeCore(t)
		b.open("/cabinet/demo/integrations", width)
		b.tabsTo("main a[href$='/keys/new']")
		b.presses(kb.Enter)
		b.until(`document.activeElement.matches('[name=key-name]')`)
		b.keys("By keyboard")
		b.presses(kb.Enter)
		b.shows("Choose at least one.")
		b.screenIsFit(core, "key-refused", width)
		b.tabsTo("[type=checkbox][value='catalog:read']")
		b.presses(" ")
		b.tabsTo("main form [type=submit]")
		b.presses(kb.Enter)
		b.until(`document.querySelector('main [role=alert] [readonly]')`)
		key := b.text(`document.querySelector('main [role=alert] [readonly]').value`)
		b.screenIsFit(core, "key", width)
		p.must(key, "GET", "/products?page.limit=1&page.number=1", nil)
		if status, refused := p.call(key, "POST", "/products", map[string]any{"item": map[string]any{"name": "Tea"}}); status != 403 || refused["code"] != "PAT_SCOPE_MISSING" {
			t.Errorf("%d %v", status, refused)
		}
		b.tabsTo("main [role=alert] button:not([aria-label])")
		b.presses(kb.Enter)
		b.until(`location.pathname === '/cabinet/demo/integrations'`)
		b.tabsTo("main [aria-label='1 right: By keyboard']")
		b.presses(kb.Enter)
		b.shows("See products, sections, articles and reviews, also hidden ones")
		b.until(`document.activeElement.closest('[role=dialog]')`)
		b.presses(kb.Escape)
		b.until(`!document.querySelector('[role=dialog]') && document.activeElement.ariaLabel === '1 right: By keyboard'`)
		used := b.text(`document.activeElement.closest('tr, .mantine-Card-root').innerText`)
		if strings.Count(used, "never") != 1 { // it does not expire
			t.Errorf("the key was used: %s", used)
		}
		b.screenIsFit(core, "keys", width)
		b.tabsTo("main [aria-label='Revoke: By keyboard']")
		b.presses(kb.Enter)
		b.until(`document.activeElement.textContent === 'Cancel'`)
		b.presses(kb.Tab)
		b.is(`document.activeElement.textContent`, "Revoke")
		b.presses(kb.Enter)
		b.shows("The key By keyboard is revoked.")
		b.until(`!document.querySelector('[aria-label="Revoke: By keyboard"]')`)
		if status, _ := p.call(key, "GET", "/products?page.limit=1&page.number=1", nil); status != 401 {
			t.Errorf("a revoked key gets %d", status)
		}
		b.quiet()
	})
}

// receiver is a server for webhooks that is down, in that it refuses further attempts, until it is up.
type receiver struct {
	*httptest.Server
	mu     sync.Mutex
	up     bool
	events []string          // accepted
	signed map[string]string // the signature of each body
}

func newReceiver(t *testing.T) *receiver {
	r := &receiver{signed: map[string]string{}}
	r.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		body, err := io.ReadAll(q.Body)
		r.mu.Lock()
		defer r.mu.Unlock()
		if err != nil || !r.up {
			w.Header().Set("webhook-delivery", "abort-message")
			w.WriteHeader(http.StatusServiceUnavailable)
			return
		}
		r.events = append(r.events, q.Header.Get("X-Service-Event"))
		r.signed[string(body)] = q.Header.Get("X-Service-Signature")
	}))
	t.Cleanup(r.Close)
	return r
}

func (r *receiver) got() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return strings.Join(r.events, " ")
}

func (r *receiver) comesUp() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.up = true
}

// A webhook whose receiver was down is tested, and what was lost is sent again: one delivery by hand,
// the others at once. One that was switched off is switched on.
func TestAWebhookIsRepairedInTheCabinet(t *testing.T) {
	cabinetTeam(t, func(t *testing.T, p *program, b *tab, width int64) {
		core, at := axeCore(t), newReceiver(t)
		key := p.verb("key", "issue", "--shop", "demo", "--scopes", "all")["key"].(string)
		product := p.anyProduct(key)
		edit := func() {
			p.must(key, "PUT", product, map[string]any{"item": map[string]any{"is_published": true}})
		}
		b.open("/cabinet/demo/integrations/webhooks", width)
		b.shows("The shop has no webhooks.")
		b.pushes("New webhook")
		b.fills("Address", "ftp://example.com")
		b.fills("Your own secret", "typed and never kept")
		b.shows("Not saved")
		b.is(`JSON.stringify({ ...sessionStorage, ...localStorage }).includes('never kept')`, "false")
		b.reloads()
		b.shows("What you had typed before is here again.")
		b.is(field("Your own secret")+`.value`, "")
		b.is(field("Address")+`.value`, "ftp://example.com")
		b.text(`(document.querySelector('[type=checkbox][value="product.updated"]').click(), '')`)
		b.pushes("Save")
		b.shows("on the public internet")
		b.until(`document.activeElement.type === 'url'`)
		b.fills("Address", at.URL)
		b.pushes("Save")
		b.shows("It is shown only now.")
		secret := b.text(`document.querySelector('main [role=alert] [readonly]').value`)
		b.screenIsFit(core, "webhook-secret", width)
		b.pushes("I have kept it")
		b.until(`!document.querySelector('main [role=alert] [readonly]')`)

		edit()
		edit()
		b.pushes("Send a test")
		b.shows("The receiver did not accept the test: status 503")
		if err := chromedp.Do(b.ctx, chromedp.Reload()); err != nil {
			t.Fatal(err)
		}
		b.until(`[...document.querySelectorAll('main .mantine-Badge-root')].filter((e) => e.textContent === 'Given up').length === 2`)
		b.shows("Nothing was accepted since")
		b.screenIsFit(core, "webhook-down", width)
		at.comesUp()
		b.pushes("Send a test")
		b.shows("The receiver accepted the test: 200.")
		b.text(`([...document.querySelectorAll('main button')].find((e) => e.ariaLabel?.startsWith('Send again: product.updated')).click(), '')`)
		b.shows("It is sent again.")
		b.until(`[...document.querySelectorAll('main .mantine-Badge-root')].some((e) => e.textContent === 'Accepted')`)
		b.pushes("Send lost ones again")
		b.shows("All deliveries since then that were given up")
		b.text(`(document.querySelector('[role=dialog] [type=submit]').click(), '')`)
		b.shows("is queued.")
		b.until(`[...document.querySelectorAll('main .mantine-Badge-root')].filter((e) => e.textContent === 'Accepted').length === 2`)
		b.shows("sent again by hand")
		if got := at.got(); got != "webhook.test product.updated product.updated" {
			t.Errorf("the receiver got %s", got)
		}
		for body, signature := range at.signed {
			if signature != hook.Sign(secret, []byte(body)) {
				t.Errorf("%s is signed %s", body, signature)
			}
		}

		b.text(`(document.querySelector('main [role=switch]').click(), '')`)
		b.pushes("Save")
		b.shows("Nothing is sent there.")
		b.screenIsFit(core, "webhook-off", width)
		b.pushes("Switch on")
		b.shows("The webhook is on.")
		b.until(`document.querySelector('main [role=switch]').checked`)
		b.pushes("Delete")
		b.shows("Nothing more is sent there.")
		b.text(`([...document.querySelectorAll('[role=dialog] button')].find((e) => e.textContent === 'Delete').click(), '')`)
		b.shows("The shop has no webhooks.")
		b.quiet("400")
	})
}
