package redirect

import (
	"errors"
	"slices"
	"strings"

	"vitrine/internal/shop"
)

// MaxPath is the length in bytes above which a path answers 414.
const MaxPath = 8192

// Reasons for refusing an address (CONTRACT, "Redirects"). Neither answer is logged.
var (
	// ErrBadAddress is a broken percent-escape or a control character: 400.
	ErrBadAddress = errors.New("bad address")
	// ErrAddressTooLong is a path above MaxPath: 414.
	ErrAddressTooLong = errors.New("address too long")
)

// Address is a parsed address of a request. The zero value is ready for Parse; reusing one avoids
// allocations.
type Address struct {
	Path     string // as sent, before "?"
	Query    string // as sent, without "?"
	HasQuery bool
	Decoded  []byte // decoded once, case kept, repeated "/" collapsed, no trailing "/"; "/" for the root
	Key      []byte // Decoded with ASCII letters lower-cased: the comparison key
	Dots     bool   // has a segment "." or "..": matches no rule, 404 unlogged

	pos  []uint16 // offset in Path of each byte of Decoded; empty when both offsets are equal
	cuts []uint16 // offset of each segment's "/" in Key, then the length of Key; one entry for the root

	set     *Set     // the set that holders was looked up in
	holders *holders // exact rules of this key in set, nil if there are none
}

// Parse parses a request target: "/path?query". A fragment is dropped, because it is not part of
// a request. The address refers to target and is valid until the next Parse. Errors are
// ErrBadAddress and ErrAddressTooLong; the address then matches no rule.
func (a *Address) Parse(target string) error {
	a.reset()
	target, _, _ = strings.Cut(target, "#")
	a.Path, a.Query, a.HasQuery = strings.Cut(target, "?")
	if len(a.Path) > MaxPath {
		return ErrAddressTooLong
	}
	if a.Path == "" || a.Path[0] != '/' || !a.decode() {
		a.cuts = a.cuts[:0]
		return ErrBadAddress
	}
	a.cut()
	return nil
}

func (a *Address) reset() {
	a.Path, a.Query, a.HasQuery, a.Dots = "", "", false, false
	a.Decoded, a.Key = a.Decoded[:0], a.Key[:0]
	a.pos, a.cuts = a.pos[:0], a.cuts[:0]
	a.set, a.holders = nil, nil
}

// decode fills Decoded, Key, pos and cuts. It returns false for broken escapes and control
// characters.
func (a *Address) decode() bool { return a.copies() || a.translate() }

// translate is the general implementation of decode.
func (a *Address) translate() bool {
	a.cuts = a.cuts[:0]
	path, last, n := a.Path, byte(0), 0
	decoded := slices.Grow(a.Decoded[:0], len(path))[:len(path)]
	key := slices.Grow(a.Key[:0], len(path))[:len(path)]
	pos := slices.Grow(a.pos[:0], len(path))[:len(path)]
	for i := 0; i < len(path); i++ {
		c, at := path[i], i
		if c == '%' {
			var ok bool
			if c, ok = unescape(path[i:]); !ok {
				return false
			}
			i += 2
		}
		if c == '/' {
			if last == '/' {
				continue
			}
			a.cuts = append(a.cuts, uint16(n))
		} else if c < 0x20 || c == 0x7f {
			return false
		}
		last = c
		decoded[n], key[n], pos[n] = c, lower(c), uint16(at)
		n++
	}
	if n > 1 && last == '/' {
		n--
		a.cuts = a.cuts[:len(a.cuts)-1]
	}
	a.Decoded, a.Key, a.pos = decoded[:n], key[:n], pos[:n]
	return true
}

// Byte classes used by copies.
const (
	plainByte = iota
	slashByte
	upperByte
	otherByte // an escape or a control character
)

var byteClass = func() (class [256]uint8) {
	for c := range class {
		switch {
		case c == '/':
			class[c] = slashByte
		case 'A' <= c && c <= 'Z':
			class[c] = upperByte
		case c == '%', c < 0x20, c == 0x7f:
			class[c] = otherByte
		}
	}
	return class
}()

// copies is decode for most paths, which contain no escapes: every byte is copied as it is. It
// returns false for all others.
func (a *Address) copies() bool {
	path, upper, slash := a.Path, false, -1
	for i := range len(path) {
		switch byteClass[path[i]] {
		case slashByte:
			if slash == i-1 && i > 0 {
				return false
			}
			slash = i
			a.cuts = append(a.cuts, uint16(i))
		case upperByte:
			upper = true
		case otherByte:
			return false
		}
	}
	if len(path) > 1 && slash == len(path)-1 {
		path = path[:slash]
		a.cuts = a.cuts[:len(a.cuts)-1]
	}
	a.Decoded, a.Key = append(a.Decoded[:0], path...), append(a.Key[:0], path...)
	if upper {
		for i, c := range a.Key {
			a.Key[i] = lower(c)
		}
	}
	return true
}

// place returns the offset in Path of byte i of Decoded.
func (a *Address) place(i int) int {
	if len(a.pos) == 0 {
		return i
	}
	return int(a.pos[i])
}

// cut ends the last segment and detects dot segments.
func (a *Address) cut() {
	if len(a.Key) > 1 {
		a.cuts = append(a.cuts, uint16(len(a.Key)))
	}
	for i := range a.segments() {
		if s := a.segment(i); s[0] == '.' && (len(s) == 1 || len(s) == 2 && s[1] == '.') {
			a.Dots = true
		}
	}
}

// segments returns the number of segments of the path; the root has none.
func (a *Address) segments() int { return max(len(a.cuts)-1, 0) }

// segment returns the key of one segment.
func (a *Address) segment(i int) []byte { return a.Key[a.cuts[i]+1 : a.cuts[i+1]] }

// tail returns the offset where segment i begins, or the length of the key when there is none.
func (a *Address) tail(i int) int {
	if i < a.segments() {
		return int(a.cuts[i]) + 1
	}
	return len(a.Key)
}

// Key returns the comparison key of a stored path: a rule's source, the path of a category
// (document 3, 2.6). A query, a fragment, dot segments and everything that Parse refuses are
// errors.
func Key(path string) (string, error) {
	var a Address
	if err := a.Parse(path); err != nil {
		return "", err
	}
	if a.Dots || len(a.Path) != len(path) {
		return "", ErrBadAddress
	}
	return string(a.Key), nil
}

// unescape decodes the percent-escape at the beginning of s.
func unescape(s string) (byte, bool) {
	if len(s) < 3 {
		return 0, false
	}
	hi, lo := shop.HexDigit(s[1]), shop.HexDigit(s[2])
	return byte(hi<<4 | lo), hi >= 0 && lo >= 0
}

func lower(c byte) byte {
	if 'A' <= c && c <= 'Z' {
		return c + 'a' - 'A'
	}
	return c
}
