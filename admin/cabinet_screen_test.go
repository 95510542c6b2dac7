package admin_test

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"vitrine/admin/api"
	"vitrine/admin/api/apitest"
	"vitrine/compile/release"
	"vitrine/internal/shop"
)

// screens reads testdata/cabinet_screens.txt: the calls that a session may make, each below the
// screen that makes it, or below the reason why none does.
func screens(t *testing.T) (of map[string]string) {
	t.Helper()
	text, err := os.ReadFile("testdata/cabinet_screens.txt")
	if err != nil {
		t.Fatal(err)
	}
	of, screen := map[string]string{}, ""
	for line := range strings.Lines(string(text)) {
		line = strings.TrimRight(line, "\n")
		call, indented := strings.CutPrefix(line, "\t")
		switch {
		case line == "" || strings.HasPrefix(line, "#"):
		case !indented:
			screen = line
		case of[call] != "":
			t.Errorf("%s has two entries", call)
		default:
			of[call] = screen
		}
	}
	return of
}

// cabinetSources are the programs of the cabinet, without the types that are made from the API.
func cabinetSources(t *testing.T) string {
	t.Helper()
	var all strings.Builder
	err := filepath.WalkDir(web+"src", func(path string, d fs.DirEntry, err error) error {
		if err != nil || !strings.Contains(path, ".ts") || strings.HasSuffix(path, "schema.d.ts") {
			return err
		}
		text, err := os.ReadFile(path)
		all.Write(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all.String()
}

var (
	cabinetRoute = regexp.MustCompile(`getParentRoute: \(\) => (root|shop),\s*path: "([^"]+)"`)
	braced       = regexp.MustCompile(`\\\{[^}]+\\\}`)
)

// Every call that a session may make has a screen of the cabinet that makes it, or a reason why
// none does.
func TestEveryCallOfASessionHasAScreenOrAReason(t *testing.T) {
	t.Parallel()
	source := cabinetSources(t)
	routes := []string{}
	for _, m := range cabinetRoute.FindAllStringSubmatch(source, -1) {
		path := "/cabinet/" + strings.TrimPrefix(m[2], "/")
		if m[1] == "shop" {
			path = "/cabinet/$shop/" + m[2]
		}
		routes = append(routes, path)
	}
	listed := screens(t)
	for _, e := range apitest.New(t).Admin.Table() {
		call := e.Method + " " + e.Path
		if e.Auth == api.Link && !strings.HasPrefix(e.Path, "/v1/auth/") {
			continue
		}
		screen, ok := listed[call]
		delete(listed, call)
		if !ok {
			t.Errorf("%s is not in testdata/cabinet_screens.txt", call)
			continue
		}
		source := linesWith(source, e.Path)
		path := braced.ReplaceAllString(regexp.QuoteMeta(e.Path), `[^"/]+`)
		made := regexp.MustCompile(`\.` + e.Method + `\("` + path + `"|(run|imports|exports|asked|download|sendShop|sendZip)\S* ?"` + path + `"|(src=\{|download\()` + "`" + path).MatchString(source)
		switch reason, without := strings.CutPrefix(screen, "- "); {
		case without && reason == "":
			t.Errorf("%s has neither a screen nor a reason", call)
		case without && regexp.MustCompile(`\.`+e.Method+`\("`+braced.ReplaceAllString(regexp.QuoteMeta(e.Path), `\{\w+\}`)+`"`).MatchString(source):
			t.Errorf("%s: the cabinet makes this call, although %s", call, reason)
		case without:
		case screen != "/cabinet/…" && !slices.Contains(routes, screen): // "…": every page
			t.Errorf("%s: the cabinet has no screen %s", call, screen)
		case !made:
			t.Errorf("%s: nothing in the cabinet makes this call, which %s is to make", call, screen)
		}
	}
	for call, screen := range listed {
		t.Errorf("%s of %s is no call that a session may make", call, screen)
	}
}

// linesWith returns the lines that contain a path up to its first parameter: an expression that begins
// with alternatives needs seconds for all sources.
func linesWith(source, path string) string {
	start, _, _ := strings.Cut(path, "{")
	var lines strings.Builder
	for line := range strings.Lines(source) {
		if strings.Contains(line, start) {
			lines.WriteString(line)
		}
	}
	return lines.String()
}

// A secret that a person types into a form which keeps unsaved input is Unkept: inputsOf makes its field.
func TestCabinetKeepsNoSecretThatIsTyped(t *testing.T) {
	t.Parallel()
	keeps := regexp.MustCompile(`/(useEdit|typed|inputs|EditForm)"`)
	field := regexp.MustCompile(`<PasswordInput\s+(\S+)`)
	kept := 0
	err := filepath.WalkDir(web+"src", func(path string, d fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, ".tsx") {
			return err
		}
		text, err := os.ReadFile(path)
		if !keeps.Match(text) {
			return err
		}
		for _, m := range field.FindAllSubmatch(text, -1) {
			kept++
			if !strings.HasPrefix(string(m[1]), "{...unkept(") {
				t.Errorf("%s: a PasswordInput does not begin with {...unkept(", path)
			}
		}
		return err
	})
	if err != nil || kept < 3 {
		t.Error(kept, err)
	}
}

// The preview of a shop's look draws with the fonts that the storefront has.
func TestCabinetKnowsTheFontsOfTheStorefront(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(web + "src/pages/settings/palette.ts")
	if err != nil {
		t.Fatal(err)
	}
	for name, stack := range shop.Fonts {
		if !regexp.MustCompile(`"?` + string(name) + `"?: ` + regexp.QuoteMeta("'"+stack+"'")).Match(text) {
			t.Errorf("palette.ts lacks the font %s: %s", name, stack)
		}
	}
}

// Each finding of a report has a title in the person's language.
func TestCabinetHasAWordForEachFinding(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(web + "src/words/findings.ts")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range release.Codes {
		if !strings.Contains(string(text), "\n  "+strconv.Quote(c.Code)+": [\"") {
			t.Errorf("findings.ts lacks %s", c.Code)
		}
	}
}

// A folder that is dropped leaves out what a ZIP of it would, and reads the same ignore files.
func TestCabinetLeavesOutWhatAZIPDoes(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(web + "src/pages/websites/ignore.ts")
	if err != nil {
		t.Fatal(err)
	}
	defaults := regexp.MustCompile(`const defaults = (".*");`).FindSubmatch(text)
	if defaults == nil {
		t.Fatal("ignore.ts has no list of what is left out")
	}
	patterns, err := strconv.Unquote(string(defaults[1]))
	if err != nil || !reflect.DeepEqual(release.ParseIgnore(patterns), release.ParseIgnore("")) {
		t.Errorf("ignore.ts leaves out %s, %v", defaults[1], err)
	}
	for _, line := range []string{`const ignoreFiles = ["` + strings.Join(release.IgnoreFiles[:], `", "`) + `"];`, fmt.Sprintf("const mostIgnore = %d * 1024;", release.MaxIgnore>>10)} {
		if !strings.Contains(string(text), line) {
			t.Errorf("ignore.ts lacks %s", line)
		}
	}
}

// What an import could not keep is said in words: each code of the code has its own.
func TestEveryLossOfAnImportHasWords(t *testing.T) {
	t.Parallel()
	words, err := os.ReadFile("cabinet/web/src/words/losses.ts")
	if err != nil {
		t.Fatal(err)
	}
	lost := regexp.MustCompile(`(?:lose\(.*|Code: )"([A-Z]+_[A-Z_]+)"`)
	found := 0
	for _, folder := range []string{"movein", "../compile/movein"} {
		files, err := filepath.Glob(folder + "/*.go")
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if strings.HasSuffix(file, "_test.go") {
				continue
			}
			for _, m := range lost.FindAllStringSubmatch(string(text), -1) {
				found++
				if !strings.Contains(string(words), "\n  "+m[1]+": [") {
					t.Errorf("%s: words/losses.ts does not say what %s means", file, m[1])
				}
			}
		}
	}
	if found < 40 {
		t.Errorf("only %d losses were found", found)
	}
}
