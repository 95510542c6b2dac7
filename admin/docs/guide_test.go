package docs_test

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"testing"

	"vitrine/admin/api"
	"vitrine/admin/docs"
)

var (
	mention = regexp.MustCompile(`\b(GET|POST|PUT|PATCH|DELETE) (/[A-Za-z0-9_{}/.:\-]*)`)
	link    = regexp.MustCompile(`\]\(([^)]*)\)`)
)

// blocks returns the paragraphs of a text; a fenced block counts as one.
func blocks(text string) (list []string) {
	fenced := false
	var block strings.Builder
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, "```") {
			fenced = !fenced
		}
		if strings.TrimSpace(line) == "" && !fenced {
			list = append(list, block.String())
			block.Reset()
		}
		block.WriteString(line)
	}
	return append(list, block.String())
}

// matches reports whether an endpoint matches a path as written in a guide.
func matches(e api.Endpoint, method, path string) bool {
	want, got := strings.Split(e.Path, "/"), strings.Split(strings.TrimRight(path, "."), "/")
	return e.Method == method && slices.EqualFunc(want, got, func(w, g string) bool {
		return w == g || strings.HasPrefix(w, "{") && g != "" && !strings.Contains(g, "{") ||
			strings.HasPrefix(w, "{") && strings.HasPrefix(g, "{")
	})
}

func (h harness) has(method, path string) bool {
	return slices.ContainsFunc(h.table, func(e api.Endpoint) bool { return matches(e, method, path) })
}

func TestGuidesMentionExistingEndpointsOnly(t *testing.T) {
	h := open(t)
	for _, g := range h.guides() {
		text := h.get(g.Path).body
		for _, block := range blocks(text) {
			for _, m := range mention.FindAllStringSubmatch(block, -1) {
				if !h.has(m[1], m[2]) && !strings.Contains(block, "planned") {
					t.Errorf("%s mentions %s, which is neither an endpoint nor marked as planned", g.Path, m[0])
				}
			}
			body, isJSON := strings.CutPrefix(strings.TrimSpace(block), "```json")
			if isJSON && !json.Valid([]byte(strings.TrimSuffix(body, "```"))) {
				t.Errorf("%s: no JSON: %s", g.Path, body)
			}
		}
		for _, m := range link.FindAllStringSubmatch(text, -1) {
			if !h.has("GET", m[1]) {
				t.Errorf("%s links to %s, which does not exist", g.Path, m[1])
			}
		}
		if strings.Contains(text, "{base_url}") || strings.Contains(text, "{{unless") || strings.Contains(text, "\n{{end}}\n") ||
			strings.Contains(text, "{{language") {
			t.Errorf("%s has an unexpanded directive", g.Path)
		}
	}
}

func TestGuidesAreCompleteAndWellFormed(t *testing.T) {
	h := open(t)
	list := h.guides()
	for _, path := range strings.Fields(`/docs/quickstart /docs/catalogue /docs/catalog-import /docs/orders /docs/stock /docs/webhooks
		/docs/news /docs/feeds /docs/feeds-reference /docs/redirects /docs/redirects-reference /docs/file-storage /docs/transfer
		/docs/widgets-area /docs/webcoding /docs/skills /docs/vz-keys`) {
		if !slices.ContainsFunc(list, func(g guideEntry) bool { return g.Path == path }) {
			t.Errorf("%s is not in the index", path)
		}
	}
	for _, g := range list {
		a := h.get(g.Path)
		if !strings.HasPrefix(a.body, "# "+g.Title+"\n") {
			t.Errorf("%s does not begin with its title", g.Path)
		}
		if strings.HasSuffix(g.Purpose, ".") || g.Purpose == "" || g.Status != "ready" && g.Status != "planned" {
			t.Errorf("%+v", g)
		}
		if g.Status == "planned" && !strings.Contains(a.body, "does not offer") {
			t.Errorf("%s is planned, but its text does not say so", g.Path)
		}
		if a.header("Content-Type") != "text/markdown; charset=utf-8" || a.header("Vary") != "Accept" ||
			a.header("Cache-Control") != "public, max-age=300" {
			t.Errorf("%s: %s, %s, %s", g.Path, a.header("Content-Type"), a.header("Vary"), a.header("Cache-Control"))
		}
		for line := range strings.Lines(a.body) {
			if len(line) > 400 && !strings.HasPrefix(line, "|") {
				t.Errorf("%s: a line of %d bytes", g.Path, len(line))
			}
		}
	}
}

func TestAGuideIsPlannedUntilItsEndpointsExist(t *testing.T) {
	for _, c := range []struct {
		table        []api.Endpoint
		status, says string
		listed       bool
	}{
		{nil, "planned", "does not offer", false},
		{[]api.Endpoint{{Method: "POST", Path: "/webhooks", Summary: "Subscribe | listen", Auth: api.SessionOnly}}, "ready", "| a session | Subscribe \\| listen |", true},
	} {
		h := over(t, c.table)
		i := slices.IndexFunc(h.guides(), func(g guideEntry) bool { return g.Path == "/docs/webhooks" })
		text := h.get("/docs/webhooks").body
		if h.guides()[i].Status != c.status || !strings.Contains(text, c.says) || strings.Contains(text, "`POST /webhooks`") != c.listed {
			t.Errorf("%+v\n%s", h.guides()[i], text)
		}
		var events struct{ Status string }
		if h.json("/docs/events.json", &events); events.Status != c.status {
			t.Errorf("events are %s", events.Status)
		}
	}
}

