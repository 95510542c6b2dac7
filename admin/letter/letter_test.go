package letter_test

import (
	"cmp"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"vitrine/admin/api/apitest"
	"vitrine/internal/shop"
	"vitrine/internal/store"
	letterdb "vitrine/internal/store/letter"
	"vitrine/internal/store/people"
	"vitrine/internal/store/sales"
)

type m = apitest.Map

// fixture is a shop whose owner views its letters, and a buyer.
type fixture struct {
	*apitest.API
	t            *testing.T
	owner, admin string // sessions
	buyer        string
	product      string
}

func open(t *testing.T, lang string) *fixture {
	t.Helper()
	a := apitest.New(t)
	d := &fixture{API: a, t: t, owner: a.Session(a.OwnerID), admin: a.Session(a.Member(shop.Admin)), buyer: a.Session(a.Buyer("ben@people.test"))}
	a.OK("PUT", "/v1/shop/settings", d.owner, m{"language": lang, "tax": m{"name": "VAT", "percent": 19}, "letters": m{"from_name": "Tea & Co", "reply_to": "hello@tea.test"}})
	d.product = fmt.Sprint(a.Result("POST", "/products", a.Owner, m{"item": m{"name": "Earl <Grey>", "price": m{"price": 14}, "is_published": true}})["id"])
	a.OK("PUT", "/products/"+d.product+"/stock", d.owner, m{"quantity": 4, "low_threshold": 2})
	return d
}

// orders places an order for the given number of units through the storefront.
func (d *fixture) orders(units int, email string) string {
	d.t.Helper()
	d.buyerCall("POST", "/cart/items/"+d.product+"/default", m{"quantity": units})
	made := d.buyerCall("POST", "/cart/confirm", m{"contact": m{"name": "Бен \"Big\"", "phone": "+1 202 555 0100", "email": email}, "comment": "ring\ntwice"})
	return fmt.Sprint(made["result"].(map[string]any)["id"])
}

func (d *fixture) buyerCall(method, path string, body any) apitest.Map {
	d.t.Helper()
	got := d.Send(apitest.Request{Method: method, Path: path, Key: d.buyer, Body: body, Header: d.ThroughStorefront()})
	if got.Status != 200 {
		d.t.Fatalf("%s %s: %d %s", method, path, got.Status, got.Body)
	}
	return got.JSON
}

// letters returns the letters with a name, newest first; all letters if the name is empty.
func (d *fixture) letters(name string) (list []m) {
	d.t.Helper()
	path := "/v1/shop/letters?page.number=1&page.limit=100"
	if name != "" {
		path += "&filter.name=" + name
	}
	for _, l := range d.Result("GET", path, d.owner, nil)["items"].([]any) {
		list = append(list, l.(map[string]any))
	}
	return list
}

// templates lists the templates of all letters.
func (d *fixture) templates() (list []m) {
	d.t.Helper()
	for _, t := range d.OK("GET", "/v1/shop/letters/templates", d.owner, nil)["result"].([]any) {
		list = append(list, t.(m))
	}
	return list
}

