package widget

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"vitrine/internal/golden"
)

func TestTableIsComplete(t *testing.T) {
	seen := map[string]bool{}
	for _, k := range Kinds() {
		if seen[k.Name] {
			t.Errorf("%s is listed twice", k.Name)
		}
		seen[k.Name] = true
		if k.RU == "" || k.EN == "" || k.Placement != Chrome && k.Placement != Page || k.Render != Slot && k.Render != Section {
			t.Errorf("%s is incomplete: %+v", k.Name, k)
		}
		if k.Placement == Chrome && k.Render != Section {
			t.Errorf("%s: chrome must be drawn from its section", k.Name)
		}
		for _, p := range slices.Concat(k.Props, k.Mount, k.Items) {
			checkProp(t, k.Name, p)
		}
	}
	for _, p := range axes {
		checkProp(t, "wrapper", p)
	}
	if n := len(commerce) + len(content) + len(chrome); n != 17 {
		t.Errorf("%d widget kinds besides the editorial ones, want 17", n)
	}
}

func checkProp(t *testing.T, kind string, p Prop) {
	t.Helper()
	if p.Name == "" {
		t.Errorf("%s has a setting without a name", kind)
	}
	if p.Default != nil && !p.sound(asSent(t, p.Default)) {
		t.Errorf("%s.%s: the default %v is not applied", kind, p.Name, p.Default)
	}
	if p.Type == List && p.Item == nil {
		t.Errorf("%s.%s is a list without an item type", kind, p.Name)
	}
}

// asSent converts a value of the table to its decoded JSON form.
func asSent(t interface{ Fatal(...any) }, v any) any {
	text, err := json.Marshal([]any{v})
	if err != nil {
		t.Fatal(err)
	}
	var wrapped []any
	dec := json.NewDecoder(strings.NewReader(string(text)))
	dec.UseNumber()
	if err := dec.Decode(&wrapped); err != nil {
		t.Fatal(err)
	}
	return wrapped[0]
}

func TestDefaultsOfTheSpecification(t *testing.T) {
	for _, c := range []struct {
		kind, prop string
		want       any
	}{
		{"productListing", "limit", 24}, {"productListing", "showFilter", true}, {"productListing", "modalSize", "std"}, {"productListing", "source", "category"},
		{"slideshow", "aspect", "16:9"}, {"slideshow", "radius", nil}, {"slideshow", "legacy", true}, {"slideshow", "captionClass", "text-sm sm:text-base"},
		{"reels", "tileWidth", 172}, {"reels", "overflow", "plusN"}, {"reels", "aspectClass", "aspect-[9/16]"}, {"reels", "titleTag", "h3"},
		{"cards", "source", "manual"}, {"cards", "articlesLimit", 4},
		{"steps", "markerPx", 32}, {"steps", "markerFill", map[string]any{"hex": ""}}, {"steps", "connectorStyle", "solid"},
		{"faq", "openMode", "multi"}, {"faq", "gap", 0}, {"features", "columns", 3}, {"features", "iconClass", "size-12 rounded-xl bg-gray-100"},
		{"cta", "align", "center"}, {"cta", "bgCss", nil},
		{"articleGrid", "view", "tiles"}, {"articleGrid", "coverAspect", "3/2"}, {"articleGrid", "limit", 20}, {"articleGrid", "paging", "auto"},
		{"articleHeader", "titleTag", "h1"}, {"articleListing", "limit", 3},
	} {
		k, ok := Lookup(c.kind)
		p, found := find(k.Props, c.prop)
		if !ok || !found || fmt.Sprint(p.Default) != fmt.Sprint(c.want) {
			t.Errorf("%s.%s: %v, want %v", c.kind, c.prop, p.Default, c.want)
		}
	}
	for kind, path := range map[string]string{
		"productListing": "props.listing", "productCard": "props.card", "form": "props.form", "articleGrid": "props.articleGrid",
		"articleHeader": "props.articleHeader", "articleListing": "props.articles", "articleRubrics": "props.articleRubrics",
		"siteHeader": "props", "siteMenu": "props", "siteFooter": "props", "breadcrumbs": "", "pageHeading": "", "html": "",
	} {
		if k, _ := Lookup(kind); k.WritePath() != path {
			t.Errorf("%s is written at %q, want %q", kind, k.WritePath(), path)
		}
	}
}

func TestReference(t *testing.T) {
	text, err := json.Marshal(Describe())
	if err != nil {
		t.Fatal(err)
	}
	var doc struct {
		Version int
		Widgets []struct {
			Kind    string
			Props   *struct{ Properties map[string]map[string]any }
			Choices map[string][]any
			Mount   map[string]any
		}
		Structural []struct{ Kind string }
	}
	if err := json.Unmarshal(text, &doc); err != nil {
		t.Fatal(err)
	}
	if doc.Version != 1 {
		t.Errorf("version %d", doc.Version)
	}
	var widgets, structural []string
	for _, w := range doc.Structural {
		structural = append(structural, w.Kind)
	}
	golden.Rows(t, "structural widgets", structural, strings.Fields("group zone chromeKit heading text"))
	for _, w := range doc.Widgets {
		widgets = append(widgets, w.Kind)
		switch w.Kind {
		case "breadcrumbs", "pageHeading", "html":
			if w.Props != nil {
				t.Errorf("%s has settings", w.Kind)
			}
		case "productListing":
			limit := w.Props.Properties["limit"]
			if limit["type"] != "integer" || limit["default"] != float64(24) || len(w.Choices["source"]) != 3 {
				t.Errorf("limit %v, choices %v", limit, w.Choices)
			}
		case "slideshow":
			if by, there := w.Props.Properties["radius"]["default"]; !there || by != nil {
				t.Errorf("the schema of radius has no null default: %v", w.Props.Properties["radius"])
			}
		}
	}
	golden.Rows(t, "widgets", widgets, strings.Fields(`breadcrumbs pageHeading html productListing productCard form columns
		cta slideshow reels cards steps faq features articleGrid articleHeader articleListing articleRubrics siteHeader siteMenu siteFooter`))
}

