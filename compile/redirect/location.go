package redirect

// span is a run of bytes of Address.Decoded.
type span struct{ start, end uint16 }

// Match is a rule that answers an address.
type Match struct {
	Rule     *Rule // shared with the Set; not to be changed
	compiled *compiled
	stars    [maxStars]span // of a mask, left to right
	tail     span           // of a prefix
}

// Status returns the status that is sent: the rule's own code before the page is looked up, 308
// for 301 and 307 for 302 after it (document 3, 4.5).
func (m *Match) Status(p Phase) int {
	switch {
	case p != Plain:
		return m.Rule.Code
	case m.Rule.Code == 302:
		return 307
	}
	return 308
}

// AppendLocation appends the Location of a match: the target with its stars or tail, and the
// visitor's query. The address must be the one that was matched. The result never leaves the
// shop's host unless the rule is external.
func (m *Match) AppendLocation(dst []byte, a *Address) []byte {
	t := &m.compiled.target
	dst = m.appendParts(dst, a, t.path, inPath)
	if m.tail.end > m.tail.start {
		if dst[len(dst)-1] != '/' {
			dst = append(dst, '/')
		}
		dst = a.appendTyped(dst, int(m.tail.start), int(m.tail.end), inPath)
	}
	start := len(dst)
	if len(t.query) > 0 {
		dst = m.appendParts(append(dst, '?'), a, t.query, inQueryValue)
	}
	dst = mergeQuery(dst, start, a.Query, m.Rule.DropQuery)
	if len(t.fragment) > 0 {
		dst = m.appendParts(append(dst, '#'), a, t.fragment, inPath)
	}
	return dst
}

// appendParts appends the parts with their stars filled in. Where ** was empty, the slashes
// around it become one: /$1/x must not become //x.
func (m *Match) appendParts(dst []byte, a *Address, parts []part, keep func(byte) bool) []byte {
	for i, p := range parts {
		if p.star > 0 {
			s := m.stars[p.star-1]
			dst = a.appendTyped(dst, int(s.start), int(s.end), keep)
			continue
		}
		text := p.text
		if i > 0 && text[0] == '/' && dst[len(dst)-1] == '/' {
			text = text[1:]
		}
		dst = append(dst, text...)
	}
	return dst
}

// capture locates the stars of a mask or the tail of a prefix in an address that matches it.
func (m *Match) capture(a *Address) {
	segments := m.compiled.source.segments
	if m.Rule.Kind == Prefix {
		m.tail = span{uint16(a.tail(len(segments) - 1)), uint16(len(a.Key))}
		return
	}
	n := 0
	for i, seg := range segments {
		start := a.tail(i)
		switch seg.piece {
		case star:
			end := int(a.cuts[i+1])
			m.stars[n] = span{uint16(start + len(seg.before)), uint16(end - len(seg.after))}
			n++
		case rest:
			m.stars[n] = span{uint16(start), uint16(len(a.Key))}
			n++
		}
	}
}