// triggerAll triggers every event that causes a letter.
func (d *fixture) triggerAll() (order string) {
	d.t.Helper()
	order = d.orders(2, "ben@people.test")
	d.payTwice(order)
	d.requestPayment(order)
	d.OK("PUT", "/orders/"+order+"/status", d.admin, m{"status": "processing"})
	d.OK("POST", "/orders/"+order+"/shipments", d.owner, m{"carrier": "Riders of <202>", "number": "<202>", "url": "https://riders.test/?n=<202>"})
	d.OK("POST", "/orders/"+order+"/messages", d.owner, m{"text": "Wrapped <as a gift>?"})
	d.buyerCall("POST", "/orders/"+order+"/messages", m{"text": "Yes, please"})
	d.OK("POST", "/promotions", d.owner, m{"item": m{"name": "Thanks", "kind": "personal_coupon", "value": m{"percent": 12.5}, "issue": m{"on": "order_completed", "prefix": "THX-", "days": 30}}})
	d.OK("PUT", "/orders/"+order+"/status", d.owner, m{"status": "completed"})
	form := d.Result("POST", "/forms", d.Owner, m{"item": m{"name": "Call me", "fields": []any{m{"name": "phone", "label": "Your phone", "type": "phone"}}}})
	d.buyerCall("POST", "/products/"+d.product+"/reviews", m{"rating": 4, "text": "<202> cups", "author": "Ben"})
	ben, _, err := people.PersonByEmail(d.t.Context(), d.Store, "ben@people.test")
	if err == nil { // only a verified address gets letters
		err = d.Store.Write(d.t.Context(), d.Shop.ID, func(tx *store.Tx) error { return people.MarkProven(d.t.Context(), tx, ben.ID, d.Clock.Now()) })
	}
	if err != nil {
		d.t.Fatal(err)
	}
	asked := d.buyerCall("POST", "/products/"+d.product+"/questions", m{"text": "Is it <202> strong?"})["result"].(map[string]any)
	for range 2 { // the buyer is notified once
		d.OK("PUT", "/questions/"+fmt.Sprint(asked["id"]), d.owner, m{"status": "approved", "answer": "It is."})
	}
	d.OK("POST", "/form-leads", d.Owner, m{"form_id": form["id"], "values": m{"phone": "+1 <202>"}, "page_url": "/contact"})
	d.OK("POST", "/form-leads", d.Owner, m{"form_id": form["id"], "values": m{"phone": "+1 203"}, "page_url": "/contact"})
	d.exec(`WITH rest AS (DELETE FROM letter WHERE company_id = $1 AND id = (SELECT max(id) FROM letter WHERE company_id = $1 AND name = 'lead_seller') RETURNING *)
		INSERT INTO letter (company_id, name, object, recipient, facts) SELECT company_id, 'leads_seller', 'an hour', recipient, facts FROM rest`)
	d.reminders(m{"after_hours": 1})
	d.leaves("ben@people.test", false)
	d.remind(2 * time.Hour)
	return order
}

// requestPayment writes the letter that the buyer of a manual order gets.
func (d *fixture) requestPayment(order string) {
	d.t.Helper()
	id, err := strconv.ParseInt(order, 10, 64)
	if err == nil {
		err = d.Store.Write(d.t.Context(), d.Shop.ID, func(tx *store.Tx) error {
			o, err := sales.GetOrder(d.t.Context(), tx.Reader, shop.OrderID(id))
			if err != nil {
				return err
			}
			return sales.RequestPayment(d.t.Context(), tx, o)
		})
	}
	if err != nil {
		d.t.Fatal(err)
	}
}

// exec changes the database of the shop $1 directly.
func (d *fixture) exec(sql string) {
	d.t.Helper()
	conn, err := pgx.Connect(d.t.Context(), d.URL)
	if err == nil {
		_, err = conn.Exec(d.t.Context(), sql, d.Shop.ID)
	}
	if err == nil {
		err = conn.Close(d.t.Context())
	}
	if err != nil {
		d.t.Fatal(err)
	}
}