func TestTableCannotBeChangedThroughAnAnswer(t *testing.T) {
	k, _ := Lookup("steps")
	k.Defaults()["markerFill"].(map[string]any)["hex"] = "#000"
	Describe().Wrapper.Choices["blockWidth"][0] = "wide"
	again, _ := Lookup("steps")
	if again.Defaults()["markerFill"].(map[string]any)["hex"] != "" || Describe().Wrapper.Choices["blockWidth"][0] != "content" {
		t.Error("an answer shares memory with the table")
	}
}

func TestDefaultsValidateAsApplied(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		k := rapid.SampledFrom(Kinds()).Draw(t, "kind")
		own := defaults(k.Props)
		for name := range own {
			if rapid.Bool().Draw(t, "leave out") {
				delete(own, name)
			}
		}
		props := own
		if k.Nest != "" {
			props = map[string]any{k.Nest: own}
		}
		if !k.Container && k.Legacy == "" && k.Name != "html" {
			for name, by := range defaults(axes) {
				if _, taken := props[name]; !taken && rapid.Bool().Draw(t, "axis") {
					props[name] = by
				}
			}
		}
		text, err := json.Marshal([]any{map[string]any{"type": "text", "payload": map[string]any{"v": 2, "kind": k.Name, "props": props}}})
		if err != nil {
			t.Fatal(err)
		}
		report, err := Validate(text)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range report.Findings {
			if f.Status != Applied && !(f.Path == "sections[0].payload.kind" && !k.Drawn) {
				t.Fatalf("%s: %+v", text, f)
			}
		}
	})
}

func TestEveryChoiceIsApplied(t *testing.T) {
	for _, k := range Kinds() {
		for _, p := range k.Props {
			for _, c := range p.Choices {
				var r Report
				if r.value("", p, asSent(t, c)); r.Applied != 1 {
					t.Errorf("%s.%s: %v is not applied", k.Name, p.Name, c)
				}
			}
		}
	}
}

// The example of every kind validates without findings, and is not empty for kinds that have
// settings or items.
func TestReferenceExamplesValidate(t *testing.T) {
	for _, e := range append(Describe().Widgets, Describe().Structural...) {
		if e.Example == nil {
			if e.Legacy == "" {
				t.Errorf("%s has no example", e.Kind)
			}
			continue
		}
		text, err := json.Marshal([]any{e.Example})
		if err != nil {
			t.Fatal(err)
		}
		report, err := Validate(text)
		if err != nil || report.Ignored+report.Unknown > 0 {
			t.Errorf("%s: %s: %v %+v", e.Kind, text, err, report)
		}
		if strings.Contains(string(text), `"props":{}`) && e.Props != nil && e.Items == nil {
			t.Errorf("%s: the example has no settings: %s", e.Kind, text)
		}
	}
}

// Findings about items name the position of the item.
func TestFindingsOfItemsNameTheirPosition(t *testing.T) {
	const section = `{"type":"text","payload":{"v":2,"kind":"%s","props":{}},"items":%s}`
	for _, c := range []struct{ kind, items, want string }{
		{"cards", `[{"title":"A"},{"link":"/x"}]`, "sections[0].items[1].link unknown"},
		{"cards", `[{"url":"javascript:alert(1)"}]`, "sections[0].items[0].url unknown"},
		{"slideshow", `[{"image_id":"hero.jpg"}]`, "sections[0].items[0].image_id unknown"},
		{"steps", `[{"title":7}]`, "sections[0].items[0].title unknown"},
		{"faq", `["Why?"]`, "sections[0].items[0] unknown"},
		{"features", `{"title":"A"}`, "sections[0].items unknown"},
		{"reels", `[` + strings.Repeat(`{"title":"A"},`, MaxItems) + `{"title":"B"}]`, "sections[0].items[100] ignored"},
		{"siteFooter", `[{"title":"A"}]`, "sections[0].items ignored"},
	} {
		report, err := Validate(fmt.Appendf(nil, "["+section+"]", c.kind, c.items))
		if err != nil || !slices.ContainsFunc(report.Findings, func(f Finding) bool { return f.Path+" "+string(f.Status) == c.want }) {
			t.Errorf("%s %s: no %s in %+v", c.kind, c.items, c.want, report.Findings)
		}
	}
	report, _ := Validate([]byte(`[{"type":"text","payload":{"v":2,"kind":"cards","items":[],"props":{"items":[]}}}]`))
	for _, f := range report.Findings {
		if strings.HasSuffix(f.Path, "items") && (f.Status != Ignored || !strings.Contains(f.Detail, "beside payload")) {
			t.Errorf("%+v", f)
		}
	}
}
