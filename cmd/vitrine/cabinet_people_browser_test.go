package main

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// An owner finds a customer, makes a group by rule after seeing how many it matches, adds a customer
// and puts them into a group by hand, and erases one after reading what that removes. Refusals stay
// beside the fields. In a wide and in a narrow window.
func TestOwnerKeepsCustomersInTheCabinet(t *testing.T) {
	t.Parallel()
	for _, width := range []int64{1280, 390} {
		t.Run(fmt.Sprintf("at %d", width), func(t *testing.T) {
			p, key, b := entersDemo(t, width)
			core, found := axeCore(t), map[string]bool{}
			b.findsCustomer(core, found, width)
			b.groupsByRule(p, key, core, found, width)
			b.addsCustomer(p, key, width)
			b.erasesCustomer(p, key, core, found, width)
			b.quiet("401", "400", "409", "404")
		})
	}
}

func (b *tab) findsCustomer(core string, found map[string]bool, width int64) {
	b.t.Helper()
	b.open("/cabinet/demo/customers?sort=spent", width)
	b.shows("Marta Lindqvist")
	b.axeHere(core, "customers", found)
	b.fits("customers", width)
	b.types("input[type=search]", "marta@")
	b.until(`location.search.includes('q=marta') && document.querySelectorAll('main a[href*="/customers/3"]').length === 1 && !document.body.innerText.includes('Tom Okafor')`)
	b.text(`(document.querySelector('main a[href*="/customers/3"]').click(), '')`)
	b.shows("Pepper mill")
	b.shows("Order 10")
	b.axeHere(core, "a customer", found)
	b.fits("customer", width)
}

func (b *tab) groupsByRule(p *program, key, core string, found map[string]bool, width int64) {
	b.t.Helper()
	b.open("/cabinet/demo/customers/groups/new", width)
	b.fills("Name of the group", "Loyal")
	b.text(`(document.querySelector('input[type=radio][value=spent]').click(), '')`)
	b.fills("Amount, EUR", "much")
	b.pushes("Save")
	b.shows("An amount such as 100")
	b.until(`document.activeElement === ` + field("Amount, EUR"))
	b.fills("Amount, EUR", "100")
	b.shows("The rule matches 5 customers now.")
	b.axeHere(core, "a group", found)
	b.fits("customer-group", width)
	b.chord("s")
	b.shows("5 customers are in it")
	group := b.text(`location.pathname.split('/').pop()`)
	if rule := fmt.Sprint(p.must(key, "GET", "/customer-groups/"+group, nil)["rule"]); rule != "map[spent_more_than:100]" {
		b.t.Errorf("the rule is %s", rule)
	}
	b.pushes("5 customers are in it")
	b.shows("Marta Lindqvist")
	b.shows("5 customers")
	b.open("/cabinet/demo/customers/groups/new", width)
	b.fills("Name of the group", "Loyal")
	b.pushes("Save")
	b.shows("Another group has this name.")
	b.fills("Name of the group", "Friends")
	b.pushes("Save")
	b.until(`/groups\/\d+$/.test(location.pathname)`)
}

func (b *tab) addsCustomer(p *program, key string, width int64) {
	b.t.Helper()
	b.open("/cabinet/demo/customers/new", width)
	b.fills("Email", "marta@buyers.example")
	b.pushes("Save")
	b.shows("The shop has a customer with this address.")
	b.fills("Email", "new@people.test")
	b.focuses(field("Name"))
	b.inserts(oddText + strings.Repeat("w", 200))
	b.pushes("Save")
	b.until(`/customers\/\d+$/.test(location.pathname)`)
	b.fits("customer-odd", width)
	id := b.text(`location.pathname.split('/').pop()`)
	b.open("/cabinet/demo/customers?q=new@people", width)
	b.shows("1 customer")
	b.until(`document.querySelector('main input[type=checkbox][aria-label^="<img"]')`)
	b.text(`(document.querySelector('main input[type=checkbox][aria-label^="<img"]').click(), '')`)
	b.focuses(`document.querySelector('[role=region] input[aria-label=Group]')`)
	b.presses(kb.ArrowDown, kb.ArrowDown, kb.Enter)
	b.pushes("Put into the group")
	b.shows("“Friends”: 1 customer will change")
	b.pushes("Do it")
	b.shows("Saved · 1 customer")
	if groups := p.must(key, "GET", "/customers/"+id, nil)["group_ids"].([]any); len(groups) != 1 {
		b.t.Errorf("groups %v", groups)
	}
}

func (b *tab) erasesCustomer(p *program, key, core string, found map[string]bool, width int64) {
	b.t.Helper()
	b.open("/cabinet/demo/customers/3", width)
	b.pushes("Erase")
	b.shows("6 orders")
	b.shows("The sums of orders and the stars of reviews stay.")
	b.axeHere(core, "an erasure", found)
	b.fits("customer-erase", width)
	p.must(key, "GET", "/customers/3", nil) // looking erases nothing
	b.pushes("Erase")
	b.shows("The data of Marta Lindqvist is erased.")
	b.until(`location.pathname === '/cabinet/demo/customers'`)
	if status, _ := p.call(key, "GET", "/customers/3", nil); status != http.StatusNotFound {
		b.t.Errorf("an erased customer answers %d", status)
	}
	if err := chromedp.Do(b.ctx, chromedp.NavigateBack()); err != nil {
		b.t.Fatal(err)
	}
	b.open("/cabinet/demo/customers/3", width)
	b.shows("There is nothing at this address.")
}

// An editor moderates reviews, sees neither customers nor leads, even at their addresses, and leaves the
// shop.
func TestEditorSeesNoCustomersInTheCabinet(t *testing.T) {
	t.Parallel()
	p := newDemo(t)
	p.env = append(p.env, "VITRINE_ADMIN_URL=http://admin.localhost:"+portOf(t, p.admin))
	p.start()
	p.verb("member", "add", "--shop", "demo", "--email", "ed@people.test", "--password", "a long password", "--role", "editor")
	b := cabinet(t, p, 1280)
	b.entersCabinet("ed@people.test", "a long password")
	b.until(`location.pathname === '/cabinet/demo/start'`)
	b.open("/cabinet/demo/reviews", 1280)
	b.shows("Like toast in a good way.")
	b.until(`[...document.querySelectorAll('[data-current] button')].some((e) => e.textContent === 'Approve')`)
	b.presses("a")
	b.shows("Nothing is waiting for you here.")
	b.is(`[...document.querySelectorAll('nav a')].some((a) => ['Customers', 'Leads'].includes(a.textContent))`, "false")
	for _, path := range []string{"customers", "customers/3", "customers/groups", "leads", "leads/1"} {
		b.open("/cabinet/demo/"+path, 1280)
		b.shows("Your role in this shop may not do this.")
	}
	b.open("/cabinet/account", 1280)
	b.pushes("Leave a shop")
	b.shows("your keys for it end for good")
	b.pushes("Leave the shop")
	b.shows("You have left the shop.")
	_, shops := b.calls("GET", "/v1/orgs", nil)
	if left := shops["result"].([]any); len(left) != 0 {
		t.Errorf("after leaving, the shops are %v", left)
	}
	b.quiet("401", "403")
}