// Each letter is written once, to the right recipient, in the language of the shop.
func TestEveryLetterIsWritten(t *testing.T) {
	t.Parallel()
	for lang, said := range map[string]map[string]string{
		"en": {
			"order_made_buyer": "Your order 1001 at ", "order_made_seller": "New order 1001: €28", "order_payment_buyer": "Please pay your order 1001: ", "order_paid_buyer": "Order 1001 is paid",
			"paid_again_seller": "Order 1001 was paid twice", "refund_refused_seller": "The refund of order 1001 was refused",
			"order_paid_seller": "Order 1001 is paid: €28", "order_status_buyer": "Order 1001: Completed", "order_status_seller": "Order 1001: In progress",
			"order_shipped_buyer": "Order 1001 is on its way",
			"message_buyer":       "has written to you about order 1001", "message_seller": `Бен "Big" has written`, "personal_coupon_buyer": "A coupon for you: THX-", "cart_left_buyer": "Your cart at ",
			"lead_seller": "Call me: a new message", "leads_seller": "New messages: and 1 more", "low_stock_seller": "Running low: Earl <Grey>",
			"review_seller": "A review of Earl <Grey>: 4 of 5", "question_seller": "A question about Earl <Grey>", "question_buyer": "has answered your question about Earl <Grey>",
		},
		"ru": {
			"order_made_buyer": "Заказ 1001 в магазине", "order_made_seller": "Новый заказ 1001: 28 €", "order_payment_buyer": "Оплатите заказ 1001: ", "order_paid_buyer": "Заказ 1001 оплачен",
			"paid_again_seller": "Заказ 1001 оплачен дважды", "refund_refused_seller": "В возврате по заказу 1001 отказано",
			"order_paid_seller": "Заказ 1001 оплачен: 28 €", "order_status_buyer": "Заказ 1001: Выполнен", "order_status_seller": "Заказ 1001: В работе",
			"order_shipped_buyer": "Заказ 1001 отправлен",
			"message_buyer":       "пишет о заказе 1001", "message_seller": `Бен "Big" пишет`, "personal_coupon_buyer": "Ваш промокод: THX-", "cart_left_buyer": "Ваша корзина в магазине",
			"lead_seller": "Call me: новая заявка", "leads_seller": "ещё заявки (1)", "low_stock_seller": "Заканчивается: Earl <Grey>",
			"review_seller": "Отзыв о товаре «Earl <Grey>»: 4 из 5", "question_seller": "Вопрос о товаре «Earl <Grey>»", "question_buyer": "отвечает на вопрос о товаре «Earl <Grey>»",
		},
	} {
		t.Run(lang, func(t *testing.T) {
			t.Parallel()
			d := open(t, lang)
			d.triggerAll()
			owner, err := people.GetPerson(t.Context(), d.Store, d.OwnerID)
			if err != nil {
				t.Fatal(err)
			}
			for name, subject := range said {
				want := 1
				if name == "order_status_buyer" {
					want = 2
				}
				list := d.letters(name)
				if len(list) != want {
					t.Fatalf("%s: %d letters", name, len(list))
				}
				l, to := list[0], "ben@people.test"
				if strings.HasSuffix(name, store.ToSeller) {
					to = owner.Email
				}
				text, html := l["text"].(string), l["html"].(string)
				if !strings.Contains(l["subject"].(string), subject) || l["to"] != to || l["state"] != "queued" || l["sent_at"] != nil {
					t.Errorf("%s: %v to %v, %v", name, l["subject"], l["to"], l["state"])
				}
				if !strings.Contains(html, `<html lang="`+lang+`">`) || strings.Contains(html, "<Grey>") || strings.Contains(html, "<as a gift>") || strings.Contains(html, "<202>") {
					t.Errorf("%s: %s", name, html)
				}
				if strings.Contains(text, "&lt;") || strings.Contains(text, "<p>") || strings.Contains(text, "\n\n\n") || strings.Contains(text+html, "http:///") {
					t.Errorf("%s: %q", name, text)
				}
				if tax := map[string]string{"en": "Including VAT 19%: €4", "ru": "В том числе VAT 19%: 4 €"}[lang]; strings.HasPrefix(name, "order_made_") &&
					(!strings.Contains(text, tax) || !strings.Contains(html, tax)) {
					t.Errorf("%s does not contain %q: %s", name, tax, text)
				}
				if bare := regexp.MustCompile(`<(h1|p|td|blockquote)>`).FindString(html); bare != "" {
					t.Errorf("%s: %s has no inline style, which mail clients need", name, bare)
				}
			}
			if all := d.letters(""); len(all) != len(letterdb.Names)+1 {
				t.Errorf("%d letters", len(all))
			}
		})
	}
}

// No letter is written without an address, and the seller gets none about actions of the owner.
func TestNoLetterWithoutARecipient(t *testing.T) {
	t.Parallel()
	d := open(t, "en")
	order := d.orders(1, "")
	d.OK("PUT", "/orders/"+order+"/status", d.owner, m{"status": "processing"})
	d.OK("PUT", "/orders/"+order+"/status", d.admin, m{"status": "processing"})
	if all := d.letters(""); len(all) != 1 || all[0]["name"] != "order_made_seller" {
		t.Errorf("%v", all)
	}
}

