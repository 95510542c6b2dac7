package feed

import "sort"

// trace notes while a render writes which line wrote what, and where the output
// of each product begins and ends.
type trace struct {
	outer []note // of what stands outside of the spans
	inner []note // of what stands inside, counted from the start of the span
	spans []span
	open  bool // a span is open
	low   int  // depth of the document at its start
	clean bool // the escaper could have been stopped there

	key  key
	kept *Kept // that fits this template and shop, or nil
	next []int // per loop: the span of kept that is expected next
}

// note says that constant text of a line stands at an offset.
type note struct {
	at   uint32
	line uint32
}

// span is the output of one turn of a range over products, of an outer range
// where they stand in each other.
type span struct {
	at, end uint32
	product int64
	version uint64
	notes   []note
	first   int32 // of them in trace.inner, while the span is open
	steps   int32
	loop    int32 // among those whose fragments are kept, -1 for others
	from    mark
	to      mark
	whole   bool // the document is as deep at the end as it was at the start
}

// key is what fragments depend on beside their product.
type key struct {
	name, body string
	shop       Shop
}

func newTrace(t *Template, r *run) *trace {
	out := &trace{key: key{t.name, t.body, r.catalogue.contents.Shop}}
	if k := r.options.Kept; k != nil && k.key == out.key {
		out.kept = k
		out.next = make([]int, len(k.loops))
		out.spans = make([]span, 0, k.spans+k.spans/64+16)
	}
	return out
}

func (t *trace) note(at int64, line int) {
	if t.open {
		t.inner = append(t.inner, note{uint32(at) - t.spans[len(t.spans)-1].at, uint32(line)})
		return
	}
	t.outer = append(t.outer, note{uint32(at), uint32(line)})
}

// open begins the span of a product.
func (r *run) open(l *loop, p *Item) {
	t := r.trace
	m, depth, clean := r.esc.mark()
	t.spans = append(t.spans, span{
		at: uint32(r.position()), product: p.ID, version: p.Version,
		loop: int32(l.fragments), first: int32(len(t.inner)), from: m, steps: int32(r.steps),
	})
	t.open, t.low, t.clean = true, depth, clean
	t.note(r.position(), l.body.line)
	r.esc.watch()
}

// shut ends it.
func (r *run) shut() {
	t := r.trace
	s := &t.spans[len(t.spans)-1]
	m, depth, clean := r.esc.mark()
	s.end, s.to = uint32(r.position()), m
	s.steps = int32(r.steps) - s.steps
	s.whole = t.clean && clean && depth == t.low && r.esc.lowest() >= t.low
	s.notes = t.inner[s.first:len(t.inner):len(t.inner)]
	t.open = false
}

// Line is the line of the template that wrote the byte of out at offset, 0 when
// the render was not traced.
func (r *Result) Line(out []byte, offset int) int {
	if r.trace == nil {
		return 0
	}
	notes, from := r.trace.outer, 0
	if s := r.trace.span(offset); s != nil {
		notes, from = s.notes, int(s.at)
	}
	i := sort.Search(len(notes), func(i int) bool { return from+int(notes[i].at) > offset }) - 1
	if i < 0 {
		return 1
	}
	line := int(notes[i].line)
	for _, c := range out[min(from+int(notes[i].at), len(out)):min(offset, len(out))] {
		if c == '\n' {
			line++
		}
	}
	return line
}

// Product is the product of whose range iteration the byte at offset is, 0 for
// none.
func (r *Result) Product(offset int) int64 {
	if r.trace == nil {
		return 0
	}
	if s := r.trace.span(offset); s != nil {
		return s.product
	}
	return 0
}

// span is the one that holds the byte at offset, or nil.
func (t *trace) span(offset int) *span {
	i := sort.Search(len(t.spans), func(i int) bool { return int(t.spans[i].at) > offset }) - 1
	for ; i >= 0 && t.spans[i].at == t.spans[i].end; i-- { // products that wrote nothing
	}
	if i < 0 || int(t.spans[i].end) <= offset {
		return nil
	}
	return &t.spans[i]
}
