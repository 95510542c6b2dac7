package markup

import (
	"strings"

	"golang.org/x/net/html"

	"vitrine/compile/markup/dom"
)

// The product data that the storefront's script needs is next to the product's id:
// svc-add-to-cart and svc-fav show the line that they add, svc-variants changes the price and the
// picture of the page.

// productFields lists the fields of a product in the order of their attributes.
var productFields = [...]struct{ name, attr string }{
	{"id", "data-svc-product"}, {"name", "data-svc-name"}, {"url", "data-svc-url"}, {"image", "data-svc-image"}, {"price_text", "data-svc-price"},
}

// product writes the data-svc-* attributes of an element whose binding refers to a product. An
// author's own attribute with the same name wins.
func (w *writer) product(n *html.Node) {
	p, ok := w.scope.boundProduct(n)
	if !ok {
		return
	}
	of := productRow
	if p.root == rootProduct && p.n == 0 {
		of = product
	}
	for _, f := range productFields {
		if _, own := dom.Attr(n, f.attr); own {
			continue
		}
		full := p
		full.steps[full.n] = step{slot: int16(slot(of, f.name))}
		full.n++
		w.begin(f.attr)
		w.hole(full, inAttr)
		w.write(`"`)
	}
}

// boundProduct returns the path to the product whose id an attribute names by a placeholder. A
// literal id does not give a program access to a product.
func (s scope) boundProduct(n *html.Node) (path, bool) {
	for _, a := range n.Attr {
		switch {
		case a.Namespace != "":
		case a.Key == "svc-variants":
			return path{root: rootProduct}, true
		case a.Key == "svc-add-to-cart" || a.Key == "svc-fav":
			before, p, rest, found := s.nextHole(strings.Trim(a.Val, dom.Spaces))
			if !found || before != "" || rest != "" || p.n == 0 || !productID(p.steps[p.n-1].slot) {
				continue
			}
			p.n--
			p.steps[p.n] = step{}
			return p, true
		}
	}
	return path{}, false
}

func productID(at int16) bool {
	return at >= 0 && fields[at].name == "id" && (fields[at].of == product || fields[at].of == productRow)
}

// The contents generated for an empty svc-variants: radio buttons, or options in a select. Both
// work with the keyboard.
const (
	chooserBoxes   = `<label svc-for="v in product.variants"><input type="radio" name="svc-variant" value="{{ v.id }}" data-svc-price="{{ v.price_text }}" data-svc-image="{{ v.image }}"> {{ v.name }}</label>`
	chooserOptions = `<option svc-for="v in product.variants" value="{{ v.id }}" data-svc-price="{{ v.price_text }}" data-svc-image="{{ v.image }}">{{ v.name }}</option>`
)

// choosers maps the elements that are filled to their contents.
var choosers = map[string]string{
	"div": chooserBoxes, "fieldset": chooserBoxes, "section": chooserBoxes, "p": chooserBoxes, "form": chooserBoxes, "li": chooserBoxes,
	"td": chooserBoxes, "span": chooserBoxes, "article": chooserBoxes, "aside": chooserBoxes, "select": chooserOptions,
}

// chooser fills an empty svc-variants.
func (w *writer) chooser(n *html.Node) {
	text := choosers[n.Data]
	if _, ok := dom.Attr(n, "svc-variants"); !ok || text == "" || !blank(n) {
		return
	}
	within := &html.Node{Type: html.ElementNode, Data: n.Data, DataAtom: n.DataAtom}
	made, err := html.ParseFragment(strings.NewReader(text), within)
	if err != nil {
		return // parsing a constant text does not fail
	}
	for _, c := range made {
		w.node(c)
	}
}
