package markup

import (
	"bytes"
	"cmp"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/net/html"
)

// maxNotes limits the report of one document.
const maxNotes = 1000

// note is a finding whose line is not known yet: the tree keeps no positions, so the source is
// scanned again for the positions that are needed.
type note struct {
	code, path, thing string
	key               string // identifies the place in the source; empty: line is known
	line              int    // or the number of lines after the place
	offset            int    // or the offset from the place
	piece             string // excerpt of a line that is too long to be searched by eye
	skip              int    // earlier places with the same key
	spot              int    // notes with the same spot are about the same attribute; 0: unique
}

// notes collects findings while the tree is walked.
type notes struct {
	list []note
	spot int               // advice by code; nil: that of the compiler's own codes
	mend map[string]string // what can be done, by code; nil: of the compiler's own codes
}

// move starts a new spot: later findings are about another place.
func (n *notes) move() {
	if n != nil {
		n.spot++
	}
}

// full reports whether no more findings are collected, so that places need not be computed.
func (n *notes) full() bool { return n == nil || len(n.list) >= maxNotes }

func (n *notes) add(code, path, thing, key string, line int) {
	if !n.full() {
		n.list = append(n.list, note{code: code, path: path, thing: thing, key: key, line: line, spot: n.spot})
	}
}

// at adds a finding about a place in a style sheet or script.
func (n *notes) at(code, thing string, p Place) {
	if n.full() {
		return
	}
	f := note{code: code, path: p.Text.File, thing: thing, spot: n.spot, offset: p.Offset, line: lineOf(p.Text.Body, p.Offset)}
	if p.Text.Inline {
		f.key, f.line = textKey(p.Text.Body), f.line-1
	} else {
		f.piece = excerpt(p.Text.Body, p.Offset)
	}
	n.list = append(n.list, f)
}

// drop removes the findings of a code.
func (n *notes) drop(code string) {
	n.list = slices.DeleteFunc(n.list, func(f note) bool { return f.code == code })
}

// report determines the lines and adds the findings to the report.
func (n *notes) report(source string, report *Report) {
	mends := n.mend
	if mends == nil {
		mends = mend
	}
	places := map[string][]*note{}
	for i := range n.list {
		if k := n.list[i].key; k != "" {
			places[k] = append(places[k], &n.list[i])
		}
	}
	if len(places) > 0 {
		newLocator(places, source).read(source, 0, 1)
	}
	for _, f := range n.list {
		if f.key != "" {
			f.line = 0
		}
		if f.piece != "" {
			f.thing += " (in " + f.piece + ")"
		}
		report.add(f.code, f.path, f.line, f.thing+" "+mends[f.code])
	}
	report.sorted()
}

// locator assigns lines to notes while scanning a source. The n-th place of a key belongs to the
// n-th note. Tags that no note refers to are skipped without parsing their attributes.
type locator struct {
	places      map[string][]*note
	source      string
	tags, attrs map[string]bool // that occur in keys
	found       []keyed         // attributes of the current tag
	key         []byte          // key of the current tag
	decoder     *html.Tokenizer // for attributes that need decoding
	encoded     strings.Reader  // its input
}

func newLocator(places map[string][]*note, source string) *locator {
	l := &locator{places: places, source: source, tags: map[string]bool{}, attrs: map[string]bool{}}
	for key := range places {
		switch kind, rest, _ := strings.Cut(key, "\x00"); kind {
		case "element":
			tag, _, _ := strings.Cut(rest, "\x00")
			l.tags[tag] = true
		case "attr":
			name, _, _ := strings.Cut(rest, "\x00")
			l.attrs[name] = true
		}
	}
	return l
}

// read scans a part of the source that begins at an offset and line.
func (l *locator) read(part string, offset, line int) {
	s := &scanner{source: part, line: line}
	s.tag = func(name, tag string, line int) { l.tag(name, tag, seat{l.source, offset + s.at - len(tag), line}) }
	s.text = func(name, text string, line int) {
		switch name {
		case "noscript":
			l.read(text, offset+s.at-len(text), line)
		case "style", "script":
			settle(l.places, textKey(text), seat{l.source, offset + s.at - len(text), line})
		}
	}
	s.run()
}

// seat is a position in a source.
type seat struct {
	source       string
	offset, line int
}

// tag settles the notes about a start tag.
func (l *locator) tag(name, tag string, at seat) {
	folded := strings.ToLower(name)
	if !l.tags[folded] && (len(l.attrs) == 0 || len(tag) == len(name)+len("<>")) {
		return
	}
	attrs := l.attributes(name, tag, folded)
	for _, a := range attrs {
		if !l.attrs[a.name] {
			continue
		}
		if key := attrKey(a.name, a.value); len(l.places[key]) > 0 {
			settle(l.places, key, at.behind(tag, a.value))
		}
	}
	if l.tags[folded] {
		l.key = appendElementKey(l.key[:0], folded, attrs)
		if _, waiting := l.places[string(l.key)]; waiting {
			settle(l.places, string(l.key), at)
		}
	}
}

