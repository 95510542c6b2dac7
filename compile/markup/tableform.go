package markup

import "golang.org/x/net/html"

// A form that begins between a table and its cells, as in old layouts, is an element without
// content. The fields in the cells belong to it because its end tag comes after them, which the
// tree does not record. The end tag is written after the table, or before the next form in it.

// spread reports whether a form is of that kind.
func spread(n *html.Node) bool {
	if n.FirstChild != nil || n.Parent == nil || n.Parent.Namespace != "" {
		return false
	}
	switch n.Parent.Data {
	case "table", "tbody", "thead", "tfoot", "tr":
		return true
	}
	return false
}

// outerTable returns the outermost table around a node, or nil.
func outerTable(n *html.Node) (table *html.Node) {
	for n = n.Parent; n != nil; n = n.Parent {
		if n.Namespace == "" && n.Data == "table" {
			table = n
		}
	}
	return table
}

// spreadForm writes the start tag of such a form, and the end tag of a preceding one.
func (w *writer) spreadForm(n *html.Node) bool {
	table := outerTable(n)
	if table == nil {
		return false
	}
	first := w.doc.spread[table]
	if !spread(n) {
		if first != nil {
			w.write("</form>")
		}
		return false
	}
	if first == nil {
		w.doc.spread[table] = n
	}
	if first != nil && first != n || len(w.scope) > 0 { // ends the form of the previous row
		w.write("</form>")
	}
	w.tag("form", n)
	return true
}

// table writes a table and ends the form that is spread over it.
func (w *writer) table(n *html.Node) {
	w.whole("table", n)
	if w.doc.spread[n] != nil {
		w.write("</form>")
	}
}
