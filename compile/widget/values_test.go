package widget

import (
	"encoding/json"
	"reflect"
	"testing"
)

// TestReadAgreesWithValidate writes values of every type to every setting: Read returns the value
// where the report applies it unchanged, and otherwise what the report gives as drawn.
func TestReadAgreesWithValidate(t *testing.T) {
	samples := []string{`true`, `0`, `7`, `-3`, `100000`, `2.5`, `"7"`, `"words"`, `""`, `{}`, `[]`, `null`, `["words"]`, `{"hex":"#fff"}`}
	for _, kind := range Kinds() {
		for _, p := range kind.Props {
			if p.Type == Object || p.Type == List {
				samples = append(samples, `{"weight":800}`)
			}
			for _, choice := range p.Choices {
				text, err := json.Marshal(choice)
				if err != nil {
					t.Fatal(err)
				}
				samples = append(samples, string(text))
			}
			for _, sample := range samples {
				checkRead(t, kind, p, sample)
			}
			samples = samples[:14]
		}
	}
}

func checkRead(t *testing.T, kind Kind, p Prop, sample string) {
	t.Helper()
	props := `{"` + p.Name + `":` + sample + `}`
	if kind.Nest != "" {
		props = `{"` + kind.Nest + `":` + props + `}`
	}
	got := kind.Read(json.RawMessage(props))[p.Name]
	var report Report
	var v any
	if err := decode([]byte(sample), &v); err != nil {
		t.Fatal(err)
	}
	report.value("", p, v)
	want := p.drawn(v)
	for _, f := range report.Findings {
		if f.Path == "" && f.Detail != "" {
			want = plain(f.Drawn)
		}
	}
	if p.Type != Object && p.Type != List && !reflect.DeepEqual(got, want) {
		t.Errorf("%s.%s: %s is read as %#v, the report gives %#v", kind.Name, p.Name, sample, got, want)
	}
	if got == nil && p.Default != nil {
		t.Errorf("%s.%s: %s is read as nothing", kind.Name, p.Name, sample)
	}
}

func TestMissingSettingsAreReadAsDefaults(t *testing.T) {
	for _, props := range []string{``, `null`, `[]`, `{}`, `"x"`, `{"listing":5,"articles":[]}`, `{`} {
		for _, kind := range Kinds() {
			for _, p := range kind.Props {
				if values := kind.Read(json.RawMessage(props)); !values.Default(p) {
					t.Errorf("%s.%s of %s is %v", kind.Name, p.Name, props, values[p.Name])
				}
			}
		}
	}
	faq, _ := Lookup("faq")
	if items := faq.ReadItems(json.RawMessage(`[{"question":"Why?"}, 5, {"answer":[]}]`)); len(items) != 2 ||
		items[0].Text("question") != "Why?" ||
		items[1].Text("answer") != "" {
		t.Errorf("%v", items)
	}
	listing, _ := Lookup("articleListing")
	if got := listing.Read(json.RawMessage(`{"articles":{"limit":99,"layout":"none"},"limit":2}`)); got.Int("limit") != 24 ||
		got.Text("layout") != "feature" {
		t.Errorf("%v", got)
	}
}
