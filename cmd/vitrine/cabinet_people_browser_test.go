package main

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// guest opens a session of a buyer without an account.
func (p *program) guest() string {
	p.t.Helper()
	return p.must("", "POST", "/v1/auth/guest", map[string]any{})["token"].(string)
}

// statuses counts the reviews, or questions, in each state.
func (p *program) statuses(key, kind string) string {
	p.t.Helper()
	var counts []string
	for _, status := range []string{"pending", "approved", "rejected"} {
		counts = append(counts, itoa(p.must(key, "GET", "/"+kind+"?filter.status="+status, nil)["total"]))
	}
	return strings.Join(counts, " ")
}

// An owner decides five reviews with the keyboard alone, takes one decision back, answers a
// question, and decides the rest at once. Letters that are typed decide nothing; a review may be
// hostile, or of a deleted product. In a wide and in a narrow window.
func TestOwnerModeratesReviewsInTheCabinet(t *testing.T) {
	t.Parallel()
	for _, width := range []int64{1280, 390} {
		t.Run(fmt.Sprintf("at %d", width), func(t *testing.T) {
			p, key, b := entersDemo(t, width)
			core, found := axeCore(t), map[string]bool{}
			company := p.must(key, "GET", "/v1/orgs/current", nil)["id"]
			product := p.must(key, "POST", "/products", map[string]any{"item": map[string]any{"name": "Brief tea", "price": map[string]any{"price": 14}, "is_published": true}})["id"]
			for i := range 5 {
				body := map[string]any{"company_id": company, "rating": i + 1, "author": fmt.Sprintf("Author %d %s", i, strings.Repeat("w", 40)), "text": oddText + strings.Repeat("w", 300)}
				p.must(p.guest(), "POST", fmt.Sprintf("/products/%v/reviews", product), body)
			}
			p.must(p.guest(), "POST", fmt.Sprintf("/products/%v/questions", product), map[string]any{"company_id": company, "text": "Is it green?"})
			b.open(fmt.Sprintf("/cabinet/demo/reviews?product=%v", product), width)
			b.shows("5 reviews")
			b.shows("Brief tea")
			b.axeHere(core, "reviews", found)
			b.fits("reviews", width)
			b.decidesByKeyboard(p, key, product)
			b.answersQuestion(p, key)
			if status, _ := p.call(key, "DELETE", "/products/"+itoa(product), nil); status >= 300 {
				t.Fatal(status)
			}
			b.decidesTogether(p, key, core, found, width)
			b.quiet("401")
		})
	}
}

func (b *tab) decidesByKeyboard(p *program, key string, product any) {
	b.t.Helper()
	current := `document.querySelector('[data-current] h2').textContent`
	of := func(status string) string {
		return itoa(p.must(key, "GET", fmt.Sprintf("/reviews?filter.product_id=%v&filter.status=%s", product, status), nil)["total"])
	}
	b.until(current + `.startsWith('Author 4')`)
	b.presses("j", "j", "k")
	b.until(current + `.startsWith('Author 3')`)
	b.is(`document.activeElement === document.querySelector('[data-current]')`, "true")
	b.presses("a")
	b.until(current + `.startsWith('Author 2')`)
	b.presses("r", "a", "r", "a")
	b.shows("Nothing waits for you here.")
	wait(b.t, "five reviews are decided", func() bool { return of("approved") == "3" && of("rejected") == "2" })
	b.text(`([...document.querySelectorAll('button')].find((e) => e.textContent === 'Undo').focus(), '')`)
	b.presses(kb.Enter)
	b.shows("1 review")
	wait(b.t, "a decision is taken back", func() bool { return of("pending") == "1" })
	b.shows("Undone")
}

func (b *tab) answersQuestion(p *program, key string) {
	b.t.Helper()
	before := p.statuses(key, "questions")
	b.text(`([...document.querySelectorAll('label')].find((l) => l.textContent === 'Questions').click(), '')`)
	b.shows("Is it green?")
	b.focuses(`[...document.querySelectorAll('[data-current] button')].find((e) => e.textContent === 'Answer')`)
	b.presses(kb.Enter)
	b.until(`document.activeElement.tagName === 'TEXTAREA'`)
	b.keys("a rare green, jk")
	if now := p.statuses(key, "questions"); now != before {
		b.t.Errorf("typed letters decide: %s, then %s", before, now)
	}
	b.pushes("Answer and approve")
	b.shows("Saved")
	answered := p.must(key, "GET", "/questions?filter.status=approved", nil)["items"].([]any)[0].(map[string]any)
	if answered["answer"] != "a rare green, jk" {
		b.t.Errorf("%v", answered)
	}
}

// decidesTogether decides several that are selected, and takes that back.
func (b *tab) decidesTogether(p *program, key, core string, found map[string]bool, width int64) {
	b.t.Helper()
	b.open("/cabinet/demo/reviews?status=any", width)
	b.shows("Deleted product")
	before := p.statuses(key, "reviews")
	b.text(`([...document.querySelectorAll('main input[type=checkbox][aria-label^=Author]')].slice(0, 5).forEach((e) => e.click()), '')`)
	b.shows("5 selected")
	b.axeHere(core, "selected reviews", found)
	b.pushes("Reject")
	b.text(`([...document.querySelectorAll('[role=region] button')].find((e) => e.textContent === 'Reject').click(), '')`)
	b.shows("will change")
	b.fits("reviews-bulk", width)
	b.pushes("Do it")
	b.shows("Changed:")
	if now := p.statuses(key, "reviews"); now == before || !strings.HasSuffix(now, " 5") {
		b.t.Errorf("states %s, then %s", before, now)
	}
	b.pushes("Undo")
	b.shows("Undone")
	if now := p.statuses(key, "reviews"); now != before {
		b.t.Errorf("states %s, and after an undo %s", before, now)
	}
}

