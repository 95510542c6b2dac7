package redirect

import (
	"iter"
	"maps"
	"strings"
)

// A probe is an address made from the source of a rule, with a word in place of each
// star. A word is two bytes of invalid UTF-8, so it occurs in no rule and no page, and no
// mask cuts it in two. A set answers a probe like any address that has texts there
// which no rule mentions.
const (
	Mark       = "\xff"  // begins a word in a key
	firstStar  = 0x81    // the second byte of words for stars
	firstTail  = 0xA1    // of the words of a tail
	lastTail   = 0xAF    // of all its words from here on
	typedStars = "%FF%8" // how words for stars begin in an address
	typedTails = "%FF%A" // how words of a tail do
)

// Probe returns the percent-encoded source of a rule with a word for each star and a tail
// of tail words. For an exact rule it returns the source as typed, with its condition.
func (s *Set) Probe(rank int32, tail int) string {
	c := s.rules[rank]
	if c.rule.Kind == Exact {
		return strings.TrimSuffix(c.rule.From+"?"+c.rule.QueryMatch, "?")
	}
	var key []byte
	word := byte(firstStar)
	fixed, tailed := c.fixed()
	for _, seg := range fixed {
		key = append(append(key, '/'), seg.before...)
		if seg.piece == star {
			key = append(key, Mark[0], word)
			word++
		}
		key = append(key, seg.after...)
	}
	if tailed {
		for i := range tail {
			key = append(key, '/', Mark[0], byte(min(firstTail+i, lastTail)))
		}
	}
	return "/" + strings.TrimPrefix(typed(string(key)), "/")
}

// fixed returns the segments of a source without its tail.
func (c *compiled) fixed() (segments []segment, tailed bool) {
	segments = c.source.segments
	n := len(segments) - 1
	if n >= 0 && (c.rule.Kind == Prefix || segments[n].piece == rest) {
		return segments[:n], true
	}
	return segments, false
}

// Tailed reports whether a rule matches addresses of different lengths.
func (s *Set) Tailed(rank int32) bool {
	_, tailed := s.rules[rank].fixed()
	return tailed
}

// MovesTail reports whether the target of a mask has its tail elsewhere than alone in
// its last segment.
func (s *Set) MovesTail(rank int32) bool {
	path, star := s.rules[rank].target.path, s.rules[rank].source.stars
	for i, p := range path {
		if p.star == star && s.Tailed(rank) && (i < len(path)-1 || !strings.HasSuffix(path[i-1].text, "/")) {
			return true
		}
	}
	return false
}

// LeadsAnywhere reports whether the target of a rule begins with a star.
func (s *Set) LeadsAnywhere(rank int32) bool {
	c := s.rules[rank]
	path := c.target.path
	if c.target.external {
		path = path[1:]
	}
	return (len(path) == 0 || path[0].text == "/") && (len(path) > 1 || c.rule.Kind == Prefix)
}

// typed percent-encodes a key.
func typed(key string) string {
	var dst []byte
	for i := range len(key) {
		dst = appendEscaped(dst, key[i], inPath(key[i]))
	}
	return string(dst)
}

// Fill replaces a word of a probe by a text, both as in a key.
func Fill(probe, word, text string) string {
	return strings.ReplaceAll(probe, typed(word), typed(text))
}

// Readable replaces the words of a probe by words for people: any1, any2.
func Readable(probe string) string {
	return strings.NewReplacer(typedStars, "any", typedTails, "tail").Replace(probe)
}

// IsTail reports whether a word belongs to a tail.
func IsTail(word string) bool { return word[1] >= firstTail }

// Segments splits a key; the root has no segments.
func Segments(key string) []string {
	if key == "/" {
		return nil
	}
	return strings.Split(key[1:], "/")
}

// ends returns the texts before the first word of a segment and after the last one.
func ends(here string) (head, foot string, open bool) {
	first := strings.Index(here, Mark)
	if first < 0 {
		return here, here, false
	}
	return here[:first], here[min(strings.LastIndex(here, Mark)+2, len(here)):], true
}

// mayMatch reports whether a segment may match if its words are replaced by other texts. It
// can be wrong where one word would need two different texts.
func (s segment) mayMatch(here string) bool {
	head, foot, open := ends(here)
	more := len(here) - len(s.before) - len(s.after)
	switch {
	case !open && (more < 0 || more == 0 && s.piece == star || more > 0 && s.piece == literal):
		return false
	case !open:
		return strings.HasPrefix(here, s.before) && strings.HasSuffix(here, s.after)
	case s.piece == literal:
		return len(s.before) > len(head)+len(foot) && strings.HasPrefix(s.before, head) && strings.HasSuffix(s.before, foot)
	}
	n, m := min(len(head), len(s.before)), min(len(foot), len(s.after))
	return head[:n] == s.before[:n] && foot[len(foot)-m:] == s.after[len(s.after)-m:]
}

// fill yields the texts that bring one word of a segment closer to a match: the first or
// the last word, if s has more text next to it. It reports whether there is such a word;
// otherwise the segment matches already.
func (s segment) fill(here string, yield func(word, text string)) bool {
	head, foot, open := ends(here)
	var word string
	var texts []string
	switch {
	case !open:
	case len(s.before) > len(head):
		more := s.before[len(head):]
		for n := range more {
			texts = append(texts, more[:n+1])
		}
		if word = here[len(head) : len(head)+2]; s.piece != literal {
			texts = append(texts, more+word)
		}
	case len(s.after) > len(foot):
		end, more := len(here)-len(foot), s.after[:len(s.after)-len(foot)]
		for n := range more {
			texts = append(texts, more[n:])
		}
		word = here[end-2 : end]
		texts = append(texts, word+more)
	}
	for _, text := range texts {
		if s.mayMatch(strings.ReplaceAll(here, word, text)) {
			yield(word, text)
		}
	}
	return len(texts) > 0
}

// MayMatch reports whether a rule may match an address if its words are replaced by other
// texts. It can be wrong where one word would need two different texts.
func (s *Set) MayMatch(rank int32, segments []string) bool {
	fixed, tailed := s.rules[rank].fixed()
	if len(segments) < len(fixed) || !tailed && len(segments) > len(fixed) {
		return false
	}
	for i, seg := range fixed {
		if !seg.mayMatch(segments[i]) {
			return false
		}
	}
	return true
}

// Fit yields the texts that bring one word of an address closer to the source of a rule.
// Applied repeatedly, they reach every address of that form that the rule matches.
func (s *Set) Fit(rank int32, segments []string, yield func(word, text string)) {
	if !s.MayMatch(rank, segments) {
		return
	}
	fixed, _ := s.rules[rank].fixed()
	for i, seg := range fixed {
		if seg.fill(segments[i], yield) {
			return
		}
	}
}

// FitHTML is Fit for the .html hop.
func FitHTML(segments []string, yield func(word, text string)) {
	segment{piece: rest, after: ".html"}.fill(segments[len(segments)-1], yield)
}

// Conditions yields the ranks of the exact rules of an address that have a condition.
func (s *Set) Conditions(a *Address) iter.Seq[int32] {
	return func(yield func(int32) bool) {
		if h := s.holders(a); h != nil {
			maps.Values(h.conditions)(yield)
		}
	}
}
