package payment

import (
	"bytes"
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"html/template"
	"io"
	"net/url"
	"strings"
	"time"

	"vitrine/admin/api"
	"vitrine/internal/pay"
	"vitrine/internal/shop"
	"vitrine/internal/store"
	companydb "vitrine/internal/store/company"
	"vitrine/internal/store/sales"
)

// The page of the sandbox, to which a buyer is sent to pay. Each action of its form simulates a
// behaviour of providers.
//
//	pay           the payment succeeds, and the shop is notified
//	refuse        the payment is refused
//	late          the payment succeeds after some seconds, without a notification
//	twice         the payment succeeds, and the shop is notified twice
//	out_of_order  the shop is notified that it is paid, and then that it is open
//	before        the shop is notified before the provider reports the payment, and not again

//go:embed sandbox.html
var sandboxHTML string

var sandboxPage = template.Must(template.New("sandbox").Parse(sandboxHTML))

// lateDelay is how long a late payment takes to succeed.
const lateDelay = 8 * time.Second

const maxAction = 4 << 10 // bytes of the form

type sandboxRequest struct {
	Company shop.CompanyID `path:"company_id" json:"-"`
	Ref     string         `path:"ref" json:"-"`
}

// sandboxView is the data of the page.
type sandboxView struct {
	Words  sandboxWords
	Lang   string
	Shop   string
	Title  string
	Amount string
	State  string
	Back   string
}

// find returns a payment of the sandbox by its unguessable reference.
func (ps *Payments) find(ctx context.Context, in sandboxRequest) (p sales.SandboxPayment, info companydb.Company, err error) {
	if err := ps.elsewhere(ctx, in.Company, func(at shop.CompanyID) string { return "/v1/sandbox/" + at.String() + "/" + in.Ref }); err != nil {
		return p, info, err
	}
	r := ps.Store.Shop(in.Company)
	p, found, err := sales.GetSandboxPayment(ctx, r, in.Ref)
	if err == nil && !found {
		err = shop.ErrNotFound
	}
	if err != nil {
		return p, info, err
	}
	info, err = companydb.Info(ctx, r)
	return p, info, err
}

func (ps *Payments) showSandbox(ctx context.Context, c *api.Call, in sandboxRequest) (api.Raw, error) {
	p, info, err := ps.find(ctx, in)
	if err != nil {
		return api.Raw{}, err
	}
	settings, err := companydb.GetSettings(ctx, ps.Store.Shop(in.Company))
	if err != nil {
		return api.Raw{}, err
	}
	lang := shop.Language(settings.Language, settings.Currency)
	view := sandboxView{
		Words: sandboxTexts[lang], Lang: lang, Shop: info.Name, Title: p.Title, State: p.State, Back: p.ReturnURL,
		Amount: shop.Amount(p.AmountMinor, shop.Exponent(p.Currency)) + " " + p.Currency,
	}
	var page bytes.Buffer
	err = sandboxPage.Execute(&page, view)
	c.SetHeader("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; frame-ancestors 'none'")
	c.SetHeader("Referrer-Policy", "no-referrer")
	return api.Raw{ContentType: "text/html; charset=utf-8", Body: page.Bytes()}, err
}

// actSandbox performs the chosen action and redirects back.
func (ps *Payments) actSandbox(ctx context.Context, c *api.Call, in sandboxRequest) (out api.Raw, err error) {
	p, _, err := ps.find(ctx, in)
	if err != nil {
		return out, err
	}
	action, err := readAction(c)
	if err != nil {
		return out, err
	}
	if p.State == "open" {
		if err := ps.simulate(ctx, in.Company, p, action); err != nil {
			return out, err
		}
	}
	c.SetHeader("Location", p.ReturnURL)
	return api.Raw{ContentType: "text/plain; charset=utf-8"}, nil
}

// readAction reads the action of a submitted form, as JSON or URL-encoded.
func readAction(c *api.Call) (string, error) {
	from, size := c.Body()
	if size > maxAction {
		return "", shop.ErrBodyTooLarge
	}
	body, err := io.ReadAll(io.LimitReader(from, maxAction+1))
	switch {
	case err != nil:
		return "", shop.ErrInvalidRequest.With("the body ended early")
	case len(body) > maxAction:
		return "", shop.ErrBodyTooLarge
	}
	var said struct {
		Action string `json:"action"`
	}
	if strings.HasPrefix(strings.TrimSpace(string(body)), "{") {
		if json.Unmarshal(body, &said) != nil {
			return "", errAction
		}
	} else if form, err := url.ParseQuery(string(body)); err == nil {
		said.Action = form.Get("action")
	}
	if !isAction[said.Action] {
		return "", errAction
	}
	return said.Action, nil
}

var (
	isAction  = map[string]bool{"pay": true, "refuse": true, "late": true, "twice": true, "out_of_order": true, "before": true}
	errAction = shop.ErrInvalidRequest.With("action is one of pay, refuse, late, twice, out_of_order, before")
)

// simulate completes a payment with the chosen action and sends the notifications of that action.
func (ps *Payments) simulate(ctx context.Context, company shop.CompanyID, p sales.SandboxPayment, action string) error {
	state, from := "paid", ps.Now()
	switch action {
	case "refuse":
		state = "failed"
	case "late":
		from = from.Add(lateDelay)
	case "before":
		if err := ps.notify(ctx, company, p.Ref, "paid"); err != nil {
			return err
		}
	}
	err := ps.Store.Write(ctx, company, func(tx *store.Tx) error {
		if err := sales.EndSandboxPayment(ctx, tx, p.Ref, state, from); err != nil {
			return err
		}
		return sales.ScheduleCheck(ctx, tx, p.Payment, false, &from) // the shop queries the payment even without a notification
	})
	if err != nil {
		return err
	}
	notifications := map[string][]string{"pay": {"paid"}, "refuse": {"failed"}, "twice": {"paid", "paid"}, "out_of_order": {"paid", "open"}}
	for _, said := range notifications[action] {
		err = errors.Join(err, ps.notify(ctx, company, p.Ref, said))
	}
	return err
}

// notify sends a notification of the sandbox.
func (ps *Payments) notify(ctx context.Context, company shop.CompanyID, ref, state string) error {
	body, err := json.Marshal(sandboxNotice{ref, state})
	if err != nil {
		return err
	}
	return ps.till.Heard(ctx, company, "sandbox", pay.Notification{Ref: ref}, body)
}

// sandboxWords are the texts of the page.
type sandboxWords struct {
	Test, Pay, Refuse, Faults, Late, Twice, OutOfOrder, Before, Back, Paid, Failed string
}

var sandboxTexts = map[string]sandboxWords{
	"en": {
		Test: "This is a test: no money moves.", Pay: "Pay", Refuse: "Refuse", Faults: "What can go wrong with a provider",
		Late: "Paid in some seconds, without a word", Twice: "Paid, and told twice", OutOfOrder: "Paid, and told in the wrong order",
		Before: "Told before it is paid", Back: "Back to the shop", Paid: "This payment was made.", Failed: "This payment was refused.",
	},
	"ru": {
		Test: "Это проверка: деньги не списываются.", Pay: "Оплатить", Refuse: "Отказать", Faults: "Что бывает с платёжными системами",
		Late: "Оплачено через несколько секунд, без уведомления", Twice: "Оплачено, уведомление пришло дважды",
		OutOfOrder: "Оплачено, уведомления пришли не по порядку", Before: "Уведомление пришло раньше денег", Back: "Вернуться в магазин",
		Paid: "Этот платёж проведён.", Failed: "Этот платёж отклонён.",
	},
}
