package markup

import "golang.org/x/net/html"

// span is an element with identical output in both programs, and its range in the normal one.
type span struct {
	node     *html.Node
	from, to int
}

// spans lists the largest such elements of a document in order. The guarded walk copies them, so
// that the second program costs only the differences.
type spans []span

// mark is the writer's state before an element.
type mark struct{ from, ops, spans, differs int }

func (w *writer) mark() mark { return mark{len(w.arena), len(w.ops), len(w.same), w.differs} }

// record keeps an element written since the mark if the guarded walk would write the same:
// nothing in it is guarded and nothing reads data.
func (w *writer) record(n *html.Node, since mark) {
	switch {
	case w.guarded:
	case guarding(n):
		w.differs++
		w.same = w.same[:since.spans]
	case w.differs == since.differs && len(w.ops) == since.ops:
		w.same = append(w.same[:since.spans], span{n, since.from, len(w.arena)})
	}
}

// copied copies an element from the normal program.
func (w *writer) copied(n *html.Node) bool {
	if !w.guarded || len(w.same) == 0 || w.same[0].node != n {
		return false
	}
	w.arena = append(w.arena, w.normal[w.same[0].from:w.same[0].to]...)
	w.same = w.same[1:]
	return true
}
