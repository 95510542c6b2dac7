package release

import (
	"strings"
	"testing"
)

func TestDefaultsLeaveOut(t *testing.T) {
	ig := ParseIgnore("")
	for _, path := range []string{
		".env", ".well-known/x", "a/.hidden", "a/.git/config", "node_modules/", "node_modules/x/y.js", "a/node_modules/b",
		"previews/", "previews-2/a.png", "originals/a.psd", "README", "README.md", "docs/README.txt", "notes.md", "a/b.md",
		"qa.mjs", "tests/qa.mjs", "npm.log", "a/b.log",
	} {
		if !ig.Match(path) {
			t.Errorf("%q is published", path)
		}
	}
	for _, path := range []string{
		"index.html", "node_modules", "previews", "my-previews/a", "readme.txt", "a.mdx", "md", "xqa.mjs", "qa.mjs.js", "a.logs", "original/a",
	} {
		if ig.Match(path) {
			t.Errorf("%q is left out", path)
		}
	}
}

func TestAnIgnoreFileWithLinesReplacesTheDefaults(t *testing.T) {
	ig := ParseIgnore("\ufeff# ours\r\n*.psd\r\n\r\n  drafts/  \n/top.txt\ndocs/old*/\n")
	for path, left := range map[string]bool{
		"a.psd": true, "x/a.psd": true, "drafts/": true, "x/drafts/a": true, "drafts": false,
		"top.txt": true, "x/top.txt": false, "docs/old-1/a": true, "x/docs/old/a": false, "docs/older": false, "docs/older/": true,
		".env": false, "README.md": false, "# ours": false,
	} {
		if ig.Match(path) != left {
			t.Errorf("Match(%q) = %v", path, !left)
		}
	}
	for _, text := range []string{"", "\n\n", "# only\n# comments", "/\n//\n"} {
		if !ParseIgnore(text).Match("a.log") {
			t.Errorf("%q replaces the defaults", text)
		}
	}
}

func TestGlobs(t *testing.T) {
	for _, tc := range []struct {
		pattern, name string
		want          bool
	}{
		{"*", "", true}, {"*", "abc", true}, {"**", "abc", true}, {"a*", "a", true}, {"a*c", "abc", true}, {"a*c", "abcb", false},
		{"*.min.*", "a.min.js", true}, {"*ab", "aab", true}, {"*a*b*c", "xaxbxbxc", true}, {"*a*b*c", "xaxbx", false},
		{"?", "й", true}, {"??", "й", false}, {"*?", "й", true}, {"a?c", "abc", true}, {"a?", "a", false},
		{"[id].html", "[id].html", true}, {"[ab]", "a", false}, {"!a", "!a", true}, {"!a", "a", false}, {`\*`, `\x`, true}, {"a.c", "abc", false},
		{"README*", "readme", false},
	} {
		if got := glob(tc.pattern, tc.name); got != tc.want {
			t.Errorf("glob(%q, %q) = %v", tc.pattern, tc.name, got)
		}
	}
}

// slowGlob implements the grammar literally, as a reference.
func slowGlob(pattern, name []rune) bool {
	switch {
	case len(pattern) == 0:
		return len(name) == 0
	case pattern[0] == '*':
		return slowGlob(pattern[1:], name) || len(name) > 0 && slowGlob(pattern, name[1:])
	}
	return len(name) > 0 && (pattern[0] == '?' || pattern[0] == name[0]) && slowGlob(pattern[1:], name[1:])
}

func FuzzIgnore(f *testing.F) {
	for _, seed := range [][2]string{
		{"*.md\nnode_modules/", "a/b.md"}, {"/a/b*/", "a/bc/d"}, {"#\n\n*a*a*b", "aaaaaaaa"}, {"?[", "й["}, {"", ".x"}, {"**", "a//b/"},
	} {
		f.Add(seed[0], seed[1])
	}
	f.Fuzz(func(t *testing.T, text, path string) {
		if len(text) > 1000 || len(path) > MaxPath {
			return
		}
		ig := ParseIgnore(text)
		if ig.Match(path+"/") && !ig.Match(path+"/inside") && !strings.HasSuffix(path, "/") && path != "" {
			t.Errorf("%q leaves out the folder %q but not its contents", text, path)
		}
		if ig.Match(path) && !strings.HasSuffix(path, "/") && path != "" && !ig.Match(path+"/") {
			t.Errorf("%q leaves out %q, but not the folder of that name", text, path)
		}
		first, _, _ := strings.Cut(text, "\n")
		if p, n := []rune(first), []rune(path); len(p) <= 8 && len(n) <= 12 && string(p) == first && string(n) == path {
			if glob(first, path) != slowGlob(p, n) {
				t.Errorf("glob(%q, %q) = %v", first, path, glob(first, path))
			}
		}
	})
}