func TestOneSectionOfAReference(t *testing.T) {
	h := open(t)
	all := h.get("/docs/redirects-reference").body
	part := h.get("/docs/redirects-reference?section=loops-and-chains").body
	if !strings.HasPrefix(part, "## Loops and chains\n") || !strings.Contains(all, part) || strings.Contains(part, "\n## ") {
		t.Errorf("section: %s", part)
	}
	for _, path := range []string{"/docs/redirects-reference?section=nonsense", "/docs/feeds-reference?section=%3Cb%3E"} {
		a := h.call("GET", path, "text/html", "")
		var body struct {
			Error    string
			Sections []string
		}
		if err := json.Unmarshal([]byte(a.body), &body); err != nil || a.status != 404 || len(body.Sections) == 0 ||
			!strings.Contains(body.Error, "DOCS_SECTION_NOT_FOUND") {
			t.Errorf("%s: %d %s", path, a.status, a.body)
		}
		for _, slug := range body.Sections {
			h.get(path[:strings.Index(path, "=")+1] + slug)
		}
	}
}

func TestBrowsersGetHTML(t *testing.T) {
	h := open(t)
	for accept, want := range map[string]string{
		"": "text/markdown; charset=utf-8", "*/*": "text/markdown; charset=utf-8", "text/markdown": "text/markdown; charset=utf-8",
		"text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8": "text/html; charset=utf-8",
		"text/html":                      "text/html; charset=utf-8",
		"TEXT/HTML ; Q=0.5":              "text/html; charset=utf-8",
		"text/html;q=0.5, text/markdown": "text/markdown; charset=utf-8",
		"text/html;q=0":                  "text/markdown; charset=utf-8",
		"text/html;q=many":               "text/markdown; charset=utf-8",
		",;,=;q=;text/html" + strings.Repeat(";a", 999): "text/markdown; charset=utf-8",
	} {
		if got := h.call("GET", "/docs/quickstart", accept, "").header("Content-Type"); got != want {
			t.Errorf("%.60q: %s, want %s", accept, got, want)
		}
	}
	for _, g := range h.guides() {
		a := h.call("GET", g.Path, "text/html", "")
		if !strings.Contains(a.body, "<title>"+strings.ReplaceAll(g.Title, "&", "&amp;")+" · vitrine</title>") ||
			!strings.Contains(a.body, "</html>") {
			t.Errorf("%s: %d %.1500s", g.Path, a.status, a.body)
		}
		if strings.Contains(a.body, "<script") || !strings.HasPrefix(a.header("Content-Security-Policy"), "default-src 'none'") {
			t.Errorf("%s: scripts, or no content security policy", g.Path)
		}
	}
}

// listed is a row of a table of endpoints: method, path and the form of the body.
var listed = regexp.MustCompile("(?m)^\\| `([A-Z]+) (/[^`]*)` \\| ([^|]*) \\|")

// The guides that need an endpoint list all endpoints of its noun, in one of their tables.
func TestGuidesListTheEndpointsOfTheirNoun(t *testing.T) {
	h := open(t)
	lists := map[string]bool{}
	for _, g := range h.guides() {
		text := h.get(g.Path).body
		if strings.Contains(text, "has no endpoints here") {
			t.Errorf("%s has an empty table of endpoints", g.Path)
		}
		for _, row := range listed.FindAllStringSubmatch(text, -1) {
			lists[row[1]+" "+row[2]] = true
		}
	}
	for _, need := range docs.Needs() {
		_, noun, _ := strings.Cut(need, " ")
		noun, _, _ = strings.Cut(noun, "/{")
		for _, e := range h.table {
			if (e.Path == noun || strings.HasPrefix(e.Path, noun+"/")) && !lists[e.Method+" "+e.Path] {
				t.Errorf("no guide lists %s %s, though one is about %s", e.Method, e.Path, noun)
			}
		}
	}
}

// The tables of endpoints say whether a body is flat or in item.
func TestGuidesDescribeTheFormOfBodies(t *testing.T) {
	h := open(t)
	forms := map[string]string{}
	for _, g := range h.guides() {
		for _, row := range listed.FindAllStringSubmatch(h.get(g.Path).body, -1) {
			forms[row[1]+" "+row[2]] = row[3]
		}
	}
	for endpoint, want := range map[string]string{
		"POST /products": "`item`", "PUT /products/{id}": "`item`", "PATCH /products/batch": "`item`", "POST /forms": "`item`",
		"PUT /products/{id}/variants": "flat", "PUT /v1/shop/settings": "flat", "PUT /products/{id}/stock": "flat", "POST /cart/quote": "flat",
		"GET /products": "", "DELETE /products/{id}": "", "POST /form-files": "a file",
	} {
		if got, found := forms[endpoint]; !found || got != want {
			t.Errorf("%s: %q, want %q", endpoint, got, want)
		}
	}
}
