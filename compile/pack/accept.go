package pack

import "bytes"

// Accepted chooses a coding by Accept-Encoding (RFC 9110, section 12.5.3): the highest weight
// wins; among equals brotli precedes gzip, and gzip precedes the plain body, which is "". A weight
// of 0 forbids a coding; "*" stands for codings that are not named. If all codings are forbidden,
// the body is plain.
func Accepted(accept []byte, withBrotli bool) Coding {
	if len(accept) == 0 {
		return ""
	}
	plain, zipped, brotli, others := -1, -1, -1, -1 // weights in thousandths; -1: not named
	for rest := accept; len(rest) > 0; {
		var item []byte
		item, rest = cut(rest, ',')
		name, params := cut(item, ';')
		weight := quality(params)
		switch name = bytes.TrimSpace(name); {
		case equalFold(name, "br"):
			brotli = weight
		case equalFold(name, "gzip"), equalFold(name, "x-gzip"):
			zipped = weight
		case equalFold(name, "identity"):
			plain = weight
		case len(name) == 1 && name[0] == '*':
			others = weight
		}
	}
	top := plain
	if top < 0 {
		top = max(others, 0) // acceptable, but last among those that are named
	}
	best := Coding("")
	for _, offer := range []struct {
		coding Coding
		weight int
	}{{Gzip, zipped}, {Brotli, brotli}} {
		if offer.coding == Brotli && !withBrotli {
			continue
		}
		w := offer.weight
		if w < 0 {
			w = others
		}
		if w > 0 && w >= top {
			best, top = offer.coding, w
		}
	}
	return best
}

// cut splits at the first separator without allocating.
func cut(b []byte, sep byte) (head, tail []byte) {
	if i := bytes.IndexByte(b, sep); i >= 0 {
		return b[:i], b[i+1:]
	}
	return b, nil
}

// quality reads the weight among the parameters of an item, in thousandths. An unreadable
// weight counts as 0.
func quality(params []byte) int {
	for len(params) > 0 {
		var p []byte
		p, params = cut(params, ';')
		p = bytes.TrimSpace(p)
		if len(p) < 2 || p[0]|0x20 != 'q' || p[1] != '=' {
			continue
		}
		return thousandths(p[2:])
	}
	return 1000
}

func thousandths(q []byte) int {
	if len(q) == 0 || len(q) > 5 || q[0] != '0' && q[0] != '1' || len(q) > 1 && q[1] != '.' {
		return 0
	}
	value, unit := int(q[0]-'0')*1000, 100
	for _, c := range q[min(2, len(q)):] {
		if c < '0' || c > '9' {
			return 0
		}
		value += int(c-'0') * unit
		unit /= 10
	}
	return min(value, 1000)
}

func equalFold(b []byte, lower string) bool {
	if len(b) != len(lower) {
		return false
	}
	for i, c := range b {
		if c >= 'A' && c <= 'Z' {
			c += 'a' - 'A'
		}
		if c != lower[i] {
			return false
		}
	}
	return true
}