// An owner opens three leads, which are read then, writes a note to one, gets the file of another,
// and handles them all; one is deleted. In a wide and in a narrow window.
func TestOwnerHandlesLeadsInTheCabinet(t *testing.T) {
	t.Parallel()
	for _, width := range []int64{1280, 390} {
		t.Run(fmt.Sprintf("at %d", width), func(t *testing.T) {
			p, key, b := entersDemo(t, width)
			core, found := axeCore(t), map[string]bool{}
			p.sendsLeads(key)
			b.open("/cabinet/demo/leads", width)
			b.shows("3 leads")
			b.axeHere(core, "leads", found)
			b.fits("leads", width)
			b.handlesLeads(p, key, core, found, width)
			b.shows("No new leads.")
			b.open("/cabinet/demo/leads?status=done", width)
			b.shows("3 leads")
			b.until(`document.querySelector('main input[type=checkbox][aria-label^="Ann"]')`)
			b.text(`(document.querySelector('main input[type=checkbox][aria-label^="Ann"]').click(), '')`)
			b.pushes("Delete")
			b.shows("deleted for good")
			b.pushes("Do it")
			b.shows("2 leads")
			if left := itoa(p.must(key, "GET", "/form-leads", nil)["total"]); left != "2" {
				t.Errorf("%s leads are left", left)
			}
			b.quiet("401")
		})
	}
}

func (p *program) sendsLeads(key string) {
	p.t.Helper()
	company := itoa(p.must(key, "GET", "/v1/orgs/current", nil)["id"])
	form := itoa(p.must(key, "POST", "/forms", map[string]any{"item": map[string]any{"name": "Call me back", "submit_text": "Call me", "success": map[string]any{"action": "text", "text": "We call."}, "fields": []any{
		map[string]any{"name": "who", "label": "Your name", "type": "text"}, map[string]any{"name": "email", "label": "Email", "type": "email"},
		map[string]any{"name": "picture", "label": "A picture", "type": "file"}, map[string]any{"name": "agree", "label": "You may write", "type": "consent"},
	}}})["id"])
	file := p.must("", "POST", "/form-files?company_id="+company+"&form_id="+form+"&field=picture&name=cup.pdf", []byte("%PDF-1.4\n%%EOF"))["id"]
	for _, values := range []map[string]any{
		{"who": "Ann", "email": "ann@people.test", "agree": "yes"}, {"who": oddText + strings.Repeat("w", 255), "picture": file}, {"who": "Bo"},
	} {
		p.must("", "POST", "/form-leads?company_id="+company, map[string]any{"form_id": form, "values": values, "page_url": "javascript:alert(1)"})
	}
}

func (b *tab) handlesLeads(p *program, key, core string, found map[string]bool, width int64) {
	b.t.Helper()
	for i := range 3 {
		b.until(fmt.Sprintf(`document.querySelectorAll('main a[href*="/leads/"]').length === %d`, 3-i))
		b.text(`(document.querySelector('main a[href*="/leads/"]').click(), '')`)
		b.shows("What was sent")
		path := "/form-leads/" + b.text(`location.pathname.split('/').pop()`)
		wait(b.t, "an opened lead is read", func() bool { return p.must(key, "GET", path, nil)["status"] == "seen" })
		b.until(`document.querySelector('input[type=radio][value=seen]').checked`)
		b.is(`[...document.querySelectorAll('a')].some((a) => a.href.startsWith('javascript:'))`, "false")
		switch i {
		case 0:
			b.axeHere(core, "a lead", found)
			b.fills("Note of the shop", "Called twice")
			b.pushes("Save")
			b.shows("Saved")
			if note := p.must(key, "GET", path, nil)["note"]; note != "Called twice" {
				b.t.Errorf("the note is %v", note)
			}
		case 1:
			b.fits("lead", width)
			b.pushes("Download: cup.pdf")
			b.until(`performance.getEntriesByType('resource').some((e) => e.name.includes('` + path + `/files/') && e.responseStatus === 200)`)
		}
		b.text(`(document.querySelector('input[type=radio][value=done]').click(), '')`)
		b.until(`location.pathname === '/cabinet/demo/leads'`)
		if status := p.must(key, "GET", path, nil)["status"]; status != "done" {
			b.t.Errorf("a handled lead is %v", status)
		}
	}
}

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

// An editor moderates reviews, and sees neither customers nor leads, even at their addresses.
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
	b.shows("Nothing waits for you here.")
	b.is(`[...document.querySelectorAll('nav a')].some((a) => ['Customers', 'Leads'].includes(a.textContent))`, "false")
	for _, path := range []string{"customers", "customers/3", "customers/groups", "leads", "leads/1"} {
		b.open("/cabinet/demo/"+path, 1280)
		b.shows("Your role in this shop may not do this.")
	}
	b.quiet("401", "403")
}
