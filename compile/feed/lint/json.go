package lint

import (
	"bytes"
	"encoding/json"
	"strings"
)

// reader compares records of JSON lines with their shapes. The lines are well-formed, because
// the render checked them; what is not is skipped.
type reader struct {
	c     *checker
	end   int    // of the record
	facts []fact // scalars of the record, in order
}

// space returns the offset of the next byte that is not white space.
func (r *reader) space(at int) int {
	for at < r.end && strings.IndexByte(" \t\r\n,:\xef\xbb\xbf", r.c.out[at]) >= 0 {
		at++
	}
	return at
}

// value reads the value at an offset and returns the offset after it. A nil shape allows
// everything.
func (r *reader) value(at int, name string, s *shape) int {
	if at >= r.end {
		return r.end
	}
	first := r.c.out[at]
	if s != nil && !s.allows(first) {
		r.c.find(at, "type", name+" is not "+s.String())
		s = nil
	}
	switch first {
	case '{':
		return r.object(at, name, s)
	case '[':
		for at = r.space(at + 1); at < r.end && r.c.out[at] != ']'; at = r.space(at) {
			at = r.value(at, name, s.element())
		}
		return min(at+1, r.end)
	}
	after := r.scalar(at)
	if s == acpCount && bytes.ContainsAny(r.c.out[at:after], ".eE") {
		r.c.find(at, "type", name+" is not a whole number")
	}
	if s != nil {
		r.facts = append(r.facts, fact{name, text(r.c.out[at:after]), at})
	}
	return after
}

// object reads an object, and checks its fields.
func (r *reader) object(at int, name string, s *shape) int {
	from, start := len(r.facts), at
	seen := uint64(0) // of the required fields
	for at = r.space(at + 1); at < r.end && r.c.out[at] == '"'; at = r.space(at) {
		key := r.scalar(at)
		raw := r.c.out[at+1 : max(key-1, at+1)]
		if s == nil {
			at = r.value(r.space(key), "", nil)
			continue
		}
		f, known := s.object[string(raw)]
		if !known {
			r.c.find(at, "field", name+" has no field "+quoted(string(raw)))
		}
		for i, required := range s.required {
			if string(raw) == required {
				seen |= 1 << i
			}
		}
		at = r.value(r.space(key), f.fact, f.shape)
	}
	if s != nil {
		for i, required := range s.required {
			if seen&(1<<i) == 0 {
				r.c.find(start, "missing", name+" has no "+required)
			}
		}
		if s.done != nil {
			s.done(r.c, &entry{at: start, facts: r.facts[from:]})
		}
	}
	return min(at+1, r.end)
}

// scalar returns the offset after a text, a number or a word.
func (r *reader) scalar(at int) int {
	if r.c.out[at] != '"' {
		for start := at; at < r.end && strings.IndexByte(",:]} \t\r", r.c.out[at]) < 0 || at == start; {
			at++
		}
		return at
	}
	for at++; at < r.end && r.c.out[at] != '"'; at++ {
		if r.c.out[at] == '\\' {
			at++
		}
	}
	return min(at+1, r.end)
}

// text returns the text of a scalar.
func text(raw []byte) string {
	if len(raw) < 2 || raw[0] != '"' {
		return string(raw)
	}
	if inner := string(raw[1 : len(raw)-1]); strings.IndexByte(inner, '\\') < 0 {
		return inner
	}
	var s string
	_ = json.Unmarshal(raw, &s) // fails only where the render found the fault
	return s
}

func (s *shape) allows(first byte) bool {
	switch {
	case s.object != nil:
		return first == '{'
	case s.list != nil:
		return first == '['
	case s.scalar == '0':
		return '0' <= first && first <= '9' || first == '-'
	case s.scalar == 't':
		return first == 't' || first == 'f'
	}
	return first == s.scalar
}

// element is the shape of the elements of a list.
func (s *shape) element() *shape {
	if s == nil {
		return nil
	}
	return s.list
}

// String names the shape for messages.
func (s *shape) String() string {
	switch {
	case s.object != nil:
		return "an object"
	case s.list != nil:
		return "a list"
	case s.scalar == '0':
		return "a number"
	case s.scalar == 't':
		return "true or false"
	}
	return "a text"
}