func TestAShopChangesItsTemplates(t *testing.T) {
	t.Parallel()
	d := open(t, "en")
	const path = "/v1/shop/letters/order_made_buyer"
	before := d.Result("GET", path, d.owner, nil)
	if before["is_changed"] != false || !strings.Contains(before["html"].(string), `{{template "order" .}}`) {
		t.Fatalf("%v", before)
	}
	seen := d.Result("POST", path+"/preview", d.owner, m{})
	if !strings.Contains(seen["text"].(string), "Ann Baker") {
		t.Errorf("a preview without any order: %v", seen["text"])
	}
	d.OK("PUT", "/v1/shop/settings", d.owner, m{"timezone": "Pacific/Kiritimati"}) // 14 hours ahead; the order was placed at noon
	if seen = d.Result("POST", path+"/preview", d.owner, m{"subject": "{{.Order.Date}}"}); seen["subject"] != "5 May 2026" {
		t.Errorf("the date is not in the shop's time zone: %v", seen["subject"])
	}
	d.OK("PUT", "/v1/shop/settings", d.owner, m{"tax": m{"name": "VAT", "percent": 7.75}})
	seen = d.Result("POST", path+"/preview", d.owner, m{})
	for _, part := range []string{"text", "html"} {
		if !strings.Contains(seen[part].(string), "Including VAT 7.75%: €2") {
			t.Errorf("no tax in %s: %v", part, seen[part])
		}
	}
	order := d.orders(1, "ben@people.test")
	words := m{"subject": "Hi {{.Buyer.Name}}", "text": "{{.Order.Number}} {{range .Order.Lines}}{{.Name}}{{end}}", "html": `<p>{{.Buyer.Name}}</p>{{range products "limit=1"}}<i>{{.Name}}</i>{{end}}`}
	seen = d.Result("POST", path+"/preview", d.owner, words)
	if seen["subject"] != `Hi Бен "Big"` || seen["text"] != "1001 Earl <Grey>\n" || !strings.Contains(seen["html"].(string), "<i>Earl &lt;Grey&gt;</i>") {
		t.Errorf("a preview on the newest order: %v", seen)
	}
	if now := d.Result("GET", path, d.owner, nil); now["is_changed"] != false {
		t.Error("a preview was saved")
	}
	d.OK("PUT", path, d.owner, words)
	d.OK("PUT", path, d.owner, m{"subject": "Hello {{.Buyer.Name}}"}) // the other parts stay unchanged
	if now := d.Result("GET", path, d.owner, nil); now["is_changed"] != true || now["text"] != words["text"] || now["subject"] != "Hello {{.Buyer.Name}}" {
		t.Errorf("%v", now)
	}
	if l := d.letters("order_made_buyer")[0]; l["subject"] != `Hello Бен "Big"` || l["text"] != "1001 Earl <Grey>\n" {
		t.Errorf("order %s: %v %v", order, l["subject"], l["text"])
	}
	d.OK("PUT", path, d.owner, m{"html": "<!doctype html><p>whole"})
	if whole := d.Result("POST", path+"/preview", d.owner, m{}); whole["html"] != "<!doctype html><p>whole" {
		t.Errorf("%v", whole["html"])
	}
	if list := d.templates(); len(list) != 20 || list[0]["is_changed"] != true || list[0]["subject"] != "Hello {{.Buyer.Name}}" || list[1]["is_changed"] != false {
		t.Errorf("%v", list)
	}
	if now := d.Result("DELETE", path, d.owner, nil); now["is_changed"] != false || now["text"] != before["text"] {
		t.Errorf("%v", now)
	}
}

// Each piece of data that a template is said to have can be used in it.
func TestTemplatesHaveTheDataThatTheyList(t *testing.T) {
	t.Parallel()
	d := open(t, "en")
	for _, head := range d.templates() {
		path := "/v1/shop/letters/" + head["name"].(string)
		all := ""
		for _, f := range d.Result("GET", path, d.owner, nil)["fields"].([]any) {
			name := f.(m)["name"].(string)
			if list, rest, found := strings.Cut(name, "[]"); found {
				name = "range " + list + "}}{{" + cmp.Or(rest, ".") + "}}{{end"
			}
			all += "{{" + name + "}}\n"
		}
		d.OK("PUT", path, d.owner, m{"text": "It says:\n" + all})
		if !strings.Contains(all, ".Shop.Name") || strings.Contains(path, "order_paid") && !strings.Contains(all, ".Payment.Sum") {
			t.Errorf("%s: %s", path, all)
		}
	}
}

