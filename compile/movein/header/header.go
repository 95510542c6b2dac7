// Package header recognises files exported by other systems: tables by the names of their
// columns, other files by the beginning of their text. It ignores file names.
//
//	file, ok := header.Of(text)     // File{System: Shopify, Content: Customers}
//	err := header.Foreign(text)     // IMPORT_FOREIGN: shopify
//
// The imports of this program's own CSV call Foreign first. Many columns of other systems have
// the same names as ours but another meaning: an id belongs to another shop, a price is decimal,
// a category is a path. Importing such a file would overwrite unrelated data.
package header

import (
	"regexp"
	"slices"
	"strings"

	"vitrine/internal/cells"
	"vitrine/internal/shop"
)

// System is the program that wrote a file.
type System string

// The systems whose files are recognised.
const (
	Shopify     System = "shopify"
	WooCommerce System = "woocommerce"
	Magento     System = "magento"
	PrestaShop  System = "prestashop"
	OpenCart    System = "opencart"
	Wix         System = "wix"
	Square      System = "square"
	Squarespace System = "squarespace"
	BigCommerce System = "bigcommerce"
	Etsy        System = "etsy"
	Google      System = "google" // Merchant Center
	YML         System = "yml"    // Yandex Market
	WordPress   System = "wordpress"
	Ghost       System = "ghost"
	Redirection System = "redirection" // a plugin of WordPress
	Yoast       System = "yoast"       // another plugin of WordPress
)

// Content is the kind of data in a file.
type Content string

// The kinds of content.
const (
	Products  Content = "products"
	Customers Content = "customers"
	Redirects Content = "redirects"
	Articles  Content = "articles"
)

// File is the system that wrote a file, and its content.
type File struct {
	System  System
	Content Content
}

// ErrForeign refuses a file of another system; its detail is the system's name.
var ErrForeign = shop.Refuse(shop.InvalidArgument, "IMPORT_FOREIGN").
	When("the file was exported by the system in detail, whose columns have another meaning here; guidance explains how to convert it")

// Foreign returns ErrForeign for a text that another system wrote. own lists foreign files that
// the caller can read itself.
func Foreign(text string, own ...File) error {
	file, ok := Of(text)
	if !ok || slices.Contains(own, file) {
		return nil
	}
	return ErrForeign.With(string(file.System)).WithField("guidance", file.guidance())
}

// guidance explains to an owner how to use the data of the file.
func (f File) guidance() string {
	ours := map[Content]string{
		Products:  "Use the columns of GET /products/export (sku, name, price, description, category by its slug) and omit id; prices=decimal reads prices such as 14.50.",
		Customers: "Use the columns email, first_name, last_name, phone and note.",
		Redirects: "Use the columns from, to and code.",
		Articles:  "Articles are not imported as a table: send each one to POST /articles.",
	}
	return "This is an export of " + string(f.System) + " (" + string(f.Content) + "). Nothing was changed. " + ours[f.Content]
}

const (
	// maxRecords is how many records are searched for a header: a template of Square has five
	// lines of instructions above it.
	maxRecords = 8
	// maxHead is how much of a text is searched for the markers of XML and JSON, maxTable how
	// much of it for a header.
	maxHead  = 4 << 10   // bytes
	maxTable = 256 << 10 // bytes
)

// Of recognises a text.
func Of(text string) (File, bool) {
	if f, ok := marked(text[:min(len(text), maxHead)]); ok {
		return f, true
	}
	text = text[:min(len(text), maxTable)]
	// PrestaShop has commas in its column names, without quotes.
	for _, separator := range []string{"", "sep=;\n", "sep=\t\n"} {
		if f, ok := table(separator + text); ok {
			return f, true
		}
	}
	return File{}, false
}

// table recognises a table by its first records.
func table(text string) (File, bool) {
	r := cells.New(text)
	for range maxRecords {
		record, _, ok, err := r.Next()
		if !ok {
			break
		}
		if err != nil {
			continue
		}
		if f, ok := Columns(record); ok {
			return f, true
		}
	}
	return File{}, false
}

// Columns recognises a header by the names of its columns, in any order and among unknown ones.
func Columns(names []string) (File, bool) {
	clean := make([]string, len(names))
	for i, name := range names {
		clean[i] = Normal(name)
	}
	for _, s := range signatures {
		if s.in(clean) {
			return s.file, true
		}
	}
	return File{}, false
}

// invisible removes invisible characters that programs put into names.
var invisible = strings.NewReplacer("\u200b", "", "\u200c", "", "\u200d", "", "\u2060", "", "\ufeff", "", "\u00ad", "", "\u00a0", " ", "\u202f", " ")

// Normal normalises the name of a column for comparison: it ignores case, surrounding and
// repeated spaces, and an apostrophe in front.
func Normal(name string) string {
	name = strings.Join(strings.Fields(invisible.Replace(name)), " ")
	return strings.ToLower(strings.TrimPrefix(name, "'"))
}

// in reports whether all columns of a signature are among names.
func (s signature) in(names []string) bool {
	for _, want := range s.columns {
		prefix, open := strings.CutSuffix(want, "…")
		found := slices.ContainsFunc(names, func(name string) bool { return name == want || open && strings.HasPrefix(name, prefix) })
		if !found {
			return false
		}
	}
	return true
}

// statusLine begins Ghost's redirects in YAML: a status code, and below it from: to.
var statusLine = regexp.MustCompile(`^30[12]:[ \t]*\r?\n[ \t]+\S`)

// marked recognises XML, JSON and YAML by their beginning.
func marked(head string) (File, bool) {
	head = strings.TrimLeft(invisible.Replace(head), " \t\r\n")
	if head == "" {
		return File{}, false
	}
	if statusLine.MatchString(head) {
		return File{Ghost, Redirects}, true
	}
	for _, m := range marks {
		if head[0] == m.first && !slices.ContainsFunc(m.words, func(word string) bool { return !strings.Contains(head, word) }) {
			return m.file, true
		}
	}
	return File{}, false
}
