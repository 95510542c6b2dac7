package feed

import "sort"

// trace records, while a render writes, which line of the template wrote which
// bytes, and where the output of each product begins and ends.
type trace struct {
	notes []note // by offset
	spans []span // by offset
	open  bool   // the last span has not ended
}

// note records the offset at which constant text of a line stands.
type note struct{ at, line uint32 }

// span is the output of one iteration of a range over products. Ranges nested in
// such an iteration have no spans of their own.
type span struct {
	at, end uint32
	product int64
}

func (t *trace) note(at int64, line int) {
	t.notes = append(t.notes, note{uint32(at), uint32(line)})
}

// begin opens the span of a product, whose first byte belongs to line.
func (t *trace) begin(at, product int64, line int) {
	t.spans = append(t.spans, span{at: uint32(at), product: product})
	t.open = true
	t.note(at, line)
}

func (t *trace) end(at int64) {
	t.spans[len(t.spans)-1].end = uint32(at)
	t.open = false
}

// Line returns the line of the template that wrote the byte of out at offset. It
// is 0 when the render was not traced.
func (r *Result) Line(out []byte, offset int) int {
	if r.trace == nil {
		return 0
	}
	notes := r.trace.notes
	i := sort.Search(len(notes), func(i int) bool { return int(notes[i].at) > offset }) - 1
	if i < 0 {
		return 1
	}
	line := int(notes[i].line)
	for _, c := range out[min(int(notes[i].at), len(out)):min(offset, len(out))] {
		if c == '\n' {
			line++
		}
	}
	return line
}

// Product returns the id of the product in whose iteration of a range the byte at
// offset was written, or 0 when there is none.
func (r *Result) Product(offset int) int64 {
	if r.trace == nil {
		return 0
	}
	spans := r.trace.spans
	i := sort.Search(len(spans), func(i int) bool { return int(spans[i].at) > offset }) - 1
	for i >= 0 && spans[i].at == spans[i].end { // products that wrote nothing
		i--
	}
	if i < 0 || int(spans[i].end) <= offset {
		return 0
	}
	return spans[i].product
}