func TestInvalidTemplatesAreRefused(t *testing.T) {
	t.Parallel()
	d := open(t, "en")
	const path = "/v1/shop/letters/order_made_buyer"
	for name, words := range map[string]m{
		"subject: line 1":               {"subject": "{{.Nothing}}"},
		"text: line 2":                  {"text": "a\n{{.Order.Nothing}}"},
		"html: line 1":                  {"html": "{{if}}"},
		"html: line 3":                  {"html": "\n\n{{template \"nowhere\" .}}"},
		"a tag is not closed":           {"html": "<p"},
		"subject: at most 1000 bytes":   {"subject": strings.Repeat("x", 1001)},
		"html: at most 60000 bytes":     {"html": strings.Repeat("x", 60_001)},
		"subject: it is empty":          {"subject": " "},
		"more than 200000 steps":        {"text": "{{range 1000000}}{{end}}"},
		"output is longer":              {"text": `{{range 10000}}{{printf "%1000d" 1}}{{end}}`},
		"itself":                        {"text": `{{define "a"}}{{template "a"}}{{end}}{{template "a"}}`},
		"cannot be printed":             {"text": "{{.Order}}"},
		"multiple definition":           {"text": `{{define "x"}}1{{end}}{{define "x"}}2{{end}}`},
		"text: line 1: a missing value": {"text": "{{index nil 1}}"},
	} {
		for _, call := range [][2]string{{"PUT", path}, {"POST", path + "/preview"}} {
			answer := d.Refused(call[0], call[1], d.owner, words, 400, "LETTER_INVALID")
			if !strings.Contains(answer["error"].(string), name) {
				t.Errorf("%s %v: %v", call[0], words, answer["error"])
			}
		}
	}
	for _, method := range []string{"GET", "PUT", "DELETE"} {
		d.Refused(method, "/v1/shop/letters/nowhere", d.owner, m{}, 404, "LETTER_NOT_FOUND")
	}
	if now := d.Result("GET", path, d.owner, nil); now["is_changed"] != false {
		t.Error("part of the template was saved")
	}
}

// If a template fails when a letter is rendered, the platform's template is used, and the owner
// is notified once.
func TestAFailingTemplateIsReplacedByThePlatforms(t *testing.T) {
	t.Parallel()
	d := open(t, "en")
	d.OK("PUT", "/v1/shop/letters/order_made_buyer", d.owner, m{"text": "{{(index .Order.Lines 1).Name}}"})
	d.orders(1, "ben@people.test")
	d.orders(1, "ben@people.test")
	for _, l := range d.letters("order_made_buyer") {
		if !strings.Contains(l["text"].(string), "thank you for your order") {
			t.Errorf("%v", l["text"])
		}
	}
	if now := d.Result("GET", "/v1/shop/letters/order_made_buyer", d.owner, nil); !strings.Contains(now["error"].(string), "text: line 1") {
		t.Errorf("%v", now)
	}
	told, err := letterdb.PlatformLetters(t.Context(), d.Store, d.Clock.Now(), 100)
	if err != nil || len(told) != 1 || told[0].Kind != store.LetterTemplateFailed || !strings.Contains(told[0].Text, "order_made_buyer") {
		t.Errorf("%+v, %v", told, err)
	}
	d.OK("PUT", "/v1/shop/letters/order_made_buyer", d.owner, m{"text": "{{len .Order.Lines}}"})
	if now := d.Result("GET", "/v1/shop/letters/order_made_buyer", d.owner, nil); now["error"] != "" {
		t.Errorf("%v", now)
	}
}

func TestLettersAreListed(t *testing.T) {
	t.Parallel()
	d := open(t, "en")
	d.triggerAll()
	first := d.Result("GET", "/v1/shop/letters?page.number=1&page.limit=5&filter.state=queued", d.owner, nil)
	if len(first["items"].([]any)) != 5 || first["total"] != float64(len(letterdb.Names)+1) {
		t.Errorf("%v", first["total"])
	}
	if sent := d.Result("GET", "/v1/shop/letters?filter.state=sent", d.owner, nil); sent["total"] != float64(0) {
		t.Errorf("%v", sent)
	}
	d.Refused("GET", "/v1/shop/letters?filter.state=lost", d.owner, nil, 400, "INVALID_REQUEST")
	d.Refused("GET", "/v1/shop/letters", d.Session(d.EditorID), nil, 403, "ROLE_REQUIRED")
	if other := d.Result("GET", "/v1/shop/letters", d.Session(d.StrangerID), nil); other["total"] != float64(0) {
		t.Errorf("another shop sees %v", other)
	}
	id := fmt.Sprint(d.letters("order_paid_buyer")[0]["id"])
	d.Refused("POST", "/v1/shop/letters/again/"+id, d.Session(d.StrangerID), m{}, 404, "LETTER_NOT_FOUND")
	again := d.Result("POST", "/v1/shop/letters/again/"+id, d.owner, m{})
	if list := d.letters("order_paid_buyer"); len(list) != 2 || list[0]["id"] != again["id"] || list[0]["text"] != list[1]["text"] {
		t.Errorf("%v", list)
	}
}
