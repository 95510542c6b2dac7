package render

import (
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"fmt"
	"html/template"
	"strings"
	"time"

	"rsc.io/qr"

	"vitrine/internal/shop"
)

//go:embed templates/paper.css
var paperStyle string

// PaperPolicy is the Content-Security-Policy of papers: they have their own style and nothing
// else.
var PaperPolicy = func() string {
	sum := sha256.Sum256([]byte(paperStyle))
	return "default-src 'none'; style-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) +
		"'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
}()

// Papers prints papers of a shop as one page, each from a new sheet, in the language of the first.
func Papers(papers []shop.Paper) ([]byte, error) {
	page := struct {
		Lang, Title string
		Style       template.CSS
		Papers      []paperView
	}{Style: template.CSS(paperStyle)}
	for i := range papers {
		p := paperView{&papers[i], wordsIn(papers[i].Seller.Language)}
		if page.Papers = append(page.Papers, p); i == 0 {
			page.Lang, page.Title = p.T.Lang, p.Title()
		}
	}
	var out strings.Builder
	if err := templates.ExecuteTemplate(&out, "papers", page); err != nil {
		return nil, fmt.Errorf("printing papers: %w", err)
	}
	return []byte(out.String()), nil
}

// paperView is a paper as its template reads it.
type paperView struct {
	*shop.Paper
	T *words
}

// Title names the paper with its number; a slip has that of its order.
func (v paperView) Title() string {
	switch v.Kind {
	case shop.PaperInvoice:
		return v.T.Paper.Invoice + " " + v.Number
	case shop.PaperCreditNote:
		return v.T.Paper.CreditNote + " " + v.Number
	}
	return fmt.Sprint(v.T.Paper.Slip, " ", v.OrderNumber)
}

// Priced reports whether the paper shows money.
func (v paperView) Priced() bool { return v.Kind != shop.PaperSlip }

// TotalName is the label of the total.
func (v paperView) TotalName() string {
	if v.Kind == shop.PaperCreditNote {
		return v.T.Paper.Returned
	}
	return v.T.Total
}

// Sum formats a sum of the order.
func (v paperView) Sum(amount int64) string {
	return SumText(amount, v.Currency, v.Seller.Digits, v.T.Lang)
}

// Date formats a day in the time zone of the shop.
func (v paperView) Date(at any) string {
	moment, ok := at.(time.Time)
	if p, is := at.(*time.Time); is && p != nil {
		moment, ok = *p, true
	}
	if !ok {
		return ""
	}
	return v.T.Date(moment.In(shop.Clock(v.Seller.Timezone)))
}

// To lists the lines of the recipient: name, address and, of a business, its VAT number. A slip
// has the phone, for the courier.
func (v paperView) To() (lines []string) {
	lines = append(lines, v.Buyer.Name)
	lines = append(lines, v.T.AddressLines(v.Address)...)
	if v.Priced() {
		return append(lines, v.Buyer.VATNumber)
	}
	return append(lines, v.Buyer.Phone)
}

// qrView is a QR code as the outline of its black squares.
type qrView struct {
	Size int
	Path string
}

// quietZone is the white border that readers of QR codes need, in squares.
const quietZone = 2

// QR is the code of the paper's link; nil without a link, or for one that no code can hold.
func (v paperView) QR() *qrView {
	code, err := qr.Encode(v.Link, qr.M)
	if v.Link == "" || err != nil {
		return nil
	}
	var path strings.Builder
	for y := range code.Size {
		for x := range code.Size {
			if code.Black(x, y) {
				fmt.Fprintf(&path, "M%d %dh1v1h-1z", x+quietZone, y+quietZone)
			}
		}
	}
	return &qrView{code.Size + 2*quietZone, path.String()}
}
