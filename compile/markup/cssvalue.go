package markup

import (
	"strings"

	"github.com/tdewolff/parse/v2/css"

	"vitrine/compile/markup/dom"
	"vitrine/compile/markup/style"
)

// values copies tokens and rewrites the addresses among them: url(), and strings directly in
// image-set().
func (s *sheet) values(i, end int) {
	var functions []bool // open brackets; true for an image-set
	for ; i < end; i++ {
		switch s.Toks[i].Type {
		case css.URLToken:
			s.moveURL(i)
			continue
		case css.BadURLToken:
			s.moveModified(i)
			continue
		case css.CommentToken:
			s.comment(i)
		case css.FunctionToken:
			name := s.function(i)
			if name == "url" { // spelled with an escape, which the lexer does not recognize
				_, i = s.escapedURL(i, end)
				continue
			}
			functions = append(functions, name == "image-set" || name == "-webkit-image-set")
		case css.LeftParenthesisToken:
			functions = append(functions, false)
		case css.RightParenthesisToken:
			functions = functions[:max(len(functions)-1, 0)]
		case css.StringToken:
			if n := len(functions); n > 0 && functions[n-1] {
				s.moveString(i)
				continue
			}
		}
		s.copy(i)
	}
}

// function returns the lower-case name of a function.
func (s *sheet) function(i int) string {
	return strings.ToLower(style.Unescape(strings.TrimSuffix(s.Text(i), "(")))
}

// moveModified writes a url() that holds more than a string, as in url("a.png"
// crossorigin(anonymous)). The lexer reports it as a bad url, like url(a b.png), which is kept.
func (s *sheet) moveModified(i int) (address string, ok bool) {
	text := s.Text(i)
	open := strings.IndexByte(text, '(') + 1
	open += len(text[open:]) - len(strings.TrimLeft(text[open:], dom.Spaces))
	end := open + 1
	for end < len(text) && text[end] != text[open] {
		if text[end] == '\\' {
			end++
		}
		end++
	}
	if end >= len(text) || text[open] != '"' && text[open] != '\'' {
		s.write(text)
		return "", false
	}
	s.write(text[:open])
	address = s.moveQuoted(text[open:end+1], int(s.Toks[i].From))
	s.write(text[end+1:])
	return address, true
}

// moveURL writes a url() token with its address moved and returns the original address.
func (s *sheet) moveURL(i int) string {
	text := s.Text(i)
	open := strings.IndexByte(text, '(') + 1
	body, close := strings.CutSuffix(text[open:], ")")
	inner := strings.TrimLeft(body, dom.Spaces)
	lead := body[:len(body)-len(inner)]
	inner = strings.TrimRight(inner, dom.Spaces)
	trail := body[len(lead)+len(inner):]
	s.write(text[:open])
	s.write(lead)
	address := s.moveInner(inner, int(s.Toks[i].From))
	s.write(trail)
	if close {
		s.write(")")
	}
	return address
}

// moveInner writes the contents of url(): a string or a bare address.
func (s *sheet) moveInner(inner string, offset int) string {
	if inner == "" || inner[0] != '"' && inner[0] != '\'' {
		return s.move(inner, 0, offset)
	}
	return s.moveQuoted(inner, offset)
}

func (s *sheet) moveString(i int) string { return s.moveQuoted(s.Text(i), int(s.Toks[i].From)) }

func (s *sheet) moveQuoted(text string, offset int) string {
	quote := text[:1]
	body, close := strings.CutSuffix(text[1:], quote)
	s.write(quote)
	address := s.move(body, quote[0], offset)
	if close {
		s.write(quote)
	}
	return address
}

// move writes one address. It keeps the original spelling if the new address only adds a prefix.
func (s *sheet) move(raw string, quote byte, offset int) string {
	address := style.Unescape(raw)
	moved, ok := s.address(address, offset, false)
	switch {
	case !ok:
		s.write(raw)
	case strings.HasSuffix(moved, address):
		s.write(moved[:len(moved)-len(address)])
		s.write(raw)
	default:
		s.write(escapeAddress(moved, quote))
	}
	return address
}

// escapedURL handles \75rl(…), where the tokens up to the parenthesis are the address. It returns
// the index of the parenthesis.
func (s *sheet) escapedURL(i, end int) (address string, close int) {
	close = i + 1
	for close < end && s.Toks[close].Type != css.RightParenthesisToken {
		close++
	}
	s.copy(i)
	if close > i+1 {
		body := s.Src[s.Toks[i+1].From:s.Toks[close-1].To]
		inner := strings.TrimLeft(body, dom.Spaces)
		s.write(body[:len(body)-len(inner)])
		raw := strings.TrimRight(inner, dom.Spaces)
		address = s.moveInner(raw, int(s.Toks[i].From))
		s.write(inner[len(raw):])
	}
	if close < end {
		s.copy(close)
	}
	return address, close
}

// comment checks the addresses of rules that were commented out: they count as references, though
// they are not moved (document 3, section 7). A comment with markup in it is an explanation and
// is skipped, and url( in the middle of a word is part of an address.
func (s *sheet) comment(i int) {
	text, offset := s.Text(i), int(s.Toks[i].From)
	if !strings.Contains(text, "(") || strings.Contains(text, "</") {
		return
	}
	lower := lowerASCII(text)
	for at := 0; ; {
		open := strings.Index(lower[at:], "url(")
		if open < 0 {
			return
		}
		at += open
		before := text[at-1] // a comment begins with two bytes of its own
		at += len("url(")
		close := strings.IndexByte(text[at:], ')')
		if close < 0 {
			return
		}
		address := strings.Trim(text[at:at+close], dom.Spaces+`"'`)
		if (htmlSpace(before) || strings.IndexByte("*:,({;", before) >= 0) && strings.ContainsFunc(address, alphanumeric) {
			s.address(address, offset+at, true)
		}
		at += close
	}
}

// lowerASCII keeps the length, so that offsets hold in both texts.
func lowerASCII(s string) string {
	b := []byte(s)
	for i, c := range b {
		if c >= 'A' && c <= 'Z' {
			b[i] = c | 0x20
		}
	}
	return string(b)
}

func alphanumeric(r rune) bool {
	return r >= '0' && r <= '9' || r|0x20 >= 'a' && r|0x20 <= 'z' || r >= 0x80
}

// escapeAddress escapes an address for its place: inside quotes, or bare when quote is 0.
func escapeAddress(address string, quote byte) string {
	var b strings.Builder
	for i := 0; i < len(address); i++ {
		c := address[i]
		special := c == '\\' || c == quote && quote != 0
		if quote == 0 {
			special = special || strings.IndexByte(`"'()`, c) >= 0
		}
		switch {
		case c < ' ' || c == 0x7F || quote == 0 && c == ' ':
			b.WriteByte('\\')
			b.WriteByte(hexDigits[c>>4])
			b.WriteByte(hexDigits[c&15])
			b.WriteByte(' ')
		case special:
			b.WriteByte('\\')
			b.WriteByte(c)
		default:
			b.WriteByte(c)
		}
	}
	return b.String()
}
