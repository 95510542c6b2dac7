package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"

	"vitrine/internal/await"
)

// otherWords are words in identifiers for which the glossary of internal/shop (or the field)
// has another word.
var otherWords = map[string]string{
	"strangers": "unknown hosts: negative cache",
	"door":      "listener", "doors": "listeners", "patience": "timeout", "former": "journal", "formerly": "journal",
	"lane": "sandboxed pages", "theme": "layout", "themes": "layouts",
}

// spelledOtherwise are identifiers that repeat a word of an external interface.
var spelledOtherwise = map[string]string{
	"Formerly": "a field of the demo's own file, in plain words",
}

var wordOfName = regexp.MustCompile(`[A-Z]+[a-z0-9]*|[a-z0-9]+`)

// words splits an identifier at its capitals.
func words(name string) (list []string) {
	for _, word := range wordOfName.FindAllString(name, -1) {
		list = append(list, strings.ToLower(word))
	}
	return list
}

func TestIdentifiersUseTheGlossary(t *testing.T) {
	out, err := exec.CommandContext(await.Context(t), "go", "list", "-f", "{{range .GoFiles}}{{$.Dir}}/{{.}}\n{{end}}", "vitrine/...").Output()
	if err != nil {
		t.Fatal(err)
	}
	files := token.NewFileSet()
	for path := range strings.FieldsSeq(string(out)) {
		file, err := parser.ParseFile(files, path, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			name, isName := n.(*ast.Ident)
			if !isName || spelledOtherwise[name.Name] != "" || !unicode.IsLetter(rune(name.Name[0])) {
				return true
			}
			for _, word := range words(name.Name) {
				if better := otherWords[word]; better != "" {
					t.Errorf("%s: %s uses %q, the glossary %q", files.Position(name.Pos()), name.Name, word, better)
				}
			}
			return true
		})
		for _, word := range words(strings.ReplaceAll(strings.TrimSuffix(filepath.Base(path), ".go"), "_", " ")) {
			if better := otherWords[word]; better != "" {
				t.Errorf("%s: the file is named %q, the glossary uses %q", path, word, better)
			}
		}
	}
}

func TestWordsOfAnIdentifier(t *testing.T) {
	for name, want := range map[string][]string{"maxStrangers": {"max", "strangers"}, "HTTPDoor": {"httpdoor"}, "theme": {"theme"}, "x2": {"x2"}} {
		if got := words(name); !slices.Equal(got, want) {
			t.Errorf("%s: %v", name, got)
		}
	}
}
