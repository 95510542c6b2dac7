package order

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"time"

	"vitrine/admin/api"
	"vitrine/internal/shop"
	"vitrine/internal/store"
	"vitrine/internal/store/company"
	"vitrine/internal/store/sales"
	"vitrine/render"
)

// Papers are pages for A4: packing slips of orders as they are, and invoices and credit notes as
// they were issued.

// errPaper refuses a request for papers that names none.
var errPaper = shop.ErrInvalidRequest.With("kind is slip, invoice or credit_note; ids are 1 to 100 ids of orders")

const (
	maxPapers = 100             // of one page
	linkValid = 5 * time.Minute // the life of a signed address
)

type invoiceView struct {
	Number   string    `json:"number"`
	IssuedAt time.Time `json:"issued_at"`
}

func (os *Orders) issueInvoice(ctx context.Context, c *api.Call, in orderPath) (out api.Result[invoiceView], err error) {
	o, err := os.owned(ctx, c, in.ID)
	if err != nil {
		return out, err
	}
	var p shop.Paper
	err = os.Store.Write(ctx, o.Company, func(tx *store.Tx) error {
		p, err = sales.IssueInvoice(ctx, tx, in.ID)
		return err
	})
	return api.Wrap(invoiceView{p.Number, p.IssuedAt.UTC()}), err
}

type paperPath struct {
	linkedPath
	Kind shop.PaperKind `path:"kind" json:"-"`
}

// paper prints one paper. Slips are for the seller.
func (os *Orders) paper(ctx context.Context, c *api.Call, in paperPath) (out api.Raw, err error) {
	o, who, err := os.linked(ctx, c, in.linkedPath, readsOrders)
	switch {
	case err != nil:
		return out, err
	case who == stranger, who == buyer && in.Kind == shop.PaperSlip:
		return out, sales.ErrOrderDenied
	}
	return os.print(ctx, o.Company, in.Kind, []shop.OrderID{o.ID})
}

type papersRequest struct {
	Kind shop.PaperKind `path:"kind" json:"-"`
	IDs  string         `query:"ids" json:"-" len:"2100" refuse:"INVALID_REQUEST" doc:"ids of up to 100 orders, separated by commas"`
}

func (os *Orders) papers(ctx context.Context, c *api.Call, in papersRequest) (out api.Raw, err error) {
	if !sells(c) {
		return out, sales.ErrOrderDenied
	}
	var ids []shop.OrderID
	for text := range strings.SplitSeq(in.IDs, ",") {
		id, err := strconv.ParseInt(strings.TrimSpace(text), 10, 64)
		if err != nil {
			return out, errPaper.At("ids")
		}
		ids = append(ids, shop.OrderID(id))
	}
	return os.print(ctx, c.Company, in.Kind, ids)
}

// print returns papers as a page, in the order of the ids.
func (os *Orders) print(ctx context.Context, of shop.CompanyID, kind shop.PaperKind, ids []shop.OrderID) (out api.Raw, err error) {
	papers, err := os.papersOf(ctx, of, kind, ids)
	if err != nil {
		return out, err
	}
	info, err := company.Info(ctx, os.Store.Shop(of))
	if err != nil {
		return out, err
	}
	for i := range papers {
		papers[i].Link = os.URLs.Storefront(info) + "/orders/" + papers[i].Order.String()
	}
	page, err := render.Papers(papers)
	return api.Raw{ContentType: "text/html; charset=utf-8", Body: page, Policy: render.PaperPolicy}, err
}

// papersOf returns the papers of orders, one for each, in the order of the ids.
func (os *Orders) papersOf(ctx context.Context, of shop.CompanyID, kind shop.PaperKind, ids []shop.OrderID) (papers []shop.Paper, err error) {
	if !slices.Contains(shop.PaperKinds, kind) {
		return nil, errPaper.At("kind")
	}
	var each []shop.OrderID
	for _, id := range ids {
		if !slices.Contains(each, id) && len(each) <= maxPapers {
			each = append(each, id)
		}
	}
	if len(each) == 0 || len(each) > maxPapers {
		return nil, errPaper.At("ids")
	}
	if kind == shop.PaperSlip {
		papers, err = sales.Slips(ctx, os.Store.Shop(of), each)
	} else {
		papers, err = sales.IssuedPapers(ctx, os.Store.Shop(of), kind, each)
	}
	return papers, shop.At(err, "ids")
}

type paperLinkRequest struct {
	Kind shop.PaperKind `json:"kind" required:"always"`
	IDs  []shop.OrderID `json:"ids" required:"always" max:"100" refuse:"INVALID_REQUEST"`
}

type paperLink struct {
	URL string `json:"url"`
}

// papersToken is the content of a signed address.
type papersToken struct {
	Company shop.CompanyID `json:"c"`
	Kind    shop.PaperKind `json:"k"`
	IDs     []shop.OrderID `json:"i"`
	Until   int64          `json:"u"` // Unix time
}

func (os *Orders) linkPapers(ctx context.Context, c *api.Call, in paperLinkRequest) (out api.Result[paperLink], err error) {
	if !sells(c) {
		return out, sales.ErrOrderDenied
	}
	if _, err := os.papersOf(ctx, c.Company, in.Kind, in.IDs); err != nil {
		return out, err
	}
	text, err := json.Marshal(papersToken{c.Company, in.Kind, in.IDs, os.Now().Add(linkValid).Unix()})
	if err != nil {
		return out, err
	}
	token := base64.RawURLEncoding.EncodeToString(text)
	return api.Wrap(paperLink{os.URLs.Admin + "/v1/papers/" + token + "." + os.Sealer.MAC("papers "+token)}), nil
}

type papersPath struct {
	Token string `path:"token" json:"-"`
}

// openPapers prints the papers of a signed address, until it expires.
func (os *Orders) openPapers(ctx context.Context, c *api.Call, in papersPath) (out api.Raw, err error) {
	token, mark, _ := strings.Cut(in.Token, ".")
	var t papersToken
	text, err := base64.RawURLEncoding.DecodeString(token)
	if err != nil || !os.Sealer.Verify(mark, "papers "+token) || json.Unmarshal(text, &t) != nil || os.Now().Unix() >= t.Until || c.Storefront != 0 {
		return out, sales.ErrOrderNotFound
	}
	return os.print(ctx, t.Company, t.Kind, t.IDs)
}
