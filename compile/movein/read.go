package movein

import (
	"io"
	"strings"

	"vitrine/compile/movein/header"
	"vitrine/internal/shop"
)

// Refusals of an import as a whole.
var (
	ErrUnknown  = shop.Refuse(shop.InvalidArgument, "IMPORT_UNKNOWN").When("a file is not one of the exports that can be read")
	ErrMixed    = shop.Refuse(shop.InvalidArgument, "IMPORT_MIXED").When("the files are of more than one system; import one system at a time")
	ErrInvalid  = shop.Refuse(shop.InvalidArgument, "IMPORT_INVALID").When("a file of the import cannot be read")
	ErrTooLarge = shop.Refuse(shop.InvalidArgument, "IMPORT_TOO_LARGE").When("there are too many files, or they are too large together").WithStatus(413)
)

// Limits of an import.
const (
	MaxFiles = 50
	MaxBytes = 256 << 20
)

// formats are the systems whose products are tables or feeds.
var formats = map[header.System]*format{
	header.Shopify: &shopify, header.WooCommerce: &wooCommerce, header.Magento: &magento, header.PrestaShop: &prestaShop, header.OpenCart: &openCart, header.Wix: &wix,
	header.Square: &square, header.Squarespace: &squarespace, header.BigCommerce: &bigCommerce, header.Etsy: &etsy, header.Google: &google, header.YML: &yml,
}

// Read reads the files of one system. choices answers questions by their key; every question
// has a default. The spool must stay until what the plan does not hold is loaded. Its errors are
// ErrTooLarge, ErrUnknown, ErrMixed, ErrInvalid, ErrChoice, and those of File.Open, of the files and of
// the spool.
func Read(files []File, to Shop, choices map[string]string, spool Spool) (*Plan, error) {
	if err := checkSize(files); err != nil {
		return nil, err
	}
	plan := &Plan{Confidence: 1}
	e := newEngine(plan, to, choices, spool)
	for _, f := range files {
		if err := e.file(f); err != nil {
			return nil, err
		}
	}
	if len(files) == 0 {
		return nil, ErrUnknown.With("there is no file")
	}
	e.finish()
	e.countPictures()
	if e.wrong != nil {
		return nil, e.wrong
	}
	if err := e.spool.flush(); err != nil {
		return nil, err
	}
	plan.Losses, plan.Rows, plan.Questions = e.losses, e.rows, e.questions
	return plan, nil
}

func checkSize(files []File) error {
	if len(files) > MaxFiles {
		return ErrTooLarge.With("at most 50 files")
	}
	size := int64(0)
	for _, f := range files {
		if size += f.Size; size > MaxBytes {
			return ErrTooLarge.With("at most 256 MB together")
		}
	}
	return nil
}

// maxHead is how much of a file is searched for what it is.
const maxHead = 256 << 10

// file reads one file.
func (e *engine) file(f File) error {
	r, err := e.open(f)
	if err != nil {
		return err
	}
	defer func() { _ = r.Close() }()
	bounded := io.LimitReader(r, 2*MaxBytes) // UTF-8 may be longer than what it was
	start := make([]byte, maxHead)
	n, err := io.ReadFull(bounded, start)
	if err != nil && err != io.EOF && err != io.ErrUnexpectedEOF {
		return err
	}
	head := string(start[:n])
	what, ok := header.Of(head)
	if !ok {
		return ErrUnknown.With(f.Name + ": " + unknownReason(head))
	}
	if e.plan.System == "" {
		e.plan.System, e.format = what.System, formats[what.System]
	}
	if what.System != e.plan.System {
		return ErrMixed.With(string(e.plan.System) + " and " + string(what.System))
	}
	return e.content(f.Name, what, head, bounded)
}

// unknownReason explains what can be done about a file that is not recognised.
func unknownReason(head string) string {
	if strings.HasPrefix(head, "PK\x03\x04") || strings.HasPrefix(head, "\ufffd\ufffd\x11") {
		return "save the workbook as CSV, one file for each sheet"
	}
	return "its header is not that of an export that can be read"
}

// content reads a file by what it is.
func (e *engine) content(name string, what header.File, head string, rest io.Reader) error {
	whole := io.MultiReader(strings.NewReader(head), rest)
	t, isTable := openTable(head, rest)
	switch {
	case isTable && what.Content == header.Redirects:
		return e.ruleTable(name, t)
	case isTable && what.Content == header.Customers:
		return e.customers(name, t)
	case isTable && what.Content == header.Products:
		return e.products(name, e.format, t)
	case what.System == header.WordPress:
		return e.wordPress(name, whole)
	case what.System == header.Redirection:
		return e.redirection(name, whole)
	case what.System == header.Ghost && what.Content == header.Articles:
		return e.ghost(name, whole)
	case what.System == header.Ghost && strings.HasPrefix(strings.TrimLeft(head, " \t\r\n\ufeff"), "["):
		return e.ghostRules(name, whole)
	case what.System == header.Ghost:
		return e.ghostLines(name, whole)
	}
	return e.feed(name, e.format, whole)
}
