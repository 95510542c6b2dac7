package markup

import "vitrine/internal/shop"

// pageLink writes svc:page/{id} with a query or fragment behind it. What is no id
// names no page; a placeholder is none either, since the pages that a document
// links to are known before it is drawn.
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
