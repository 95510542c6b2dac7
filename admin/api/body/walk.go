package body

import (
	"bytes"
	"errors"
	"io"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"vitrine/internal/shop"
)

// walk reads a body once before it is decoded, and stops where the body exceeds a bound. It
// holds nothing that grows with the body, except a copy of a body with white space to cut. A
// search for all faults walks the same way and goes on.
type walk struct {
	dec      *jsontext.Decoder
	body     []byte
	cut      []byte          // the body up to the last cut, without the white space that was cut
	from     int             // end of the last cut
	refusals []*shop.Refusal // in which the codes of bounds are looked up
	names    int             // above 0 inside a type with its own unmarshaler: only names are checked
	ignored  Ignored
	search   *search // nil: stop at the first fault
}

var (
	errGoesOn  = shop.ErrInvalidRequest.With("the body has more data after its JSON value")
	errTooDeep = shop.ErrInvalidRequest.With("the body nests more than " + strconv.Itoa(MaxDepth) + " levels deep")
)

// walkOver checks a JSON text against a shape and returns the text to decode and the unknown
// names in it. An error that is not a refusal means invalid JSON.
func walkOver(body []byte, s *Shape, refusals []*shop.Refusal) ([]byte, Ignored, error) {
	w := walk{dec: decoderOf(body), body: body, refusals: refusals}
	if err := w.value(s); err != nil {
		return nil, w.ignored, err
	}
	if _, err := w.dec.ReadToken(); !errors.Is(err, io.EOF) {
		return nil, w.ignored, errGoesOn
	}
	if w.from > 0 {
		body = append(w.cut, body[w.from:]...)
	}
	return body, w.ignored, nil
}

