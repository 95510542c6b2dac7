package markup

import "vitrine/internal/shop"

// formLink turns form:<id> into the address of that form on the storefront, which works without
// scripts; with scripts the storefront opens the form in place (document 3, 4.6.8). If a
// placeholder follows the scheme, the form is known only when the page is drawn. Addresses that
// come completely from data are kept, and the storefront's script reads them.
func (w *writer) formLink(name, marked, value string) string {
	rest, ok := shop.CutForm(marked)
	if !ok {
		return marked
	}
	if len(rest) > 0 && rest[0] == marker {
		return shop.FormPrefix + rest
	}
	id, page, ok := shop.FormAddress(marked)
	if !ok || w.doc.src.Forms != nil && !w.doc.src.Forms(id) {
		w.note(BindForm, name+" "+Quoted(value), attrKey(name, value))
	}
	if !ok {
		return marked
	}
	return page
}
