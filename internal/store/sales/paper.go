package sales

import (
	"context"
	"encoding/json"
	"slices"
	"strconv"

	"vitrine/internal/shop"
	"vitrine/internal/store"
	"vitrine/internal/store/company"
)

// ErrPaperNotIssued is returned for an invoice or a credit note that an order does not have.
var ErrPaperNotIssued = shop.Refuse(shop.NotFound, "PAPER_NOT_ISSUED").When("no such paper was issued for the order; the detail has the ids of the orders")

// Slips returns the packing slips of orders, as the orders are now, in the order of the ids. It
// returns ErrOrderNotFound if one does not exist.
func Slips(ctx context.Context, r store.Reader, ids []shop.OrderID) ([]shop.Paper, error) {
	orders, err := OrdersAfter(ctx, r, OrderFilter{IDs: ids}, 0, len(ids))
	if err != nil {
		return nil, err
	}
	seller, _, err := paperSeller(ctx, r)
	if err != nil {
		return nil, err
	}
	papers := make([]shop.Paper, len(ids))
	for i, id := range ids {
		at := slices.IndexFunc(orders, func(o Order) bool { return o.ID == id })
		if at < 0 {
			return nil, ErrOrderNotFound.With(id.String())
		}
		papers[i] = shop.Paper{Kind: shop.PaperSlip, Order: id}
		if papers[i].PaperCopy, err = paperCopy(orders[at], seller); err != nil {
			return nil, err
		}
	}
	return papers, nil
}

// IssuedPapers returns the issued papers of orders, in the order of the ids. It returns
// ErrPaperNotIssued if one has none.
func IssuedPapers(ctx context.Context, r store.Reader, kind shop.PaperKind, ids []shop.OrderID) ([]shop.Paper, error) {
	rows, err := r.DB.Query(ctx, `
		SELECT order_id, number, issued_at, copy FROM order_paper WHERE company_id = $1 AND kind = $2 AND order_id = ANY($3)`, r.Company, kind, ids)
	if err != nil {
		return nil, err
	}
	issued := map[shop.OrderID]shop.Paper{}
	for rows.Next() {
		p := shop.Paper{Kind: kind}
		if err := rows.Scan(&p.Order, &p.Number, &p.IssuedAt, &p.PaperCopy); err != nil {
			rows.Close()
			return nil, err
		}
		issued[p.Order] = p
	}
	if err := rows.Err(); err != nil {
		return nil, err
	}
	var papers []shop.Paper
	var missing []shop.OrderID
	for _, id := range ids {
		if p, ok := issued[id]; ok {
			papers = append(papers, p)
		} else {
			missing = append(missing, id)
		}
	}
	if len(missing) > 0 {
		return nil, ErrPaperNotIssued.With(shop.JoinIDs(missing))
	}
	return papers, nil
}

// IssueInvoice issues the invoice of an order, unless it has one, and returns it.
func IssueInvoice(ctx context.Context, tx *store.Tx, id shop.OrderID) (p shop.Paper, err error) {
	o, err := LockOrder(ctx, tx, id)
	if err != nil {
		return p, err
	}
	p, found, err := issuedPaper(ctx, tx, shop.PaperInvoice, id)
	if err != nil || found {
		return p, err
	}
	seller, prefix, err := paperSeller(ctx, tx.Reader)
	if err != nil {
		return p, err
	}
	p = shop.Paper{Kind: shop.PaperInvoice, Order: id}
	if p.PaperCopy, err = paperCopy(o, seller); err != nil {
		return p, err
	}
	return p, issue(ctx, tx, &p, prefix)
}

// creditInvoice issues the credit note of a locked order, once the money of its last payment was
// returned, if it has an invoice. While another payment is held, the invoice is paid, and what was
// returned was not for it. The credit note says what the invoice says.
func creditInvoice(ctx context.Context, tx *store.Tx, id shop.OrderID) error {
	invoice, found, err := issuedPaper(ctx, tx, shop.PaperInvoice, id)
	if err != nil || !found {
		return err
	}
	var held, credited bool
	err = tx.DB.QueryRow(ctx, `
		SELECT EXISTS (SELECT FROM payment WHERE company_id = $1 AND order_id = $2 AND status IN ('paid', 'paid_again', 'refunding')),
			EXISTS (SELECT FROM order_paper WHERE company_id = $1 AND order_id = $2 AND kind = $3)`, tx.Company, id, shop.PaperCreditNote).Scan(&held, &credited)
	if err != nil || held || credited {
		return err
	}
	_, prefix, err := paperSeller(ctx, tx.Reader)
	if err != nil {
		return err
	}
	p := shop.Paper{Kind: shop.PaperCreditNote, Order: id, PaperCopy: invoice.PaperCopy}
	p.Invoice, p.InvoicedAt = invoice.Number, &invoice.IssuedAt
	return issue(ctx, tx, &p, prefix)
}

