package admin_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"vitrine/compile/widget"
)

// settingInputs are what the forms of the cabinet must have for the settings of all blocks: kinds of
// inputs, and the names of settings and values.
type settingInputs struct{ inputs, names, values map[string]bool }

func (s settingInputs) object(of *widget.Schema) {
	if of == nil {
		return
	}
	for name, field := range of.Properties {
		s.names[name] = true
		s.setting(field)
	}
}

// setting follows inputOf of kinds.ts.
func (s settingInputs) setting(of *widget.Schema) {
	kind, ok := of.Type.(string)
	if types, several := of.Type.([]string); several {
		kind, ok = types[0], true
	}
	switch {
	case of.AnyOf != nil:
		kind = "either"
	case of.Of != "":
		kind = string(of.Of)
	case of.Format != "":
		kind = string(of.Format)
	case of.Enum != nil:
		kind = "choice"
	case kind == "array" && of.Items.Pattern != "":
		kind = "classes"
	case kind == "array" && of.Items.Enum != nil:
		kind = "choices"
	case kind == "array":
		kind = "list"
	case !ok:
		kind = "?"
	}
	s.inputs[kind] = true
	for _, v := range of.Enum {
		s.values[fmt.Sprint(v)] = true
	}
	s.object(of)
	for _, form := range of.AnyOf {
		s.setting(form)
	}
	switch {
	case kind == "choices":
		for _, v := range of.Items.Enum {
			s.values[fmt.Sprint(v)] = true
		}
	case kind == "list":
		s.setting(of.Items)
	}
}

// wordsIn lists the words of a table in a source of the cabinet.
func wordsIn(t *testing.T, file, table string) (names []string) {
	t.Helper()
	text, err := os.ReadFile(web + "src/" + file)
	if err != nil {
		t.Fatal(err)
	}
	_, rest, ok := strings.Cut(string(text), table)
	if !ok {
		t.Fatalf("%s has no %s", file, table)
	}
	rest, _, _ = strings.Cut(rest, "\n}")
	for _, m := range regexp.MustCompile(`(?m)^  "?([\w-]+)"?: \[`).FindAllStringSubmatch(rest, -1) {
		names = append(names, m[1])
	}
	return names
}

// The forms of blocks are made of the table of kinds: they have an input for every kind of setting
// in it, none that no setting needs, and names for all settings, values and kinds.
func TestTheCabinetHasAnInputForEverySettingOfABlock(t *testing.T) {
	t.Parallel()
	need := settingInputs{map[string]bool{}, map[string]bool{}, map[string]bool{}}
	reference := widget.Describe()
	var kinds []string
	for _, e := range slices.Concat(reference.Widgets, reference.Structural) {
		need.object(e.Props)
		need.object(e.Items)
		for path, field := range e.Mount {
			need.names[path[strings.LastIndex(path, ".")+1:]] = true
			need.setting(field)
		}
		if e.Drawn && (len(e.Example) > 0 && !slices.Contains([]string{"group"}, e.Kind)) {
			kinds = append(kinds, e.Kind)
		}
	}
	need.object(reference.Wrapper.Props)

	text, err := os.ReadFile(web + "src/pages/design/kinds.ts")
	if err != nil {
		t.Fatal(err)
	}
	_, list, _ := strings.Cut(string(text), "inputs = [")
	list, _, _ = strings.Cut(list, "]")
	var has []string
	for _, m := range regexp.MustCompile(`"([^"]+)"`).FindAllStringSubmatch(list, -1) {
		has = append(has, m[1])
	}
	slices.Sort(has)
	if want := slices.Sorted(maps.Keys(need.inputs)); !slices.Equal(has, want) {
		t.Errorf("the cabinet has inputs for\n%s\nthe table needs\n%s", has, want)
	}
	same := func(what string, has []string, need []string) {
		slices.Sort(has)
		slices.Sort(need)
		if !slices.Equal(has, need) {
			t.Errorf("%s: the cabinet has words for\n%s\nthe table has\n%s", what, has, need)
		}
	}
	same("settings", wordsIn(t, "words/settings_of_blocks.ts", "names: Phrases"), slices.Collect(maps.Keys(need.names)))
	speaking := slices.DeleteFunc(slices.Collect(maps.Keys(need.values)), func(v string) bool { return !regexp.MustCompile(`^[a-z]\w*(-\w+)?$`).MatchString(v) || v == "h1" })
	same("values", wordsIn(t, "words/settings_of_blocks.ts", "values: Phrases"), speaking)
	same("kinds", wordsIn(t, "words/design.ts", "kinds: Phrases"), kinds)
}

// The pages that one begins with are whole and correct in both languages.
func TestStartersOfPagesAreValid(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(web + "src/pages/design/starters.json")
	if err != nil {
		t.Fatal(err)
	}
	var pages []struct {
		Key      string
		Name     map[string]string
		About    map[string]string
		Sections []any
	}
	if err := json.Unmarshal(text, &pages); err != nil {
		t.Fatal(err)
	}
	if len(pages) < 8 {
		t.Errorf("%d pages", len(pages))
	}
	for _, page := range pages {
		for _, language := range []string{"en", "ru"} {
			if page.Name[language] == "" || page.About[language] == "" || len(page.Sections) < 3 {
				t.Errorf("%s in %s is not a whole page", page.Key, language)
			}
			sections, err := json.Marshal(inLanguage(page.Sections, language))
			if err != nil {
				t.Fatal(err)
			}
			report, err := widget.Validate(sections)
			if err != nil || report.Ignored+report.Unknown > 0 {
				t.Errorf("%s in %s: %v", page.Key, language, err)
			}
			for _, f := range report.Findings {
				if f.Status != widget.Applied || f.Drawn != nil {
					t.Errorf("%s in %s: %s %s %s", page.Key, language, f.Path, f.Status, f.Detail)
				}
			}
		}
	}
}

// inLanguage follows inLanguage of starters.ts.
func inLanguage(value any, language string) any {
	switch v := value.(type) {
	case []any:
		list := make([]any, len(v))
		for i := range v {
			list[i] = inLanguage(v[i], language)
		}
		return list
	case map[string]any:
		if text, ok := v[language].(string); ok && len(v) == 2 {
			return text
		}
		object := map[string]any{}
		for name := range v {
			object[name] = inLanguage(v[name], language)
		}
		return object
	}
	return value
}
