package pay

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/url"
	"strconv"
	"strings"
	"time"

	"vitrine/internal/outbound"
	"vitrine/internal/shop"
)

// YooKassaURL is the origin of YooKassa's API.
const YooKassaURL = "https://api.yookassa.ru"

// yookassa uses payments with a redirect. Amounts are decimals with two digits, and
// notifications are not signed.
type yookassa struct {
	do     Do
	origin string
	Secrets
}

// YooKassa returns a Provider for YooKassa at an origin.
func YooKassa(do Do, origin string, s Secrets) Provider { return &yookassa{do, origin, s} }

type yooAmount struct {
	Value    string `json:"value"`
	Currency string `json:"currency"`
}

type yooPayment struct {
	ID           string    `json:"id"`
	Status       string    `json:"status"` // pending, waiting_for_capture, succeeded, canceled
	Amount       yooAmount `json:"amount"`
	Refunded     yooAmount `json:"refunded_amount"`
	Confirmation struct {
		URL string `json:"confirmation_url"`
	} `json:"confirmation"`
	Metadata map[string]string `json:"metadata"`
}

func (y *yookassa) Start(ctx context.Context, a Attempt) (Started, error) {
	amount, err := yooDecimal(a.Amount, a.Currency)
	if err != nil {
		return Started{}, err
	}
	var made yooPayment
	body := map[string]any{
		"amount": amount, "capture": true, "description": shop.Clip(a.Title, maxDescription),
		"confirmation": map[string]string{"type": "redirect", "return_url": a.ReturnURL},
		"metadata":     map[string]string{"payment_id": a.Payment.String(), "order_id": a.Order.String()},
	}
	if y.Receipt != nil && len(a.Lines) > 0 {
		if body["receipt"], err = y.receipt(a); err != nil {
			return Started{}, err
		}
	}
	err = y.post(ctx, "/v3/payments", a.Key, body, &made)
	return Started{made.ID, made.Confirmation.URL}, err
}

// maxDescription is YooKassa's limit, in characters, for the description of a payment or of
// a line of a receipt.
const maxDescription = 128

// yooItem is a line of a receipt; the amount is per unit.
type yooItem struct {
	Description string    `json:"description"`
	Quantity    string    `json:"quantity"`
	Amount      yooAmount `json:"amount"`
	VATCode     int       `json:"vat_code"`
	Subject     string    `json:"payment_subject"`
	Mode        string    `json:"payment_mode"`
}

// receipt builds the receipt of a payment. YooKassa multiplies quantities by amounts, so a
// line whose amount is not divisible by its quantity is split into two, with unit amounts
// that differ by a hundredth.
func (y *yookassa) receipt(a Attempt) (map[string]any, error) {
	items := []yooItem{}
	for _, l := range a.Lines {
		each, more := l.Amount/l.Quantity, l.Amount%l.Quantity
		for _, part := range []struct{ quantity, amount int64 }{{l.Quantity - more, each}, {more, each + 1}} {
			if part.quantity == 0 {
				continue
			}
			amount, err := yooDecimal(part.amount, a.Currency)
			if err != nil {
				return nil, err
			}
			items = append(items, yooItem{
				shop.Clip(l.Name, maxDescription), strconv.FormatInt(part.quantity, 10), amount, y.Receipt.VATCode, "commodity", "full_payment",
			})
		}
	}
	customer := map[string]string{}
	if a.Email != "" {
		customer["email"] = a.Email
	} else {
		customer["phone"] = a.Phone
	}
	return map[string]any{"customer": customer, "tax_system_code": y.Receipt.TaxSystem, "items": items}, nil
}

func (y *yookassa) Fetch(ctx context.Context, ref string) (Status, error) {
	var found yooPayment
	err := call(ctx, y.do, outbound.Request{URL: y.origin + "/v3/payments/" + url.PathEscape(ref), Header: y.header("")}, &found)
	if err != nil {
		return Status{}, err
	}
	seen := Status{Ref: found.ID, State: Open, Currency: found.Amount.Currency}
	if seen.Amount, err = yooMinor(found.Amount.Value); err != nil {
		return seen, err
	}
	if found.Refunded.Value != "" {
		if seen.Refunded, err = yooMinor(found.Refunded.Value); err != nil {
			return seen, err
		}
	}
	switch found.Status {
	case "succeeded":
		seen.State = Paid
	case "canceled":
		seen.State = Failed
	}
	id, _ := strconv.ParseInt(found.Metadata["payment_id"], 10, 64)
	seen.Payment = shop.PaymentID(id)
	return seen, nil
}

func (y *yookassa) Refund(ctx context.Context, r Refund) error {
	amount, err := yooDecimal(r.Amount, r.Currency)
	if err != nil {
		return err
	}
	var made struct {
		Status       string `json:"status"`
		Cancellation struct {
			Reason string `json:"reason"`
		} `json:"cancellation_details"`
	}
	err = y.post(ctx, "/v3/refunds", r.Key, map[string]any{"payment_id": r.Ref, "amount": amount}, &made)
	if err == nil && made.Status == "canceled" {
		err = fmt.Errorf("%w: the refund was cancelled: %s", ErrRefused, shop.Clip(made.Cancellation.Reason, maxReason))
	}
	return err
}

// Notify reads the payment id of a notification, which is not authenticated.
func (y *yookassa) Notify(_ Header, body []byte, _ time.Time) (Notification, error) {
	var event struct {
		Type   string `json:"type"`
		Event  string `json:"event"`
		Object struct {
			ID      string `json:"id"`
			Payment string `json:"payment_id"` // of a refund
		} `json:"object"`
	}
	if json.Unmarshal(body, &event) != nil || event.Type != "notification" {
		return Notification{}, ErrForged
	}
	if strings.HasPrefix(event.Event, "refund.") {
		return Notification{Ref: event.Object.Payment}, nil
	}
	return Notification{Ref: event.Object.ID}, nil
}

func (y *yookassa) post(ctx context.Context, path, key string, body, out any) error {
	text, err := json.Marshal(body)
	if err != nil {
		return err
	}
	return call(ctx, y.do, outbound.Request{Method: "POST", URL: y.origin + path, Body: text, Header: y.header(key)}, out)
}

func (y *yookassa) header(key string) map[string]string {
	header := map[string]string{
		"Authorization": "Basic " + base64.StdEncoding.EncodeToString([]byte(y.ShopID+":"+y.SecretKey)), "Content-Type": "application/json",
	}
	if key != "" {
		header["Idempotence-Key"] = key
	}
	return header
}

// yooDecimal formats an amount with two decimals.
func yooDecimal(amount int64, currency string) (yooAmount, error) {
	if amount < 0 {
		return yooAmount{}, fmt.Errorf("%w: a negative amount", ErrRefused)
	}
	return yooAmount{fmt.Sprintf("%d.%02d", amount/100, amount%100), currency}, nil
}

// yooMinor parses an amount into hundredths.
func yooMinor(text string) (int64, error) {
	whole, part, _ := strings.Cut(text, ".")
	part = (part + "00")[:2]
	n, err := strconv.ParseInt(whole+part, 10, 64)
	if err != nil || n < 0 || whole == "" || len(text)-len(whole) > 3 {
		return 0, fmt.Errorf("%w: invalid amount", ErrUnknown)
	}
	return n, nil
}