// issue numbers a paper and stores it. Other papers of the shop wait until the transaction ends,
// so that a rollback leaves no gap.
func issue(ctx context.Context, tx *store.Tx, p *shop.Paper, prefix string) error {
	if err := tx.DB.QueryRow(ctx, `SELECT now()`).Scan(&p.IssuedAt); err != nil {
		return err
	}
	year, last := p.IssuedAt.In(shop.Clock(p.Seller.Timezone)).Year(), 0
	err := tx.DB.QueryRow(ctx, `
		INSERT INTO paper_counter AS c (company_id, kind, year, last) VALUES ($1, $2, $3, 1)
		ON CONFLICT (company_id, kind, year) DO UPDATE SET last = c.last + 1 RETURNING last`, tx.Company, p.Kind, year).Scan(&last)
	if err != nil {
		return err
	}
	if p.Kind == shop.PaperCreditNote {
		prefix += "CN"
	}
	p.Number = prefix + strconv.Itoa(year) + "-" + strconv.Itoa(last)
	_, err = tx.DB.Exec(ctx, `
		INSERT INTO order_paper (company_id, order_id, kind, number, issued_at, copy) VALUES ($1, $2, $3, $4, $5, $6)`,
		tx.Company, p.Order, p.Kind, p.Number, p.IssuedAt, p.PaperCopy)
	return err
}

func issuedPaper(ctx context.Context, tx *store.Tx, kind shop.PaperKind, id shop.OrderID) (p shop.Paper, found bool, err error) {
	p = shop.Paper{Kind: kind, Order: id}
	err = tx.DB.QueryRow(ctx, `
		SELECT number, issued_at, copy FROM order_paper WHERE company_id = $1 AND order_id = $2 AND kind = $3`, tx.Company, id, kind).
		Scan(&p.Number, &p.IssuedAt, &p.PaperCopy)
	if store.NoRow(err) {
		return p, false, nil
	}
	return p, err == nil, err
}

// paperSeller returns the shop as its papers show it now, and the prefix of its numbers.
func paperSeller(ctx context.Context, r store.Reader) (s shop.PaperSeller, prefix string, err error) {
	settings, err := company.GetSettings(ctx, r)
	if err != nil {
		return s, "", err
	}
	info, err := company.Info(ctx, r)
	return shop.PaperSeller{
		Name: settings.Name, Legal: settings.Legal, Address: settings.Contacts.Address, Phone: settings.Contacts.Phone, Email: settings.Contacts.Email,
		Language: shop.Language(settings.Language, settings.Currency), Timezone: settings.Timezone, Digits: info.PriceDigits,
	}, settings.InvoicePrefix, err
}

// paperCopy returns what a paper says about an order.
func paperCopy(o Order, seller shop.PaperSeller) (c shop.PaperCopy, err error) {
	c = shop.PaperCopy{
		Seller: seller, Buyer: shop.PaperBuyer(o.Contact), Address: o.Address, OrderNumber: o.Number, OrderedAt: o.CreatedAt, Comment: o.Comment,
		Currency: o.Currency, Goods: o.ItemsTotal, Taxes: o.Taxes, TaxAdded: o.TaxAdded(), Total: o.GrandTotal,
	}
	if o.Delivery != nil {
		c.Delivery, c.Shipping = o.Delivery.Name, o.Delivery.Price
	}
	for _, l := range o.Lines {
		line := shop.PaperLine{Name: l.Name, SKU: l.SKU, Quantity: l.Quantity, Unit: l.Unit, Gift: l.Gift, Taxes: l.Taxes}
		var parts []SetPart
		if len(l.Set) > 0 {
			if err := json.Unmarshal(l.Set, &parts); err != nil {
				return c, err
			}
		}
		for _, p := range parts {
			line.Parts = append(line.Parts, shop.PaperPart{Name: p.Name, Quantity: p.Quantity})
		}
		c.Lines = append(c.Lines, line)
	}
	return c, nil
}
