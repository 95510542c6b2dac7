package api

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"vitrine/internal/shop"
)

// walk reads a body once before it is decoded, and stops where the body exceeds a bound. It
// holds nothing that grows with the body.
type walk struct {
	dec     *jsontext.Decoder
	row     Refusals // refusals in which the codes of bounds are looked up
	names   int      // above 0 inside a type with its own unmarshaler: only names are checked
	ignored ignored
}

var errGoesOn = shop.ErrInvalidRequest.With("the body has more data after its JSON value")

// walkOver checks a JSON text against a shape and returns the unknown names in it. An error
// that is not a refusal means invalid JSON.
func walkOver(body []byte, s *shape, row Refusals) (ignored, error) {
	w := walk{row: row}
	w.dec = jsontext.NewDecoder(bytes.NewBuffer(body), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	if err := w.value(s); err != nil {
		return w.ignored, err
	}
	if _, err := w.dec.ReadToken(); !errors.Is(err, io.EOF) {
		return w.ignored, errGoesOn
	}
	return w.ignored, nil
}

// Decode decodes a JSON text into a value within the bounds of its type, for types with their
// own unmarshaler; row has the refusals that its tags name. The caller reports the error.
func Decode(body []byte, into any, row Refusals) error {
	if _, err := walkOver(body, shapeOf(reflect.TypeOf(into)), row); err != nil {
		return err
	}
	return json.Unmarshal(body, into)
}

// value walks over one value. A value of the wrong kind is skipped; the decoder refuses it.
func (w *walk) value(s *shape) error {
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
		return shop.ErrInvalidRequest.With("the body nests more than " + strconv.Itoa(MaxDepth) + " levels deep")
	}
	return w.read()
}

func (w *walk) read() error {
	_, err := w.dec.ReadToken()
	return err
}

func (w *walk) object(s *shape) error {
	if err := w.open(); err != nil {
		return err
	}
	for w.dec.PeekKind() != '}' {
		name, err := w.name()
		if err != nil {
			return err
		}
		m := s.member(name)
		if m == nil || name == "is_deleted" && w.dec.PeekKind() == 't' { // only DELETE deletes; false restores
			w.ignored.add(w.dec)
			err = w.skip()
		} else {
			err = w.value(m)
		}
		if err != nil {
			return err
		}
	}
	return w.read()
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

func (w *walk) dict(s *shape) error {
	if err := w.open(); err != nil {
		return err
	}
	for n := 0; w.dec.PeekKind() != '}'; n++ {
		if n == s.Max && w.names == 0 {
			return w.tooMany(s)
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

func (w *walk) list(s *shape) error {
	if err := w.open(); err != nil {
		return err
	}
	for n := 0; w.dec.PeekKind() != ']'; n++ {
		if n == s.Max && w.names == 0 {
			return w.tooMany(s)
		}
		if err := w.value(s.elem); err != nil {
			return err
		}
	}
	return w.read()
}

func (w *walk) text(s *shape) error {
	raw, err := w.dec.ReadValue()
	if err != nil || s.Len == NoLen || w.names > 0 || !longer(raw, s.Len) {
		return err
	}
	return s.tooLong(fieldAt(w.dec), w.row)
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

// tooMany refuses the list or map at the decoder's position.
func (w *walk) tooMany(s *shape) error {
	place := fieldAt(w.dec)
	return s.tooMany(place[:max(strings.LastIndexAny(place, ".["), 0)], w.row)
}

func (b Bound) tooMany(field string, row Refusals) error {
	return row.byCode(b.Code, shop.ErrInvalidRequest).With(field + ": at most " + strconv.Itoa(b.Max))
}

func (b Bound) tooLong(field string, row Refusals) error {
	return row.byCode(b.Code, ErrTextTooLong).With(field + ": at most " + strconv.Itoa(b.Len) + " characters")
}

// Check checks a text against the bound, for fields that are not set from JSON.
func (b Bound) Check(field, text string, row Refusals) error {
	if b.Len == NoLen || len(text) <= b.Len || utf8.RuneCountInString(text) <= b.Len {
		return nil
	}
	return b.tooLong(field, row)
}

// CheckCount checks the number of entries of a list against the bound.
func (b Bound) CheckCount(field string, n int, row Refusals) error {
	if n <= b.Max {
		return nil
	}
	return b.tooMany(field, row)
}

// byCode returns the refusal with a code.
func (r Refusals) byCode(code string, otherwise *shop.Refusal) *shop.Refusal {
	if code == shop.ErrInvalidRequest.Code {
		return shop.ErrInvalidRequest
	}
	if i := slices.IndexFunc(r, func(r *shop.Refusal) bool { return r.Code == code }); i >= 0 {
		return r[i]
	}
	return otherwise
}

// longer reports whether a quoted text has more than most characters. An escape counts as the
// character it stands for.
func longer(raw []byte, most int) bool {
	if len(raw)-2 <= most {
		return false
	}
	n := 0
	for i := 1; i < len(raw)-1 && n <= most; n++ {
		if raw[i] == '\\' {
			i += escape(raw[i:])
			continue
		}
		_, size := utf8.DecodeRune(raw[i:])
		i += size
	}
	return n > most
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
