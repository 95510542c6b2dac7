package markup

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
	"golang.org/x/net/html/charset"

	"vitrine/compile/markup/dom"
)

// searched is the number of bytes searched for a declared charset. Browsers read 1024 bytes and
// start again if the declaration comes later.
const searched = 64 << 10

// Reasons why a document cannot be shown, and how to fix it.
var (
	errTooLarge = errors.New("index.html is larger than 2 MB, so move scripts, styles and pictures into files of their own")
	errFrames   = errors.New("a frameset has no body to show, so publish the page of its main frame instead")
	errDeep     = errors.New("more than 512 elements are nested inside one another, so close them where they end")
)

// decode converts an uploaded document to UTF-8 without a byte order mark. The mark takes
// precedence over the declaration; without either, text that is not valid UTF-8 is read as
// windows-1252, as browsers do.
func decode(index []byte) (string, error) {
	enc, name, marked := charset.DetermineEncoding(index[:min(len(index), len("\xEF\xBB\xBF"))], "")
	if !marked {
		label := declared(index[:min(len(index), searched)])
		if label == "" && !utf8.Valid(index) {
			label = "windows-1252"
		}
		enc, name = charset.Lookup(label)
	}
	text := index
	if enc != nil && name != "utf-8" && !(strings.HasPrefix(name, "utf-16") && !marked) {
		var err error
		if text, err = io.ReadAll(io.LimitReader(enc.NewDecoder().Reader(bytes.NewReader(index)), 3*MaxIndex)); err != nil {
			return "", fmt.Errorf("index.html is not %s: %w", name, err)
		}
	}
	whole := strings.TrimPrefix(string(text), "\uFEFF")
	if utf8.ValidString(whole) { // much faster than ToValidUTF8 when nothing has to be replaced
		return whole, nil
	}
	return strings.ToValidUTF8(whole, "\uFFFD"), nil
}

// declared returns the charset label of an XML declaration, or of the first meta before the body.
func declared(index []byte) string {
	if label := xmlEncoding(index); label != "" {
		return label
	}
	z := html.NewTokenizer(bytes.NewReader(index))
	for {
		tt := z.Next()
		if tt == html.ErrorToken {
			return ""
		}
		if tt != html.StartTagToken && tt != html.SelfClosingTagToken {
			continue
		}
		switch t := z.Token(); t.Data {
		case "body":
			return ""
		case "meta":
			if label := metaCharset(t.Attr); label != "" {
				return label
			}
		}
	}
}

// xmlEncoding returns the label in <?xml … encoding="…"?> at the start of XHTML.
func xmlEncoding(index []byte) string {
	if !bytes.HasPrefix(index, []byte("<?xml")) {
		return ""
	}
	declaration, _, _ := bytes.Cut(index, []byte(">"))
	_, after, found := bytes.Cut(declaration, []byte("encoding"))
	after = bytes.TrimLeft(after, dom.Spaces+"=")
	if !found || len(after) == 0 || after[0] != '"' && after[0] != '\'' {
		return ""
	}
	label, _, _ := bytes.Cut(after[1:], after[:1])
	if _, name := charset.Lookup(string(label)); name == "" {
		return ""
	}
	return string(label)
}

func metaCharset(attrs []html.Attribute) string {
	label, directive, content := "", "", ""
	for _, a := range attrs {
		switch a.Key {
		case "charset":
			label = a.Val
		case "http-equiv":
			directive = a.Val
		case "content":
			content = a.Val
		}
	}
	if label == "" && strings.EqualFold(directive, "content-type") {
		if at := strings.Index(strings.ToLower(content), "charset="); at >= 0 {
			label = strings.TrimLeft(content[at+len("charset="):], dom.Spaces+`"'`)
			label, _, _ = strings.Cut(label, ";")
			label = strings.TrimRight(label, dom.Spaces+`"'`)
		}
	}
	if _, name := charset.Lookup(label); name == "" {
		return ""
	}
	return label
}

// parseDocument builds the tree of a document. It refuses frames and too deep nesting.
func parseDocument(text string) (*html.Node, error) {
	doc, err := html.Parse(strings.NewReader(protectComments(text)))
	if err != nil { // reading a string cannot fail, so the parser gave up
		return nil, errDeep
	}
	for n := range doc.Descendants() {
		if n.Type == html.ElementNode && n.Namespace == "" && n.Data == "frameset" {
			return nil, errFrames
		}
	}
	// The parser leaves out the body after a template that is not closed within MathML or SVG.
	if root, _, body := landmarks(doc); body == nil {
		root.AppendChild(&html.Node{Type: html.ElementNode, Data: "body", DataAtom: atom.Body})
	}
	return doc, expandNoscript(doc)
}

