package markup

import "golang.org/x/net/html"

// span is an element that both programs hold byte for byte: where the normal
// one has it.
type span struct {
	node     *html.Node
	from, to int
}

// spans is the largest such elements of a document in their order. The guarded
// walk copies them, so that a second program costs what differs.
type spans []span

// spot is what a walk knows before an element.
type spot struct{ from, ops, spans, differs int }

func (w *writer) spot() spot { return spot{len(w.arena), len(w.ops), len(w.same), w.differs} }

// record keeps an element that was written since the spot when the guarded walk
// would write the same: nothing in it is guarded and nothing reads data.
func (w *writer) record(n *html.Node, since spot) {
	switch {
	case w.guarded:
	case guarding(n):
		w.differs++
		w.same = w.same[:since.spans]
	case w.differs == since.differs && len(w.ops) == since.ops:
		w.same = append(w.same[:since.spans], span{n, since.from, len(w.arena)})
	}
}

// copied writes an element as the normal program has it.
func (w *writer) copied(n *html.Node) bool {
	if !w.guarded || len(w.same) == 0 || w.same[0].node != n {
		return false
	}
	w.arena = append(w.arena, w.normal[w.same[0].from:w.same[0].to]...)
	w.same = w.same[1:]
	return true
}
