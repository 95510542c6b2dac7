// Package header recognises the files that other systems export, by the names of their
// columns or, where a file is no table, by how its text begins. It never looks at the name
// of a file.
//
//	file, ok := header.Of(text)     // File{System: Shopify, Content: Customers}
//	err := header.Foreign(text)     // IMPORT_FOREIGN: shopify
//
// The imports of this program's own CSV ask Foreign first. Many columns of other systems
// are called as ours and mean something else: an id is another shop's, a price is decimal,
// a category is a path. Such a file would overwrite what it was never about.
package header

import (
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
	Yoast       System = "yoast"       // another one
)

// Content is what a file holds.
type Content string

// The kinds of content.
const (
	Products  Content = "products"
	Customers Content = "customers"
	Redirects Content = "redirects"
	Articles  Content = "articles"
)

// File is what is known of a file by its beginning.
type File struct {
	System  System
	Content Content
}

// ErrForeign refuses a file of another system; its detail is the system's name.
var ErrForeign = shop.Refuse(shop.InvalidArgument, "IMPORT_FOREIGN").
	When("the file is an export of the system that the detail names, whose columns mean something else here; guidance says what to do with it")

// Foreign is ErrForeign for a text that another system wrote. own are contents of other
// systems that the caller reads as well.
func Foreign(text string, own ...File) error {
	file, ok := Of(text)
	if !ok || slices.Contains(own, file) {
		return nil
	}
	return ErrForeign.With(string(file.System)).WithField("guidance", file.guidance())
}

// guidance is what an owner can do with the file.
func (f File) guidance() string {
	ours := map[Content]string{
		Products:  "Take the columns of GET /products/export (sku, name, price, description, category by its slug) and leave id out; prices=decimal reads prices such as 14.50.",
		Customers: "Take the columns email, first_name, last_name, phone and note.",
		Redirects: "Take the columns from, to and code.",
		Articles:  "Articles are no table here: send each to POST /articles.",
	}
	return "This is an export of " + string(f.System) + " (" + string(f.Content) + "). Nothing was changed. " + ours[f.Content]
}

const (
	// ahead is how many records a header is looked for in: a template of Square has five
	// lines of instructions above it.
	ahead = 8
	// head is how much of a text tells what it is, if it is no table, and top how much of
	// one that is.
	head = 4 << 10   // bytes
	top  = 256 << 10 // bytes
)

// Of recognises a text.
func Of(text string) (File, bool) {
	if f, ok := marked(text[:min(len(text), head)]); ok {
		return f, true
	}
	text = text[:min(len(text), top)]
	// Columns of PrestaShop have commas in their names, without quotes.
	for _, separator := range []string{"", "sep=;\n", "sep=\t\n"} {
		if f, ok := table(separator + text); ok {
			return f, true
		}
	}
	return File{}, false
}

// table recognises a table by one of its first records.
func table(text string) (File, bool) {
	r := cells.New(text)
	for range ahead {
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

// Columns recognises the names of columns, in any order, among unknown ones.
func Columns(names []string) (File, bool) {
	clean := make([]string, len(names))
	for i, name := range names {
		clean[i] = normal(name)
	}
	for _, s := range signatures {
		if s.in(clean) {
			return s.file, true
		}
	}
	return File{}, false
}

// invisible are characters that programs put into names and nobody sees.
var invisible = strings.NewReplacer("\u200b", "", "\u200c", "", "\u200d", "", "\u2060", "", "\ufeff", "", "\u00ad", "", "\u00a0", " ", "\u202f", " ")

// normal is the name of a column as it is compared: whatever its case and the space in
// and around it, and without an apostrophe that guards it.
func normal(name string) string {
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

// marked recognises XML and JSON by what such files hold at their beginning.
func marked(head string) (File, bool) {
	head = strings.TrimLeft(invisible.Replace(head), " \t\r\n")
	if head == "" {
		return File{}, false
	}
	for _, m := range marks {
		if head[0] == m.first && !slices.ContainsFunc(m.words, func(word string) bool { return !strings.Contains(head, word) }) {
			return m.file, true
		}
	}
	return File{}, false
}
