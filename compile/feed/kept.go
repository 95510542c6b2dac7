package feed

import "sort"

// trace notes while a render writes which line wrote what, and where the output
// of each product begins and ends.
type trace struct {
	notes []note
	spans []span
	kept  *Kept // that fits this template and shop, or nil
	next  []int // per loop: the span that is expected next
	key   key
	from  mark // of the open span
	low   int  // depth of the document at its start
	clean bool
	start int // steps at its start
}

// note says that constant text of a line stands at an offset.
type note struct {
	at   uint32
	line uint32
}

// span is the output of one turn of a range over products.
type span struct {
	at, end uint32
	product int64
	version uint64
	loop    int32 // among those whose fragments are kept, -1 for others
	notes   int32 // first note
	until   int32 // after the last
	steps   int32
	from    mark
	to      mark
	whole   bool // the document is as deep at the end as it was at the start
}

// key is what fragments depend on beside their product.
type key struct {
	name, body string
	shop       Shop
}

// Kept is a former output of a template, with where each product's fragment
// stands in it. It is given to the next render of the same template, which
// copies the fragments of products whose version is the same. It never changes.
type Kept struct {
	out   []byte
	key   key
	notes []note
	loops []keptLoop
}

type keptLoop struct {
	spans []span
	byID  map[int64]int32
}

// Keep pairs the result of a traced render with what it wrote, all of it. The
// bytes are not copied: they must not change while the Kept is in use. It is
// nil when nothing of this template can be kept.
func (r *Result) Keep(out []byte) *Kept {
	if r.trace == nil || int64(len(out)) != r.Bytes || r.Broken != nil {
		return nil
	}
	k := &Kept{out: out, key: r.trace.key, notes: r.trace.notes}
	for i := range r.trace.spans {
		s := r.trace.spans[i]
		if s.loop < 0 || !s.whole {
			continue
		}
		for int(s.loop) >= len(k.loops) {
			k.loops = append(k.loops, keptLoop{byID: map[int64]int32{}})
		}
		l := &k.loops[s.loop]
		l.byID[s.product] = int32(len(l.spans))
		l.spans = append(l.spans, s)
	}
	if k.loops == nil {
		return nil
	}
	return k
}

// Line is the line of the template that wrote the byte of out at offset, 0 when
// the render was not traced.
func (r *Result) Line(out []byte, offset int) int {
	if r.trace == nil || len(r.trace.notes) == 0 {
		return 0
	}
	notes := r.trace.notes
	i := sort.Search(len(notes), func(i int) bool { return int(notes[i].at) > offset }) - 1
	if i < 0 {
		return 1
	}
	line := int(notes[i].line)
	for _, c := range out[notes[i].at:min(offset, len(out))] {
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
	spans := r.trace.spans
	i := sort.Search(len(spans), func(i int) bool { return int(spans[i].at) > offset }) - 1
	if i < 0 || int(spans[i].end) <= offset {
		return 0
	}
	return spans[i].product
}

func newTrace(t *Template, r *run) *trace {
	out := &trace{key: key{t.name, t.body, r.catalogue.contents.Shop}}
	if k := r.options.Kept; k != nil && k.key == out.key {
		out.kept = k
		out.notes = make([]note, 0, len(k.notes)+len(k.notes)/16)
		out.next = make([]int, len(k.loops))
	}
	return out
}

func (t *trace) note(at int64, line int) {
	t.notes = append(t.notes, note{uint32(at), uint32(line)})
}

// open begins the span of a product.
func (r *run) open(l *loop, p *Item) {
	m, depth, clean := r.esc.mark()
	r.trace.spans = append(r.trace.spans, span{
		at: uint32(r.position()), product: p.ID, version: p.Version,
		loop: int32(l.fragments), notes: int32(len(r.trace.notes)), from: m, steps: int32(r.steps),
	})
	r.trace.low, r.trace.clean = depth, clean
	r.esc.watch()
}

// shut ends it. Where ranges over products stand in each other, the outer spans
// are those that inner ones leave behind them: only loops at the top are kept.
func (r *run) shut(l *loop) {
	if l.fragments < 0 {
		return
	}
	t := r.trace
	s := &t.spans[len(t.spans)-1]
	m, depth, clean := r.esc.mark()
	s.end, s.to, s.until = uint32(r.position()), m, int32(len(t.notes))
	s.steps = int32(r.steps) - s.steps
	s.whole = t.clean && clean && depth == t.low && r.esc.lowest() >= t.low
}

// reuse copies the fragment of an unchanged product.
func (r *run) reuse(l *loop, p *Item) bool {
	t := r.trace
	if t.kept == nil || l.fragments < 0 || l.fragments >= len(t.kept.loops) {
		return false
	}
	s := t.find(&t.kept.loops[l.fragments], l.fragments, p)
	if s == nil {
		return false
	}
	m, _, clean := r.esc.mark()
	if m != s.from || !clean {
		return false
	}
	if r.steps += int(s.steps); r.steps > r.due {
		r.tick(l.line)
	}
	at := uint32(r.position())
	shift := at - s.at
	out := *s
	out.at, out.end = at, s.end+shift
	out.notes = int32(len(t.notes))
	for _, n := range t.kept.notes[s.notes:s.until] {
		t.notes = append(t.notes, note{n.at + shift, n.line})
	}
	out.until = int32(len(t.notes))
	t.spans = append(t.spans, out)
	r.at(l.line)
	if r.out = append(r.out, t.kept.out[s.at:s.end]...); len(r.out) > r.high {
		r.spill()
	}
	r.esc.resume(s.to)
	r.result.Reused++
	return true
}

// find looks for the fragment of a product, first where it is expected.
func (t *trace) find(l *keptLoop, loop int, p *Item) *span {
	i := t.next[loop]
	if i >= len(l.spans) || l.spans[i].product != p.ID {
		place, ok := l.byID[p.ID]
		if !ok {
			return nil
		}
		i = int(place)
	}
	t.next[loop] = i + 1
	if s := &l.spans[i]; s.version == p.Version {
		return s
	}
	return nil
}
