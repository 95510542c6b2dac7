package richtext

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"
)

// vectors returns the hostile texts of testdata.
func vectors(t testing.TB) (list []string) {
	files, err := filepath.Glob("testdata/*.txt")
	if err != nil || len(files) != 3 {
		t.Fatal(files, err)
	}
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(text)) {
			if line = strings.TrimSuffix(line, "\n"); !strings.HasPrefix(line, "//") {
				list = append(list, strings.NewReplacer(`\\`, `\`, `\n`, "\n", `\t`, "\t", `\r`, "\r", `\0`, "\x00").Replace(line))
			}
		}
	}
	return list
}

// drawnAttributes are the attributes of drawn texts by element.
var drawnAttributes = map[string][]string{
	"a": {"href", "rel"}, "img": {"src", "alt", "width", "height"}, "th": {"colspan", "rowspan"}, "td": {"colspan", "rowspan"},
	"div": {"class", "role", "tabindex", "aria-label"}, "pre": {"tabindex"},
}

// harm parses a page with a drawn text as a browser does, and describes how the text
// could harm the page. It returns "" for a harmless text.
func harm(drawn string) string {
	const before, after = `<main><section><div id="in">`, `</div><p id="after">after</p></section></main>`
	doc, err := html.Parse(strings.NewReader("<!doctype html><html><body>" + before + drawn + after))
	if err != nil {
		return err.Error()
	}
	in, behind := byID(doc, "in"), byID(doc, "after")
	if in == nil || behind == nil || in.Parent != behind.Parent || in.NextSibling != behind || behind.Parent.Data != "section" {
		return "it left its container"
	}
	var fault string
	for n := range in.Descendants() {
		if n.Type == html.CommentNode {
			fault = "a comment"
		}
		if n.Type != html.ElementNode {
			continue
		}
		if r, known := tags[n.Data]; !known || r == skipped || n.Namespace != "" {
			fault = "an element " + n.Namespace + n.Data
		}
		for _, a := range n.Attr {
			value := strings.ToLower(strings.TrimSpace(a.Val))
			switch {
			case !slices.Contains(drawnAttributes[n.Data], a.Key):
				fault = "an attribute " + a.Key + " of " + n.Data
			case a.Key == "src" && !strings.HasPrefix(value, "/files/"):
				fault = "a picture from " + value
			case a.Key == "href" && !strings.HasPrefix(value, "/") && !strings.HasPrefix(value, "#") && !strings.HasPrefix(value, "http") &&
				!strings.HasPrefix(value, "mailto:") && !strings.HasPrefix(value, "tel:"),
				a.Key == "href" && strings.HasPrefix(value, "//"):
				fault = "an address " + value
			case a.Key == "class" && value != "v-rich__wide":
				fault = "a class " + value
			}
		}
	}
	// Parsing and serialising a text must not change its tree, or a second parser could
	// see other elements than the first (mutation XSS).
	if again := childrenOf(in); again != childrenOf(byID(parsed(before+again+after), "in")) {
		fault = "it changes when it is parsed again"
	}
	return fault
}

func parsed(body string) *html.Node {
	doc, _ := html.Parse(strings.NewReader("<!doctype html><html><body>" + body))
	return doc
}

func byID(doc *html.Node, id string) *html.Node {
	for n := range doc.Descendants() {
		if attribute(n, "id") == id {
			return n
		}
	}
	return nil
}

func childrenOf(n *html.Node) string {
	var b strings.Builder
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		if html.Render(&b, c) != nil {
			return ""
		}
	}
	return b.String()
}

func TestHostileTextsAreHarmless(t *testing.T) {
	for _, text := range vectors(t) {
		// Alone, and with tags that make the text HTML.
		for _, text := range []string{text, text + "<p>after</p>", "<p>before</p>" + text, "<table><tr><td>" + text, "<a href=\"/x\">" + text} {
			drawn := Draw(text, options)
			if fault := harm(drawn); fault != "" {
				t.Errorf("%q: %s\n%s", text, fault, drawn)
			}
			if again := Draw(drawn, options); again != drawn {
				t.Errorf("%q\n is drawn as %q\n and again as %q", text, drawn, again)
			}
		}
	}
}

func TestHarmDetectsHarm(t *testing.T) {
	for _, drawn := range []string{
		"<script>x</script>", "<p onclick=x>", `<a href="javascript:x">y</a>`, "</div></section>", `<p style="x">`, "<svg></svg>", `<img src="//evil.example/x">`,
		"<!-- x", `<p class="v-buy">`, `<a href="//evil.example">x</a>`,
	} {
		if harm(drawn) == "" {
			t.Errorf("no harm in %s", drawn)
		}
	}
}

// FuzzDraw checks that drawn texts are harmless, that drawing them again does not change
// them, and that plain texts stay as they are.
func FuzzDraw(f *testing.F) {
	for _, text := range vectors(f) {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		plain := Plain(text)
		if !Is(text) {
			if plain != text {
				t.Errorf("Plain(%q) = %q", text, plain)
			}
			return
		}
		drawn := Draw(text, options)
		if fault := harm(drawn); fault != "" {
			t.Errorf("%q: %s\n%s", text, fault, drawn)
		}
		if again := Draw(drawn, options); again != drawn {
			t.Errorf("%q\n is drawn as %q\n and again as %q", text, drawn, again)
		}
	})
}
