package redirect

import "bytes"

// opening is a pair of open addresses with the same holes: the start of a chain and its current
// address. Filling a hole of one fills it in both.
type opening struct{ start, at Open }

func (o opening) fill(hole byte, text []byte) opening {
	return opening{o.start.Fill(hole, text), o.at.Fill(hole, text)}
}

// fresh returns a hole id that neither address uses.
func (o opening) fresh() byte { return max(o.start.fresh(), o.at.fresh()) }

// segment returns the bounds of a segment of at, or -1 if there is none.
func (o opening) segment(i int) (start, end int) {
	for ; ; i-- {
		if end == len(o.at) {
			return -1, -1
		}
		start, end = end+1, len(o.at)
		if next := bytes.IndexByte(o.at[start:], '/'); next >= 0 {
			end = start + next
		}
		if i == 0 {
			return start, end
		}
	}
}

// Narrow computes what the start of a chain must be for its current address to match a rule's
// source. The yielded starts cover every such address; a tail that ends up within a segment
// counts as one segment.
func (s *Set) Narrow(rank int32, start, at Open, yield func(Open)) {
	c := s.rules[rank]
	segments, tail := c.source.segments, false
	if n := len(segments) - 1; n >= 0 && (c.rule.Kind == Prefix || segments[n].piece == rest) {
		segments, tail = segments[:n], true
	}
	opening{start, at}.path(segments, tail, 0, func(o opening) { yield(o.start) })
}

// NarrowSuffix computes what the start of a chain must be for the last segment of its current
// address to end in a text.
func NarrowSuffix(suffix string, start, at Open, yield func(Open)) {
	o := opening{start, at}
	n := len(o.at.segments()) - 1
	if n < 0 {
		return
	}
	if from, to := o.segment(n); isTail(o.at[from:to]) {
		if o.fresh() == firstTail {
			return
		}
		o = o.fill(o.at[from+1], appendHole(nil, o.fresh()))
	}
	o.back(n, 0, []byte(suffix), func(o opening, _ int) { yield(o.start) })
}

// path matches the address from segment i on with the remaining segments of a source.
func (o opening) path(source []segment, tail bool, i int, yield func(opening)) {
	from, to := o.segment(i)
	if from >= 0 && to == len(o.at) && isTail(o.at[from:to]) && (len(source) > 0 || !tail) {
		o.tail(source, tail, i, o.at[from+1], yield)
		return
	}
	if len(source) == 0 {
		if tail || from < 0 {
			yield(o)
		}
		return
	}
	if from < 0 {
		return
	}
	next := func(o opening) { o.path(source[1:], tail, i+1, yield) }
	seg := source[0]
	if seg.piece == literal {
		o.front(i, 0, []byte(seg.before), func(o opening, done int) {
			if from, to := o.segment(i); from+done == to {
				next(o)
			}
		})
		return
	}
	o.front(i, 0, []byte(seg.before), func(o opening, front int) {
		o.back(i, front, []byte(seg.after), func(o opening, back int) {
			if from, to := o.segment(i); to-from > front+back {
				next(o)
			}
		})
	})
}

// tail replaces the tail hole at the end by as many segments as the source has left.
func (o opening) tail(source []segment, more bool, i int, hole byte, yield func(opening)) {
	var text []byte
	fresh := o.fresh()
	if int(fresh)+len(source) > firstTail {
		return // no address has that many holes
	}
	for k := range source {
		if k > 0 {
			text = append(text, '/')
		}
		text = appendHole(text, fresh+byte(k))
	}
	o.fill(hole, text).path(source, more, i, yield)
	if more {
		o.fill(hole, appendHole(append(text, '/'), hole)).path(source, more, i, yield)
	}
}

// front matches a segment from byte done on with a text; a hole in it becomes a part of the text
// or begins with all of it.
func (o opening) front(i, done int, text []byte, yield func(opening, int)) {
	from, to := o.segment(i)
	rest := o.at[from+done : to]
	hole := rest.hole()
	switch {
	case len(text) == 0:
		yield(o, done)
	case len(rest) == 0:
	case hole == 0:
		if rest[0] == text[0] {
			o.front(i, done+1, text[1:], yield)
		}
	default:
		for n := 1; n <= len(text); n++ {
			o.fill(hole, text[:n]).front(i, done+n, text[n:], yield)
		}
		yield(o.fill(hole, appendHole(bytes.Clone(text), hole)), done+len(text))
	}
}

// back is front from the end of the segment, stopping at the bytes that front has matched. It
// yields how many bytes it matched.
func (o opening) back(i, front int, text []byte, yield func(opening, int)) {
	o.backFrom(i, front, 0, text, yield)
}

func (o opening) backFrom(i, front, done int, text []byte, yield func(opening, int)) {
	from, to := o.segment(i)
	if len(text) == 0 {
		yield(o, done)
		return
	}
	if from+front > to-done {
		return
	}
	rest := o.at[from+front : to-done]
	if len(rest) == 0 {
		return
	}
	last := len(text) - 1
	if len(rest) < 2 || rest[len(rest)-2:].hole() == 0 {
		if rest[len(rest)-1] == text[last] {
			o.backFrom(i, front, done+1, text[:last], yield)
		}
		return
	}
	hole := rest[len(rest)-1]
	for n := 1; n <= len(text); n++ {
		o.fill(hole, text[len(text)-n:]).backFrom(i, front, done+n, text[:len(text)-n], yield)
	}
	yield(o.fill(hole, append(appendHole(nil, hole), text...)), done+len(text))
}
