package render

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/tdewolff/parse/v2"
	"github.com/tdewolff/parse/v2/js"
)

// The files of the storefront's script are joined into one module, which fails as a whole if
// two files declare the same name.
func TestScriptNamesAreUnique(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("assets/script/*.js")
	if err != nil || len(files) < 2 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	declared := map[string]string{}
	names := regexp.MustCompile(`(?m)^(?:async )?(?:function\*?|const|let|var|class) +([A-Za-z_$][\w$]*)`)
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, found := range names.FindAllStringSubmatch(string(text), -1) {
			if other := declared[found[1]]; other != "" {
				t.Errorf("%s and %s both declare %s", other, file, found[1])
			}
			declared[found[1]] = file
		}
	}
}

// Every name in the script is declared in it or provided by the browser. This finds names
// that were removed while another file still uses them.
func TestScriptNamesAreDeclared(t *testing.T) {
	t.Parallel()
	tree, err := js.Parse(parse.NewInputBytes(previewScript), js.Options{})
	if err != nil {
		t.Fatal(err)
	}
	browsers := strings.Fields(`
		AbortController Boolean CSS CSSStyleSheet CustomEvent DOMParser Date Document Element Event EventTarget FormData IntersectionObserver JSON Map
		Math MutationObserver Node NodeFilter Number Object Promise ResizeObserver Set String Symbol TypeError URL URLSearchParams WeakSet Worker
		clearInterval clearTimeout decodeURIComponent document encodeURIComponent fetch getComputedStyle history innerHeight innerWidth
		localStorage location matchMedia navigator parseFloat reportError requestAnimationFrame scrollTo scrollX scrollY sessionStorage
		setInterval setTimeout undefined window`)
	for _, v := range tree.BlockStmt.Scope.Undeclared {
		if !slices.Contains(browsers, string(v.Data)) {
			t.Errorf("the script uses %s, which is not declared", v.Data)
		}
	}
}

// Form fields named like methods shadow the form's methods, and an event's target may be a
// document. Listeners therefore search around the target with the helper within only.
func TestListenersUseWithinForTheTarget(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("assets/script/*.js")
	if err != nil || len(files) < 2 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	direct := regexp.MustCompile(`\b(?:event|e)\.target\.(?:closest|matches|querySelector\w*)\b`)
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, found := range direct.FindAllString(string(text), -1) {
			t.Errorf("%s: %s; use within", file, found)
		}
	}
}

// An observer's callback receives all changes since its last call in one list; on a busy
// machine there may be several. Only the last one is the current state.
func TestObserversReadAllEntries(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("assets/script/*.js")
	if err != nil || len(files) < 2 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	first := regexp.MustCompile(`Observer\(\(?\[|\b(?:seen|entries|changes)\[0\]`)
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, found := range first.FindAllString(string(text), -1) {
			t.Errorf("%s: %s", file, found)
		}
	}
}
