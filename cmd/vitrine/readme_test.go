package main

import (
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"
)

// readme is the README and what stands in it between two headings.
func readme(t *testing.T, heading string) string {
	t.Helper()
	text, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	if heading == "" {
		return string(text)
	}
	_, after, found := strings.Cut(string(text), "\n## "+heading+"\n")
	if !found {
		t.Fatalf("the README has no part %q", heading)
	}
	part, _, _ := strings.Cut(after, "\n## ")
	return part
}

func TestTheReadmeNamesEverySettingWithItsDefault(t *testing.T) {
	rows := readme(t, "Settings")
	for i := range reflect.TypeFor[Settings]().NumField() {
		tag := reflect.TypeFor[Settings]().Field(i).Tag
		row := regexp.MustCompile(`(?m)^\|.*` + "`" + tag.Get("env") + "`" + `.*$`).FindString(rows)
		if row == "" {
			t.Errorf("%s has no row", tag.Get("env"))
		}
		if fallback := tag.Get("default"); !strings.Contains(row, "`"+fallback+"`") && fallback != "" {
			t.Errorf("the row of %s does not say its default, %s: %s", tag.Get("env"), fallback, row)
		}
	}
	for _, name := range regexp.MustCompile(`VITRINE_[A-Z_]*[A-Z]`).FindAllString(rows, -1) {
		if !known(name) {
			t.Errorf("%s is no setting", name)
		}
	}
}

func known(name string) bool {
	for i := range reflect.TypeFor[Settings]().NumField() {
		if reflect.TypeFor[Settings]().Field(i).Tag.Get("env") == name {
			return true
		}
	}
	return false
}

// A folder stands in the table under its own path or, by its last name in
// backticks, in the row of a folder above it.
func TestTheReadmeNamesEveryPackage(t *testing.T) {
	out, err := exec.Command("go", "list", "vitrine/...").Output()
	if err != nil {
		t.Fatal(err)
	}
	rows := map[string]string{}
	for line := range strings.Lines(readme(t, "Folders")) {
		cells := strings.Split(line, "|")
		if len(cells) < 4 {
			continue
		}
		for _, name := range regexp.MustCompile("`([^`]+)`").FindAllStringSubmatch(cells[1], -1) {
			rows[name[1]] = cells[2]
		}
	}
	for name := range strings.FieldsSeq(string(out)) {
		name = strings.TrimPrefix(name, "vitrine/")
		if _, own := rows[name]; own {
			continue
		}
		named := false
		for above := path.Dir(name); above != "."; above = path.Dir(above) {
			named = named || strings.Contains(rows[above], "`"+path.Base(name)+"`")
		}
		if !named {
			t.Errorf("%s is not in the table of folders", name)
		}
	}
	for name := range rows {
		if _, err := os.Stat(filepath.Join("../..", name)); err != nil {
			t.Errorf("the table of folders names %s: %v", name, err)
		}
	}
}

func TestEveryLinkOfTheReadmeLeadsToAFile(t *testing.T) {
	for _, link := range regexp.MustCompile(`\]\(([^)#:]+)\)`).FindAllStringSubmatch(readme(t, ""), -1) {
		if _, err := os.Stat(filepath.Join("../..", link[1])); err != nil {
			t.Error(err)
		}
	}
}
