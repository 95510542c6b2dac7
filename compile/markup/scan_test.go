package markup

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"golang.org/x/net/html"
)

// scanned lists the start tags of a source with their lines and attributes as found by the
// scanner, and the text of styles and scripts.
func scanned(source string) (list []string) {
	l, s := &locator{}, &scanner{source: source, line: 1}
	s.tag = func(name, tag string, line int) {
		list = append(list, fmt.Sprint(line, " ", fold(name)))
		attrs, plain := plainAttrs(nil, tag, len("<")+len(name))
		if !plain {
			attrs = l.decode(nil, tag, fold(name))
		}
		list = append(list, fmt.Sprintf("%q", attrs))
	}
	s.text = func(name, text string, line int) {
		if text != "" && (name == "style" || name == "script") {
			list = append(list, fmt.Sprintf("%d text %q", line, text))
		}
	}
	s.run()
	return list
}

// fold lowers ASCII letters, like the tokenizer does.
func fold(name string) string {
	small := []byte(name)
	for i, c := range small {
		if c >= 'A' && c <= 'Z' {
			small[i] = c + 'a' - 'A'
		}
	}
	return string(small)
}

// tokenized lists the same, using the html tokenizer.
func tokenized(source string) (list []string) {
	z := html.NewTokenizer(strings.NewReader(source))
	element, line := "", 1
	for {
		tt := z.Next()
		if tt == html.ErrorToken {
			return list
		}
		raw := string(z.Raw())
		switch tt {
		case html.StartTagToken, html.SelfClosingTagToken:
			name, more := z.TagName()
			element = string(name)
			attrs := []keyed(nil)
			for more {
				var name, value []byte
				name, value, more = z.TagAttr()
				attrs = append(attrs, keyed{string(name), string(value)})
			}
			list = append(list, fmt.Sprint(line, " ", element), fmt.Sprintf("%q", attrs))
		case html.TextToken:
			if element == "style" || element == "script" {
				list = append(list, fmt.Sprintf("%d text %q", line, raw))
			}
		default:
			element = ""
		}
		line += bytes.Count([]byte(raw), []byte{'\n'})
	}
}

// agreeable reports whether scanner and tokenizer should agree: the scanner does not handle
// scripts that hide their end tag, and keeps a NUL in a name.
func agreeable(source string) bool {
	return strings.IndexByte(source, 0) < 0 && (!strings.Contains(source, "<!--") || !strings.Contains(strings.ToLower(source), "<script"))
}

func TestScannerAgreesWithTheTokenizer(t *testing.T) {
	for _, source := range []string{
		"", "<", "<a", "<a href='x", "a<b>c</b>", "<p\n class=x>\n<img src=\"a>b\">\n<br/>",
		"<!-- <a> --><b>", "<!--><a>", "<!---><a>", "<!-- --!><a>", "<!-- <a>", "<!doctype html><a>", "<?x <a><b>", "</ <a><b>",
		"<style>a>b{}\n</style>\n<a>", "<SCRIPT>1<2\n</ScRiPt >\n<a>", "<title><a></title><b>", "<textarea>\n<a></textarea\n><b>",
		"<noscript>\n<img>\n</noscript><a>", "<xmp><a></xmp><b>", "<plaintext><a></plaintext><b>", "<a =b='>'><c>", "<a b = '>' c><d>",
		"<a b='>'c=\"<d>\"><e>", "< a><b>", "<a/b=c/><d>", "</p title='>'><a>", "<a\t\n\nb>\n<c>",
		"<a B=1 b='&amp;'><b c=\"\" d='\r\n'e><TextArea A=&lt;><b></textarea><i x=y/ z=a=b>", "<a b='&copy=1&lt'><p c>", "<a b b=1 c b=''>", "<a" + strings.Repeat(" b", manyAttrs) + " c>",
	} {
		if got, want := scanned(source), tokenized(source); fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("%q: %v, the tokenizer %v", source, got, want)
		}
	}
}

func FuzzScanner(f *testing.F) {
	for _, source := range []string{"<a b='>'>\n<c>", "<!-- <a> --><style>x</style><b>", "<noscript><p></noscript>", "<a =b>"} {
		f.Add(source)
	}
	f.Fuzz(func(t *testing.T, source string) {
		if got, want := scanned(source), tokenized(source); agreeable(source) && fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("%q: %v, the tokenizer %v", source, got, want)
		}
	})
}
