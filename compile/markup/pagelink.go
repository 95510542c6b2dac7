package markup

import "vitrine/internal/shop"

// pageLink writes svc:page/{id} with an optional query or fragment. An invalid id leads to no
// page, and so does a placeholder, because the linked pages must be known before the document is
// drawn.
func (w *writer) pageLink(name, value string) bool {
	id, tail, ok := shop.PageAddress(value)
	if !ok {
		return false
	}
	w.begin(name)
	if id > 0 {
		w.page(int64(id), appendAttr(nil, tail))
	} else {
		w.write("#")
	}
	w.write(`"`)
	return true
}
