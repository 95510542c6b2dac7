package compile

import (
	"slices"
	"strings"

	"vitrine/compile/redirect"
	"vitrine/internal/shop"
)

// shape is the path of a mask or prefix, or of its target, as the loop check
// reads it: one piece per segment and, where the last one is **, the star that
// takes whatever follows. A prefix is a mask that ends in **, and its target
// ends in that star.
type shape struct {
	pieces []piece
	rest   int // number of the star that ends the path; 0 for none
}

// piece is one segment: before, a star, after; without a star the literal is
// in before. All in key form.
type piece struct {
	before, after string
	star          int
}

// fillers stand for stars about which nothing is known. They differ so much
// that hardly another rule takes all of them.
var fillers = [...]string{"p0q", "zz", "0", "x-9"}

// sourceShape reads the source of a mask or prefix.
func sourceShape(rule *redirect.Rule) shape {
	var sh shape
	star := 0
	for _, segment := range split(rule.Key()) {
		before, after, found := strings.Cut(segment, "*")
		if found {
			star++
		}
		if segment == "**" || segment == "*" && rule.Kind == redirect.Prefix {
			sh.rest = star
			break
		}
		p := piece{before: before, after: after}
		if found {
			p.star = star
		}
		sh.pieces = append(sh.pieces, p)
	}
	return sh
}

// targetShape reads the path of a target. It fails on what has no shape: two
// stars in one segment, which the probes of the rule itself have to cover.
func targetShape(path string, prefix bool) (shape, bool) {
	key, err := redirect.Key(path)
	if err != nil {
		return shape{}, false
	}
	var sh shape
	for _, segment := range split(key) {
		p, ok := targetPiece(segment)
		if !ok {
			return shape{}, false
		}
		sh.pieces = append(sh.pieces, p)
	}
	if prefix {
		sh.rest = 1
	}
	return sh, true
}

func targetPiece(segment string) (piece, bool) {
	p := piece{before: segment}
	for i := 0; i+1 < len(segment); i++ {
		if c := segment[i+1]; segment[i] == '$' && c >= '1' && c <= '9' {
			if p.star != 0 {
				return piece{}, false
			}
			p = piece{before: segment[:i], after: segment[i+2:], star: int(c - '0')}
		}
	}
	return p, true
}

// openEnd turns the last segment of a target into the rest of the path where
// its star is the ** of the source.
func (sh shape) openEnd(rest int) shape {
	if n := len(sh.pieces); rest != 0 && n > 0 && sh.pieces[n-1] == (piece{star: rest}) {
		return shape{pieces: sh.pieces[:n-1], rest: rest}
	}
	return sh
}

// split cuts a key into segments; the root has none.
func split(key string) []string {
	if key = strings.TrimPrefix(key, "/"); key == "" {
		return nil
	}
	return strings.Split(key, "/")
}

// head is the first segment where it is a literal, else "*".
func (sh shape) head() string {
	if len(sh.pieces) == 0 || sh.pieces[0].star != 0 {
		return "*"
	}
	return sh.pieces[0].before
}

// grown is the shape with its open end replaced by free segments, so that it
// has n; nothing when it cannot have as many.
func (sh shape) grown(n int) []piece {
	switch {
	case len(sh.pieces) == n:
		return sh.pieces
	case len(sh.pieces) > n || sh.rest == 0:
		return nil
	}
	pieces := slices.Clone(sh.pieces)
	for len(pieces) < n {
		pieces = append(pieces, piece{star: sh.rest})
	}
	return pieces
}

// meet builds the path of an address that both shapes match.
func meet(a, b shape, filler string) (string, bool) {
	n := max(len(a.pieces), len(b.pieces))
	left, right := a.grown(n), b.grown(n)
	if n == 0 || left == nil || right == nil {
		return "", false
	}
	var path []byte
	for i := range left {
		segment, ok := left[i].meet(right[i], filler)
		if !ok {
			return "", false
		}
		path = appendSegment(append(path, '/'), segment)
	}
	return string(path), true
}

func (p piece) meet(q piece, filler string) (string, bool) {
	switch {
	case p.star == 0 && q.star == 0:
		return p.before, p.before == q.before
	case p.star == 0:
		_, ok := q.value(p.before)
		return p.before, ok
	case q.star == 0:
		_, ok := p.value(q.before)
		return q.before, ok
	}
	before, after := p.before, p.after
	if len(q.before) > len(before) {
		before = q.before
	}
	if len(q.after) > len(after) {
		after = q.after
	}
	ok := strings.HasPrefix(before, p.before) && strings.HasPrefix(before, q.before) &&
		strings.HasSuffix(after, p.after) && strings.HasSuffix(after, q.after)
	return before + filler + after, ok
}

// value is what the star of a piece takes from a segment.
func (p piece) value(segment string) (string, bool) {
	if len(segment) <= len(p.before)+len(p.after) ||
		!strings.HasPrefix(segment, p.before) || !strings.HasSuffix(segment, p.after) {
		return "", false
	}
	return segment[len(p.before) : len(segment)-len(p.after)], true
}

// backwards builds the path that a rule turns into a key, unless the rule has
// been used on the way.
func (b *bend) backwards(key string, used []shop.RuleID) (string, bool) {
	if slices.Contains(used, b.id) {
		return "", false
	}
	segments := split(key)
	n := len(b.target.pieces)
	if len(segments) < n || len(segments) > n && b.target.rest == 0 {
		return "", false
	}
	var stars [10]string
	for i, p := range b.target.pieces {
		if p.star == 0 {
			if p.before != segments[i] {
				return "", false
			}
			continue
		}
		value, ok := p.value(segments[i])
		if !ok || stars[p.star] != "" && stars[p.star] != value {
			return "", false
		}
		stars[p.star] = value
	}
	return b.source.fill(stars, segments[n:]), true
}

// filled writes a source with one text in all its stars and n segments of it
// at an open end.
func (sh shape) filled(text string, n int) string {
	var stars [10]string
	for i := range stars {
		if i != sh.rest {
			stars[i] = text
		}
	}
	return sh.fill(stars, slices.Repeat([]string{text}, n))
}

// filledOne writes a source with one star known.
func (sh shape) filledOne(star int, text string) string {
	var stars [10]string
	stars[star] = text
	return sh.fill(stars, nil)
}

// stars is the number of the last star.
func (sh shape) stars() int {
	n := sh.rest
	for _, p := range sh.pieces {
		n = max(n, p.star)
	}
	return n
}

// fill writes a source with its stars filled in.
func (sh shape) fill(stars [10]string, rest []string) string {
	var path []byte
	for _, p := range sh.pieces {
		segment := p.before
		if p.star != 0 {
			value := stars[p.star]
			if value == "" {
				value = fillers[0]
			}
			segment += value + p.after
		}
		path = appendSegment(append(path, '/'), segment)
	}
	if sh.rest != 0 {
		if value := stars[sh.rest]; value != "" {
			path = appendSegment(append(path, '/'), value)
		}
		for _, segment := range rest {
			path = appendSegment(append(path, '/'), segment)
		}
	}
	if len(path) == 0 {
		return "/"
	}
	return string(path)
}
