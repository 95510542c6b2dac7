package render

import (
	"io/fs"
	"regexp"
	"slices"
	"strings"
	"testing"

	"vitrine/compile/pack"
	"vitrine/internal/golden"
	"vitrine/internal/shop"
)

func templateText(t *testing.T) string {
	t.Helper()
	var all strings.Builder
	names, err := fs.Glob(templateFiles, "templates/*.html")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		text, err := templateFiles.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		all.Write(text)
	}
	return all.String()
}

func TestAssets(t *testing.T) {
	pattern := regexp.MustCompile(`^/_vitrine/(storefront\.[0-9a-f]{16}\.(css|js)|zone\.[0-9a-f]{16}\.css|(proof|scheme)\.[0-9a-f]{16}\.js|favicon\.svg)$`)
	for _, a := range Assets() {
		if !pattern.MatchString(a.Path) || len(a.Body) == 0 || a.Type == "" || !strings.HasPrefix(a.ETag, `"`) {
			t.Errorf("%s %s %s, %d bytes", a.Path, a.Type, a.ETag, len(a.Body))
		}
		if a.Immutable != strings.Contains(a.Path, strings.Trim(a.ETag, `"`)) {
			t.Errorf("%s: immutable is %t", a.Path, a.Immutable)
		}
	}
	if style, zone, script := sent(t, packed().style.Body), sent(t, packed().zone.Body), sent(t, packed().script.Body); style > 14_000 || zone > 2_000 || script > 20_000 {
		t.Errorf("compressed, the style sheet has %d bytes, that of the zones %d, the script %d", style, zone, script)
	}
}

// cssRules is both style sheets without comments.
func cssRules() string {
	return regexp.MustCompile(`(?s)\s*/\*.*?\*/`).ReplaceAllString(string(stylesheet)+string(zoneStyles), "")
}

// sent is the size of a file after the edge's gzip compression.
func sent(t *testing.T, body []byte) int {
	t.Helper()
	packed, err := pack.Encode(body, pack.Gzip, pack.File)
	if err != nil {
		t.Fatal(err)
	}
	return len(packed)
}

func TestScriptContainsAllItsFiles(t *testing.T) {
	names, err := fs.Glob(scriptFiles, "assets/script/*.js")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		body, err := scriptFiles.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(body)) {
			if strings.HasPrefix(line, "function ") && strings.Count(string(previewScript), line) != 1 {
				t.Errorf("%s: the script contains %d times %s", name, strings.Count(string(previewScript), line), line)
			}
		}
		if lines := strings.Count(string(body), "\n"); lines > 150 {
			t.Errorf("%s has %d lines", name, lines)
		}
	}
	if strings.Contains(string(script), "cabinet") {
		t.Error("the script of visitors talks to the cabinet")
	}
	for _, zone := range shop.Zones {
		if !strings.Contains(string(script), "'"+string(zone)+"'") {
			t.Errorf("the script does not load /%s in full", zone)
		}
	}
}

func TestStylesheetHasRulesForAllClasses(t *testing.T) {
	bare := map[string]bool{"v-lines": true, "v-legal": true} // for the script only
	// Class names used outside the templates.
	named := []string{
		"v-boxed", "v-section--text", "v-widget__title", "v-columns", "v-columns__cell", "v-article__aside", "v-look--small",
		"v-notes__more", "v-look--full", "v-prose", "v-slides__title", "v-rich", "v-rich__wide",
		"v-state--completed", "v-state--cancelled", "v-message--buyer", "v-box", "v-box--dark", "v-box--light", "v-box--inner", "v-t", "v-box--layer", "v-box--layer-t", "v-box--layer-m",
	}
	class := regexp.MustCompile(`\bv-[a-z]+(?:__[a-z]+)?(?:--[a-z]+)?\b`)
	used := map[string]bool{}
	for _, attr := range regexp.MustCompile(`class="([^"]*)"`).FindAllStringSubmatch(templateText(t), -1) {
		for _, name := range class.FindAllString(attr[1], -1) {
			used[name] = true
		}
	}
	for _, s := range slots {
		used[s.class] = true
	}
	for name := range used {
		if !bare[name] && !regexp.MustCompile(`\.`+name+`\b`).MatchString(cssRules()) {
			t.Errorf("no rule for .%s", name)
		}
	}
	for _, name := range regexp.MustCompile(`\.(v-[a-z_-]+[a-z])`).FindAllStringSubmatch(cssRules(), -1) {
		if !strings.Contains(templateText(t)+string(script), name[1]) && !usedBySlots(name[1]) && !strings.HasPrefix(name[1], "v-notes-") &&
			!strings.HasPrefix(name[1], "v-note__") &&
			!slices.Contains(named, name[1]) {
			t.Errorf("no element has the class %s", name[1])
		}
	}
}

func usedBySlots(class string) bool {
	for _, s := range slots {
		if s.class == class {
			return true
		}
	}
	return false
}

func TestScriptReadsAllDataAttributes(t *testing.T) {
	// The buttons of a cart line, which the script finds by their actions.
	actions := map[string]bool{"data-v-less": true, "data-v-more": true, "data-v-remove": true}
	for _, hook := range regexp.MustCompile(`data-v-[a-z]+(?:-[a-z]+)*`).FindAllString(templateText(t), -1) {
		camel := "v"
		for part := range strings.SplitSeq(strings.TrimPrefix(hook, "data-v-"), "-") {
			camel += strings.ToUpper(part[:1]) + part[1:]
		}
		if !strings.Contains(string(previewScript), hook) && !strings.Contains(string(previewScript), camel) && !actions[hook] {
			t.Errorf("the script does not read %s", hook)
		}
	}
}

// An author's unlayered rule must win over every rule of the storefront (document 3, 4.6.4).
func TestStylesheetIsLayered(t *testing.T) {
	text := cssRules()
	depth, start := 0, 0
	for i := range len(text) {
		switch text[i] {
		case '{':
			if depth++; depth == 1 {
				if head := strings.TrimSpace(text[start:i]); head != "@layer base" && head != "@layer storefront" && head != "@layer guard" {
					t.Errorf("outside the layers: %s", head)
				}
			}
		case '}':
			depth--
			start = i + 1
		case ';':
			if depth == 0 {
				if rule := strings.TrimSpace(text[start:i]); rule != "@layer base, storefront, guard" {
					t.Errorf("outside the layers: %s", rule)
				}
				start = i + 1
			}
		}
	}
	if depth != 0 {
		t.Errorf("%d blocks are not closed", depth)
	}
	below, _, _ := strings.Cut(text, "@layer guard {") // !important is intended there
	for line := range strings.Lines(below) {
		// The page's own body and main, and a canvas background that replaces the wrapper's.
		if strings.Contains(line, "!important") && !strings.HasPrefix(line, "body:not(.svc-body") &&
			!strings.Contains(line, "#v-content[data-v-canvas") {
			t.Errorf("!important inverts the order of layers: %s", line)
		}
	}
}

// Content from other pages is fetched only by fetchDrawn, which checks that the edge rendered
// it. Other requests only send data, or reload a page of a guarded zone.
func TestScriptFetchesPagesInOnePlace(t *testing.T) {
	fetches := regexp.MustCompile(`\b(fetch|XMLHttpRequest|importScripts|import|EventSource)\([^,+]*`).FindAllString(string(script), -1)
	golden.Rows(t, "calls", fetches, []string{
		"fetch('/api' ", "fetch(action.split('#')[0]", "fetch(location.href", "fetch(address", "fetch('/api/forms/' ", "fetch('/_vitrine/suggest?q=' ",
		"fetch('/_vitrine/clear'",
	})
}