// attributes returns the attributes of a tag, valid until the next call.
func (l *locator) attributes(name, tag, folded string) []keyed {
	attrs, plain := plainAttrs(l.found[:0], tag, len("<")+len(name))
	if !plain {
		attrs = l.decode(attrs[:0], tag, folded)
	}
	l.found = attrs
	return attrs
}

// decode parses the attributes of a tag like the parser does. It closes a text element at once,
// so that the next tag is parsed as a tag.
func (l *locator) decode(dst []keyed, tag, element string) []keyed {
	if l.decoder == nil || l.decoder.Err() != nil {
		l.decoder = html.NewTokenizer(&l.encoded)
	}
	if textual[element] {
		tag += "</" + element + ">"
	}
	l.encoded.Reset(tag)
	for l.decoder.Next() == html.EndTagToken {
	}
	_, more := l.decoder.TagName()
	for more {
		var name, value []byte
		name, value, more = l.decoder.TagAttr()
		dst = append(dst, keyed{string(name), string(value)})
	}
	return dst
}

// behind returns the position of a value in the tag that begins at the seat.
func (s seat) behind(tag, value string) seat {
	if i := strings.Index(tag, value); i > 0 {
		s.offset += i
		s.line += strings.Count(tag[:i], "\n")
	}
	return s
}

// settle assigns the line to the first note waiting for a place, and to the notes about the same
// attribute or text.
func settle(places map[string][]*note, key string, at seat) {
	waiting := places[key]
	if len(waiting) == 0 {
		return
	}
	if waiting[0].skip > 0 {
		waiting[0].skip--
		return
	}
	n, text := 1, strings.HasPrefix(key, "text")
	for n < len(waiting) && (text || waiting[n].spot != 0 && waiting[n].spot == waiting[0].spot) {
		n++
	}
	for _, w := range waiting[:n] {
		w.line += at.line
		w.piece = excerpt(at.source, at.offset+w.offset)
		w.key = ""
	}
	if places[key] = waiting[n:]; len(places[key]) == 0 {
		delete(places, key)
	}
}

func attrKey(name, value string) string { return "attr\x00" + name + "\x00" + brief(value) }

// textKey returns the key of a style's or script's text.
func textKey(text string) string { return "text\x00" + brief(text) }

// brief abbreviates a long text to its length and beginning.
func brief(text string) string {
	const enough = 256
	if len(text) <= enough {
		return text
	}
	return strconv.Itoa(len(text)) + "\x00" + text[:enough]
}

// keyed is an attribute in the spelling of keys.
type keyed struct{ name, value string }

// elementKey returns the key of an element, with its attributes sorted by name because the parser
// sorts those of formatting elements.
func elementKey(tag string, attrs []html.Attribute) string {
	list := make([]keyed, len(attrs))
	for i, a := range attrs {
		list[i] = keyed{attrName(a), a.Val}
	}
	return string(appendElementKey(nil, tag, list))
}

// appendElementKey sorts attrs.
func appendElementKey(dst []byte, tag string, attrs []keyed) []byte {
	slices.SortFunc(attrs, func(a, b keyed) int {
		return cmp.Or(strings.Compare(a.name, b.name), strings.Compare(a.value, b.value))
	})
	dst = append(append(dst, "element\x00"...), tag...)
	for _, a := range attrs {
		dst = append(append(append(append(dst, 0), a.name...), '='), a.value...)
	}
	return dst
}

// attrName returns the name of an attribute as written.
func attrName(a html.Attribute) string {
	if a.Namespace != "" {
		return a.Namespace + ":" + a.Key
	}
	return a.Key
}

// lineOfTag returns the line of the first start tag of an element, 0 when there is none.
func lineOfTag(source, element string) int {
	z := html.NewTokenizer(strings.NewReader(source))
	for line := 1; ; line += bytes.Count(z.Raw(), []byte{'\n'}) {
		switch z.Next() {
		case html.ErrorToken:
			return 0
		case html.StartTagToken, html.SelfClosingTagToken:
			if name, _ := z.TagName(); string(name) == element {
				return line
			}
		}
	}
}

// lineFeeds normalises line breaks as the html parser does.
func lineFeeds(text []byte) string {
	if bytes.IndexByte(text, '\r') < 0 {
		return string(text)
	}
	text = bytes.ReplaceAll(text, []byte("\r\n"), []byte("\n"))
	return string(bytes.ReplaceAll(text, []byte("\r"), []byte("\n")))
}
