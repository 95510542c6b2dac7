package markup

import (
	"bytes"
	"io"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/net/html"
)

// maxNotes bounds the report of one document.
const maxNotes = 1000

// note is a finding whose line is not known yet: the tree keeps no positions,
// so the source is read once more for those that are wanted.
type note struct {
	code, path, thing string
	key               string // of the place in the source; empty: line is known
	line              int    // or the number of lines below the place
	skip              int    // places of the key that come before
}

// notes collects findings while the tree is walked.
type notes struct{ list []note }

// full reports whether nothing more is collected, so that a place need not be
// worked out.
func (n *notes) full() bool { return n == nil || len(n.list) >= maxNotes }

func (n *notes) add(code, path, thing, key string, line int) {
	if !n.full() {
		n.list = append(n.list, note{code: code, path: path, thing: thing, key: key, line: line})
	}
}

// report finds the lines and files the findings.
func (n *notes) report(source string, report *Report) {
	places := map[string][]*note{}
	for i := range n.list {
		if k := n.list[i].key; k != "" {
			places[k] = append(places[k], &n.list[i])
		}
	}
	if len(places) > 0 {
		newLocator(places).read(strings.NewReader(source), 1)
	}
	for _, f := range n.list {
		if f.key != "" {
			f.line = 0
		}
		report.add(f.code, f.path, f.line, f.thing)
	}
	report.sorted()
}

// locator settles the notes of the places that it comes to in a source. The
// n-th place of a key belongs to the n-th note. What no note waits for is
// passed by without building its key.
type locator struct {
	places      map[string][]*note
	tags, attrs map[string]bool  // that keys speak of
	found       []html.Attribute // of one tag after the other
}

func newLocator(places map[string][]*note) *locator {
	l := &locator{places: places, tags: map[string]bool{}, attrs: map[string]bool{}}
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

// read goes through a source whose first line has the given number, until no
// note waits.
func (l *locator) read(source io.Reader, line int) {
	z := html.NewTokenizer(source)
	element := ""
	for len(l.places) > 0 {
		tt := z.Next()
		if tt == html.ErrorToken {
			return
		}
		raw := z.Raw()
		feeds := bytes.Count(raw, []byte{'\n'})
		switch tt {
		case html.StartTagToken, html.SelfClosingTagToken:
			element = l.tag(z, raw, line)
		case html.TextToken:
			switch element {
			case "noscript":
				l.read(strings.NewReader(string(raw)), line)
			case "style", "script":
				settle(l.places, textKey(string(z.Text())), line)
			}
		default:
			element = ""
		}
		line += feeds
	}
}

// tag settles what waits for a start tag and returns its name.
func (l *locator) tag(z *html.Tokenizer, raw []byte, line int) string {
	source := ""
	if len(l.attrs) > 0 {
		source = string(raw) // before names are folded in place
	}
	name, more := z.TagName()
	tag := string(name)
	if !l.tags[tag] && len(l.attrs) == 0 {
		return tag
	}
	attrs := l.found[:0]
	for more {
		var key, val []byte
		key, val, more = z.TagAttr()
		attrs = append(attrs, html.Attribute{Key: string(key), Val: string(val)})
	}
	l.found = attrs
	if l.tags[tag] {
		settle(l.places, elementKey(tag, attrs), line)
	}
	for _, a := range attrs {
		if !l.attrs[a.Key] {
			continue
		}
		if key := attrKey(a.Key, a.Val); len(l.places[key]) > 0 {
			settle(l.places, key, line+linesBefore(source, a.Val))
		}
	}
	return tag
}

func linesBefore(raw, value string) int {
	if i := strings.Index(raw, value); i > 0 {
		return strings.Count(raw[:i], "\n")
	}
	return 0
}

// settle gives the first waiting note of a place its line. Notes about the
// same text come in runs: they are settled together.
func settle(places map[string][]*note, key string, line int) {
	waiting := places[key]
	if len(waiting) == 0 {
		return
	}
	if waiting[0].skip > 0 {
		waiting[0].skip--
		return
	}
	n := 1
	if strings.HasPrefix(key, "text") {
		n = len(waiting)
	}
	for _, w := range waiting[:n] {
		w.line += line
		w.key = ""
	}
	if places[key] = waiting[n:]; len(places[key]) == 0 {
		delete(places, key)
	}
}

func attrKey(name, value string) string { return "attr\x00" + name + "\x00" + brief(value) }

// textKey names the text of a style or script.
func textKey(text string) string { return "text\x00" + brief(text) }

// brief tells a long text by its length and beginning.
func brief(text string) string {
	const enough = 256
	if len(text) <= enough {
		return text
	}
	return strconv.Itoa(len(text)) + "\x00" + text[:enough]
}

// elementKey names an element by its attributes in order of their names: the
// parser sorts those of formatting elements.
func elementKey(tag string, attrs []html.Attribute) string {
	parts := make([]string, 0, len(attrs))
	for _, a := range attrs {
		parts = append(parts, attrName(a)+"="+a.Val)
	}
	slices.Sort(parts)
	return "element\x00" + tag + "\x00" + strings.Join(slices.Compact(parts), "\x00")
}

// attrName is the name of an attribute as it is written.
func attrName(a html.Attribute) string {
	if a.Namespace != "" {
		return a.Namespace + ":" + a.Key
	}
	return a.Key
}

// lineOf is the 1-based line of an offset.
func lineOf(text string, offset int) int {
	return 1 + strings.Count(text[:min(offset, len(text))], "\n")
}

// lineOfTag is the line of the first start tag of an element, 0 when there is none.
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