// expandNoscript parses the contents of every noscript. The parser works like a browser with
// scripts, for which noscript is text, but its markup contains addresses too. Disabling scripts
// for the whole parse would let an image in the head's noscript end the head.
func expandNoscript(doc *html.Node) error {
	var all []*html.Node
	for n := range doc.Descendants() {
		if n.Type == html.ElementNode && n.Namespace == "" && n.Data == "noscript" {
			all = append(all, n)
		}
	}
	body := &html.Node{Type: html.ElementNode, Data: "body", DataAtom: atom.Body}
	for _, n := range all {
		var text strings.Builder
		for n.FirstChild != nil {
			text.WriteString(n.FirstChild.Data)
			n.RemoveChild(n.FirstChild)
		}
		children, err := html.ParseFragmentWithOptions(
			strings.NewReader(protectComments(text.String())), body, html.ParseOptionEnableScripting(false),
		)
		if err != nil {
			return errDeep
		}
		for _, c := range children {
			n.AppendChild(c)
		}
	}
	return nil
}

// protectComments makes comments pass through the parser byte for byte. The parser resolves
// character references in them, which no browser does, so that "--&gt;" would end the comment
// when it is written again. An escaped & is restored.
func protectComments(text string) string {
	if !referenceInComment(text) {
		return text
	}
	var b strings.Builder
	z := html.NewTokenizer(strings.NewReader(text))
	at, done := 0, 0
	for {
		tt := z.Next()
		if tt == html.ErrorToken {
			break
		}
		from := at
		at += len(z.Raw())
		if tt == html.CommentToken && strings.IndexByte(text[from:at], '&') >= 0 {
			b.WriteString(text[done:from])
			b.WriteString(strings.ReplaceAll(text[from:at], "&", "&amp;"))
			done = at
		}
	}
	if done == 0 {
		return text
	}
	b.WriteString(text[done:])
	return b.String()
}

// referenceInComment reports whether a comment may contain a &. It has false positives, but is
// cheaper than an exact check.
func referenceInComment(text string) bool {
	for {
		at := strings.IndexByte(text, '<')
		if at < 0 || at+1 == len(text) {
			return false
		}
		text = text[at+1:]
		end := ">"
		switch {
		case strings.HasPrefix(text, "!--"):
			end = "-->"
		case text[0] == '!' || text[0] == '?' || text[0] == '/' && (len(text) == 1 || text[1]|0x20 < 'a' || text[1]|0x20 > 'z'):
		default:
			continue
		}
		inside, rest, _ := strings.Cut(text, end)
		if strings.IndexByte(inside, '&') >= 0 {
			return true
		}
		text = rest
	}
}

// quirks reports whether a browser would draw the document in quirks mode.
func quirks(doc *html.Node) bool {
	for n := range doc.ChildNodes() {
		if n.Type == html.DoctypeNode {
			return quirkyDoctype(n)
		}
	}
	return true
}

func quirkyDoctype(n *html.Node) bool {
	public, system, hasSystem := "", "", false
	for _, a := range n.Attr {
		switch a.Key {
		case "public":
			public = strings.ToLower(a.Val)
		case "system":
			system, hasSystem = strings.ToLower(a.Val), true
		}
	}
	if n.Data != "html" || public == "html" || system == "http://www.ibm.com/data/dtd/v11/ibmxhtml1-transitional.dtd" {
		return true
	}
	for _, old := range [...]string{
		"-//ietf//", "-//w3o//", "-//w3c//dtd html 3", "-//w3c//dtd html 4.0 ", "-//w3c//dtd w3 html", "-//netscape comm",
		"-//microsoft//dtd internet explorer", "-//sun microsystems corp.//dtd hotjava",
	} {
		if strings.HasPrefix(public, old) && public != "-//w3c//dtd html 4.0//en" {
			return true
		}
	}
	late := strings.HasPrefix(public, "-//w3c//dtd html 4.01 frameset//") || strings.HasPrefix(public, "-//w3c//dtd html 4.01 transitional//")
	return late && !hasSystem
}
