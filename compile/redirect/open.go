package redirect

import (
	"bytes"
	"strconv"
	"strings"
)

// Open is the key of many addresses at once: some of its bytes are holes, each of which
// represents a text that no rule mentions. A set treats an open address like every address of
// that form, unless a rule depends on the contents of a hole; Narrow then computes what the holes
// must be. The loop check follows open addresses through the same code that serves visitors.
//
// A hole is two bytes, the first of which never occurs in UTF-8. A segment hole is one byte or
// more of one segment, a tail hole zero segments or more. An open address begins with "/" and has
// no trailing one; the root is empty.
type Open []byte

const (
	holeMark  = 0xFF
	firstHole = 0x80
	firstTail = 0xC0 // holes from here on are tails
)

func appendHole(dst []byte, id byte) []byte { return append(dst, holeMark, id) }

// hole returns the id of the hole at the beginning of o, 0 for none.
func (o Open) hole() byte {
	if len(o) >= 2 && o[0] == holeMark && o[1] >= firstHole {
		return o[1]
	}
	return 0
}

// Closed reports whether an open address has no holes, so that it is a single address.
func (o Open) Closed() bool {
	for i := range o {
		if o[i:].hole() != 0 {
			return false
		}
	}
	return true
}

// Address formats an open address as a path that a visitor could send, with the holes as escaped
// bytes.
func (o Open) Address() string {
	if len(o) == 0 {
		return "/"
	}
	var dst []byte
	for _, c := range o {
		dst = appendEscaped(dst, c, c == '/' || c != '%' && inPath(c))
	}
	return string(dst)
}

// OpenKey returns the key of an address as an Open.
func (a *Address) OpenKey() Open {
	if len(a.Key) == 1 {
		return Open{}
	}
	return Open(bytes.Clone(a.Key))
}

// segments returns the segments of an open address.
func (o Open) segments() [][]byte {
	if len(o) == 0 {
		return nil
	}
	return bytes.Split(o[1:], []byte{'/'})
}

// isTail reports whether a segment is just a tail hole.
func isTail(segment []byte) bool {
	return len(segment) == 2 && segment[0] == holeMark && segment[1] >= firstTail
}

// HasTail reports whether the last segment is a tail hole.
func (o Open) HasTail() bool {
	segments := o.segments()
	return len(segments) > 0 && isTail(segments[len(segments)-1])
}

// Named formats an address for display, with words in place of its holes.
func Named(address string) string {
	const mark = "%FF%"
	var b strings.Builder
	for words := 1; ; words++ {
		before, after, found := strings.Cut(address, mark)
		b.WriteString(before)
		if !found || len(after) < 2 {
			return b.String()
		}
		b.WriteString("any" + strconv.Itoa(words))
		address = after[2:]
	}
}

// Free reports whether the first segment begins with a hole.
func (o Open) Free() bool {
	segments := o.segments()
	return len(segments) > 0 && Open(segments[0]).hole() != 0
}

// Fill replaces all occurrences of a hole by text; an empty tail is removed together with its
// slash.
func (o Open) Fill(hole byte, text []byte) Open {
	filled := bytes.ReplaceAll(o, []byte{holeMark, hole}, text)
	if len(text) > 0 {
		return filled
	}
	var dst Open
	for _, segment := range Open(filled).segments() {
		if len(segment) > 0 {
			dst = append(append(dst, '/'), segment...)
		}
	}
	return dst
}

// WithTail replaces the tail of an open address by a number of segment holes.
func (o Open) WithTail(segments int) Open {
	var tail []byte
	for i := range segments {
		if i > 0 {
			tail = append(tail, '/')
		}
		tail = appendHole(tail, o.fresh()+byte(i))
	}
	for i := range o {
		if id := o[i:].hole(); id >= firstTail {
			return o.Fill(id, tail)
		}
	}
	return o
}

// fresh returns the first unused id for a segment hole, or firstTail when all are used.
func (o Open) fresh() byte {
	next := byte(firstHole)
	for i := range o {
		if id := o[i:].hole(); id >= next && id < firstTail {
			next = id + 1
		}
	}
	return next
}

// Len returns the number of rules that take part in matching; their ranks are 0 to Len-1.
func (s *Set) Len() int { return len(s.rules) }

// Rule returns the rule of a rank. It is shared and must not be changed.
func (s *Set) Rule(rank int32) *Rule { return &s.rules[rank].rule }

// Source returns the source of a rule with its stars as holes. The source of an exact rule keeps
// its case, which page lookups depend on.
func (s *Set) Source(rank int32) Open { return s.rules[rank].open() }

func (c *compiled) open() Open {
	if c.rule.Kind == Exact {
		var a Address
		if a.Parse(c.rule.From) == nil {
			return a.Open()
		}
	}
	o, next := Open{}, byte(firstHole)
	for i, seg := range c.source.segments {
		o = append(o, '/')
		if seg.piece == rest || c.rule.Kind == Prefix && i == len(c.source.segments)-1 {
			return appendHole(o, firstTail)
		}
		o = append(o, seg.before...)
		if seg.piece == star {
			o = appendHole(o, next)
			next++
		}
		o = append(o, seg.after...)
	}
	return o
}

// send returns the Location of a rule for an address of its source, as Match and AppendLocation
// would write it if no other rule came first.
func (c *compiled) send(from Open) string {
	var a Address
	if a.Parse(from.Address()) != nil {
		return ""
	}
	m := Match{Rule: &c.rule, compiled: c}
	if c.rule.Kind != Exact {
		m.capture(&a)
	}
	return string(m.AppendLocation(nil, &a))
}

// hasTail reports whether a segment contains a tail hole.
func hasTail(segment []byte) bool {
	for i := range segment {
		if Open(segment[i:]).hole() >= firstTail {
			return true
		}
	}
	return false
}

// MatchPair computes what a hole in a query pair must be for the pair to equal a condition.
func MatchPair(pair, condition string) (hole byte, text []byte, ok bool) {
	const size = len("%FF%80")
	i := strings.Index(pair, "%FF%")
	if i < 0 || i+size > len(pair) || len(condition) < len(pair)-size+1 {
		return 0, nil, false
	}
	hole, ok = unescape(pair[i+len("%FF"):])
	before, after := pair[:i], pair[i+size:]
	if !ok || !strings.HasPrefix(condition, before) || !strings.HasSuffix(condition, after) {
		return 0, nil, false
	}
	for value := condition[len(before) : len(condition)-len(after)]; value != ""; {
		c, width := value[0], 1
		if c == '%' {
			if c, ok = unescape(value); !ok {
				return 0, nil, false
			}
			width = 3
		}
		text, value = append(text, c), value[width:]
	}
	return hole, text, true
}
