package feed

// Kept is a former output of a template, with where each product's fragment
// stands in it. It is given to the next render of the same template, which
// copies the fragments of products whose version is the same. It never changes.
type Kept struct {
	out   []byte
	key   key
	loops []keptLoop
	spans int
	notes int
}

type keptLoop struct {
	spans []*span
	byID  map[int64]int32
}

// Keep pairs the result of a traced render with what it wrote, all of it. The
// bytes are not copied: they must not change while the Kept is in use. It is
// nil when nothing of this template can be kept.
func (r *Result) Keep(out []byte) *Kept {
	if r.trace == nil || int64(len(out)) != r.Bytes || r.Broken != nil {
		return nil
	}
	k := &Kept{out: out, key: r.trace.key, spans: len(r.trace.spans)}
	for i := range r.trace.spans {
		s := &r.trace.spans[i]
		k.notes += len(s.notes)
		if s.loop < 0 || !s.whole {
			continue
		}
		for int(s.loop) >= len(k.loops) {
			k.loops = append(k.loops, keptLoop{byID: make(map[int64]int32, len(r.trace.spans))})
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

// Size is about how many bytes of memory a Kept takes beside the output.
func (k *Kept) Size() int64 {
	if k == nil {
		return 0
	}
	const spanBytes, noteBytes = 128, 8 // a span with what leads to it by place and by product
	return int64(k.spans)*spanBytes + int64(k.notes)*noteBytes
}

// lent is the part of the kept output that goes out next: the fragments of
// neighbours are written in one go.
type lent struct{ from, to uint32 }

// reuse takes over the fragment of an unchanged product.
func (r *run) reuse(l *loop, p *Item) bool {
	t := r.trace
	if t.kept == nil || l.fragments < 0 || l.fragments >= len(t.kept.loops) {
		return false
	}
	s := t.find(&t.kept.loops[l.fragments], l.fragments, p)
	if s == nil {
		return false
	}
	if m, _, clean := r.esc.mark(); m != s.from || !clean {
		return false
	}
	if r.steps += int(s.steps); r.steps > r.due {
		r.tick(l.line)
	}
	if r.lent.from == r.lent.to || r.lent.to != s.at {
		r.settle(l.line)
		r.flush()
		r.lent = lent{s.at, s.at}
	}
	at := uint32(r.position())
	r.lent.to = s.end
	t.spans = append(t.spans, *s)
	added := &t.spans[len(t.spans)-1]
	added.at, added.end = at, at+s.end-s.at
	r.esc.resume(s.to)
	r.result.Reused++
	return true
}

// settle writes what is lent.
func (r *run) settle(line int) {
	if r.lent.from == r.lent.to {
		return
	}
	part := r.trace.kept.out[r.lent.from:r.lent.to]
	r.lent = lent{}
	r.at(line)
	if room := int64(r.options.Bytes) - r.sent; int64(len(part)) > room {
		r.write(part[:room])
		r.overflow()
	}
	r.write(part)
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
	if s := l.spans[i]; s.version == p.Version {
		return s
	}
	return nil
}