func decoderOf(body []byte) *jsontext.Decoder {
	return jsontext.NewDecoder(bytes.NewBuffer(body), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
}

// value walks over one value.
func (w *walk) value(s *Shape) error {
	if w.search != nil {
		return w.examine(s)
	}
	return w.bounds(s)
}

// refuse stops the walk, or lets a search go on.
func (w *walk) refuse(r *shop.Refusal) error {
	if w.search != nil {
		return w.search.add(r, w.dec.InputOffset())
	}
	return r
}

// bounds walks over one value. A value of the wrong kind is skipped; the decoder refuses it.
func (w *walk) bounds(s *Shape) error {
	if s.decodesItself {
		w.names++
		defer func() { w.names-- }()
	}
	switch kind := w.dec.PeekKind(); {
	case kind == '{' && s.kind == object:
		return w.object(s)
	case kind == '{' && s.kind == dict:
		return w.dict(s)
	case kind == '[' && s.kind == list:
		return w.list(s)
	case kind == '"' && s.kind == text:
		return w.text(s)
	}
	return w.skip()
}

// open reads the opening bracket of a list or an object.
func (w *walk) open() error {
	if w.dec.StackDepth() == MaxDepth {
		return errTooDeep
	}
	return w.read()
}

func (w *walk) read() error {
	_, err := w.dec.ReadToken()
	return err
}

func (w *walk) object(s *Shape) error {
	if err := w.open(); err != nil {
		return err
	}
	for w.dec.PeekKind() != '}' {
		name, err := w.name()
		if err != nil {
			return err
		}
		if m := s.member(name); m == nil || name == "is_deleted" && w.dec.PeekKind() == 't' { // only DELETE deletes; false restores
			err = w.unread()
		} else {
			err = w.value(m)
		}
		if err != nil {
			return err
		}
	}
	return w.read()
}

// unread skips the value of a name that no field has.
func (w *walk) unread() error {
	w.ignored.add(w.dec)
	if w.search != nil && w.search.strict {
		if err := w.refuse(unknown(placeAt(w.dec))); err != nil {
			return err
		}
	}
	return w.skip()
}

// name reads the name of a field.
func (w *walk) name() (string, error) {
	raw, err := w.dec.ReadValue()
	if err != nil {
		return "", err
	}
	if len(raw) < 2 || bytes.IndexByte(raw, '\\') < 0 {
		return string(raw[min(1, len(raw)):max(len(raw)-1, 0)]), nil
	}
	unquoted, err := jsontext.AppendUnquote(nil, raw)
	return string(unquoted), err
}

func (w *walk) dict(s *Shape) error {
	if err := w.open(); err != nil {
		return err
	}
	found := w.search.found()
	for n := 0; w.dec.PeekKind() != '}'; n++ {
		if n == s.Max && w.names == 0 {
			if err := w.tooMany(s, found); err != nil {
				return err
			}
			break
		}
		if err := w.text(s); err != nil { // the name
			return err
		}
		if err := w.value(s.elem); err != nil {
			return err
		}
	}
	return w.read()
}

func (w *walk) list(s *Shape) error {
	if err := w.open(); err != nil {
		return err
	}
	found := w.search.found()
	for n := 0; w.dec.PeekKind() != ']'; n++ {
		if n == s.Max && w.names == 0 {
			if err := w.tooMany(s, found); err != nil {
				return err
			}
			break
		}
		if err := w.value(s.elem); err != nil {
			return err
		}
	}
	return w.read()
}

// text checks the length of a text, and cuts the white space around one that fits without it.
func (w *walk) text(s *Shape) error {
	raw, err := w.dec.ReadValue()
	if err != nil || s.Len == NoLen || w.names > 0 || len(raw)-2 <= s.Len {
		return err
	}
	all, inner := measure(raw, s.Len)
	if all <= s.Len {
		return nil
	}
	if s.Kept || inner.length > s.Len {
		return w.refuse(s.tooLong(placeAt(w.dec), w.refusals))
	}
	if w.search != nil {
		return nil
	}
	end := int(w.dec.InputOffset())
	start := end - len(raw)
	w.cut = append(slices.Grow(w.cut, len(w.body)-len(w.cut)), w.body[w.from:start+1]...)
	w.cut = append(w.cut, raw[inner.from:inner.to]...)
	w.from = end - 1
	return nil
}

// skip reads over a value that is only limited by MaxDepth.
func (w *walk) skip() error {
	for from := w.dec.StackDepth(); ; {
		var err error
		if kind := w.dec.PeekKind(); kind == '{' || kind == '[' {
			err = w.open()
		} else {
			err = w.read()
		}
		if err != nil || w.dec.StackDepth() == from {
			return err
		}
	}
}

// tooMany refuses the list or map at the decoder's position. A search forgets the faults after
// the first found, which are those of its entries, and skips the other entries.
func (w *walk) tooMany(s *Shape, found int) error {
	place := placeAt(w.dec)
	if w.search != nil {
		w.search.faults = w.search.faults[:found]
	}
	if err := w.refuse(s.tooMany(place[:max(strings.LastIndexAny(place, ".["), 0)], w.refusals)); err != nil {
		return err
	}
	for kind := w.dec.PeekKind(); kind != ']' && kind != '}'; kind = w.dec.PeekKind() {
		if err := w.search.goesOn(w.dec.InputOffset()); err != nil {
			return err
		}
		if err := w.skip(); err != nil {
			return err
		}
	}
	return nil
}

func (b Bound) tooMany(place string, refusals []*shop.Refusal) *shop.Refusal {
	return byCode(refusals, b.Code, shop.ErrInvalidRequest).At(place).With("at most " + strconv.Itoa(b.Max))
}

func (b Bound) tooLong(place string, refusals []*shop.Refusal) *shop.Refusal {
	return byCode(refusals, b.Code, ErrTextTooLong).At(place).With("at most " + strconv.Itoa(b.Len) + " characters")
}

// Fit checks a text against the bound and returns it, trimmed if it fits only without the white
// space around it. It is for fields that are not set from JSON.
func (b Bound) Fit(field, text string, refusals []*shop.Refusal) (string, error) {
	if b.holds(text) {
		return text, nil
	}
	if trimmed := strings.TrimSpace(text); !b.Kept && b.holds(trimmed) {
		return trimmed, nil
	}
	return text, b.tooLong(field, refusals)
}

func (b Bound) holds(text string) bool {
	return b.Len == NoLen || len(text) <= b.Len || utf8.RuneCountInString(text) <= b.Len
}

// CheckCount checks the number of entries of a list against the bound.
func (b Bound) CheckCount(field string, n int, refusals []*shop.Refusal) error {
	if n <= b.Max {
		return nil
	}
	return b.tooMany(field, refusals)
}

// byCode returns the refusal with a code.
func byCode(refusals []*shop.Refusal, code string, otherwise *shop.Refusal) *shop.Refusal {
	if code == shop.ErrInvalidRequest.Code {
		return shop.ErrInvalidRequest
	}
	if i := slices.IndexFunc(refusals, func(r *shop.Refusal) bool { return r.Code == code }); i >= 0 {
		return refusals[i]
	}
	return otherwise
}

// part is a text in JSON without the white space around it.
type part struct {
	from, to int // indexes of bytes
	length   int // in characters
}

// measure counts the characters of a quoted text, with and without the white space around them.
// It stops beyond most characters that are not white space. An escape counts as the character
// it stands for.
func measure(raw []byte, most int) (all int, inner part) {
	inner.from, inner.to = 1, 1
	for i, leading := 1, 0; i < len(raw)-1 && inner.length <= most; all++ {
		char, size := character(raw[i:])
		i += size
		switch {
		case !unicode.IsSpace(char):
			inner.to, inner.length = i, all+1-leading
		case inner.length == 0:
			inner.from, inner.to, leading = i, i, all+1
		}
	}
	return all, inner
}

// character returns the first character of a text in JSON and its size in bytes. It need not
// tell apart the escapes of characters that are not white space.
func character(raw []byte) (char rune, size int) {
	if raw[0] != '\\' {
		return utf8.DecodeRune(raw)
	}
	size = escape(raw)
	switch raw[1] {
	case 'n', 't', 'r', 'f':
		return ' ', size
	case 'u':
		if n, err := strconv.ParseUint(string(raw[2:6]), 16, 32); err == nil {
			return rune(n), size
		}
	}
	return utf8.RuneError, size
}

// escape returns the length of the escape at the beginning of a text; a surrogate pair counts
// as one escape.
func escape(raw []byte) int {
	if raw[1] != 'u' {
		return 2
	}
	if len(raw) >= 12 && raw[6] == '\\' && raw[7] == 'u' && surrogate(raw[2:], "89abAB") && surrogate(raw[8:], "cdefCDEF") {
		return 12
	}
	return 6
}

func surrogate(hex []byte, second string) bool {
	return (hex[0] == 'd' || hex[0] == 'D') && strings.IndexByte(second, hex[1]) >= 0
}
