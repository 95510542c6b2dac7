package widget

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
)

// judge validates one section with the given kind and props, and returns the findings by their
// path below the payload.
func judge(t *testing.T, kind, props string) map[string]Finding {
	t.Helper()
	report, err := Validate([]byte(`[{"type":"text","payload":{"v":2,"kind":"` + kind + `","props":` + props + `}}]`))
	if err != nil {
		t.Fatalf("%s %s: %v", kind, props, err)
	}
	byPath := map[string]Finding{}
	for _, f := range report.Findings {
		path := strings.TrimPrefix(f.Path, "sections[0].payload.")
		if _, twice := byPath[path]; twice {
			t.Errorf("%s is reported twice", f.Path)
		}
		byPath[path] = f
	}
	return byPath
}

func TestStatusOfPaths(t *testing.T) {
	for _, c := range []struct {
		kind, props, path string
		want              Status
		drawn             any
	}{
		{"productListing", `{"listing":{"limit":24}}`, "props.listing.limit", Applied, nil},
		{"productListing", `{"limit":24}`, "props.limit", Ignored, nil},
		{"productListing", `{"productListing":{"limit":24}}`, "props.productListing", Ignored, nil},
		{"productListing", `{"listing":{"cardClick":"popup"}}`, "props.listing.cardClick", Unknown, "link"},
		{"productListing", `{"listing":{"template":"fancy"}}`, "props.listing.template", Unknown, ""},
		{"productListing", `{"listing":{"template":"default"}}`, "props.listing.template", Applied, nil},
		{"productListing", `{"listing":{"categoryId":"12"}}`, "props.listing.categoryId", Applied, nil},
		{"productListing", `{"listing":{"showFilter":"yes"}}`, "props.listing.showFilter", Unknown, true},
		{"productListing", `{"listing":{"sort":"price"}}`, "props.listing.sort", Ignored, nil},
		{"productListing", `{"listing":{"blockWidth":"full"}}`, "props.listing.blockWidth", Ignored, nil},
		{"productListing", `{"container":{"fill":{"hex":"#fff"},"borderTop":true}}`, "props.container.fill", Ignored, nil},
		{"productListing", `{"container":{"fill":{"hex":"#fff"},"borderTop":true}}`, "props.container.borderTop", Applied, nil},
		{"productListing", `{"sidebar_config":[]}`, "props.sidebar_config", Ignored, nil},
		{"productCard", `{"productId":7}`, "props.productId", Ignored, nil},
		{"productCard", `{"card":{"productId":7}}`, "props.card.productId", Applied, nil},
		{"form", `{"formId":7}`, "props.formId", Ignored, nil},
		{"articleGrid", `{"articleGrid":{"limit":999}}`, "props.articleGrid.limit", Applied, 48},
		{"articleGrid", `{"articleGrid":{"columns":9}}`, "props.articleGrid.columns", Applied, 6},
		{"articleGrid", `{"articleGrid":{"limit":0}}`, "props.articleGrid.limit", Applied, 20},
		{"articleGrid", `{"articleGrid":{"rowCoverWidth":20}}`, "props.articleGrid.rowCoverWidth", Applied, 160},
		{"articleGrid", `{"articleGrid":{"hiddenParts":["cover","price"]}}`, "props.articleGrid.hiddenParts[1]", Unknown, nil},
		{"articleHeader", `{"articleHeader":{"tags":[{"key":"a","text":"b"}]}}`, "props.articleHeader.tags[0].text", Applied, nil},
		{"articleListing", `{"articles":{"limit":40}}`, "props.articles.limit", Applied, 24},
		{"slideshow", `{"autoplay":5}`, "props.autoplay", Applied, nil},
		{"slideshow", `{"captionStyle":{"weight":800,"size":14}}`, "props.captionStyle.weight", Unknown, 600},
		{"slideshow", `{"captionStyle":{"weight":700}}`, "props.captionStyle", Applied, nil},
		{"slideshow", `{"autoplay":1.5}`, "props.autoplay", Unknown, 0},
		{"reels", `{"overflow":"scroll"}`, "props.overflow", Applied, nil},
		{"reels", `{"overflow":"clip"}`, "props.overflow", Applied, nil},
		{"reels", `{"overflow":"hidden"}`, "props.overflow", Unknown, "plusN"},
		{"faq", `{"nonsense":1}`, "props.nonsense", Unknown, nil},
		{"faq", `{"listing":{"limit":1}}`, "props.listing", Ignored, nil},
		{"breadcrumbs", `{"separator":"/"}`, "props.separator", Unknown, nil},
		{"breadcrumbs", `{"blockWidth":"full"}`, "props.blockWidth", Applied, nil},
		{"html", `{"html":{"documentId":"5","boxed":true},"blockWidth":"full"}`, "props.blockWidth", Applied, nil},
		{"html", `{"html":{"documentId":"5"},"blockWidth":"full"}`, "props.blockWidth", Ignored, nil},
		{"html", `{"html":{"documentId":"5"},"paddingSides":{"top":0}}`, "props.paddingSides", Ignored, nil},
		{"html", `{"html":{"documentId":"5"},"wrapperClass":["a"]}`, "props.wrapperClass", Ignored, nil},
		{"html", `{"html":{"documentId":"5"},"mobile":{"blockWidth":"full"}}`, "props.mobile.blockWidth", Ignored, nil},
		{"html", `{"documentId":"5"}`, "props.documentId", Ignored, nil},
		{"steps", `{"mobile":{"blockWidth":"full"}}`, "props.mobile.blockWidth", Applied, nil},
		{"steps", `{"tablet":{"columns":2}}`, "props.tablet.columns", Ignored, nil},
		{"steps", `{"blockRadius":{"tl":4}}`, "props.blockRadius.tl", Applied, nil},
		{"steps", `{"blockRadius":"round"}`, "props.blockRadius", Unknown, 16},
		{"steps", `{"innerMax":"content"}`, "props.innerMax", Applied, nil},
		{"steps", `{"innerMax":"wide"}`, "props.innerMax", Unknown, nil},
		{"group", `{"widgets":["1",2]}`, "props.widgets", Applied, nil},
		{"group", `{"widgets":[1,{}]}`, "props.widgets[1]", Unknown, nil},
		{"group", `{"refs":[1]}`, "props.refs", Unknown, nil},
		{"zone", `{"refs":[1],"hideSystemBlock":true}`, "props.hideSystemBlock", Applied, nil},
		{"zone", `{"refs":[1]}`, "kind", Applied, nil},
		{"chromeKit", `{"kit":{"top":[1]}}`, "props.kit.top", Applied, nil},
		{"steps", `{"wrapperClass":["a","b","c","d"]}`, "props.wrapperClass[3]", Ignored, nil},
		{"steps", `{"wrapperClass":"a b"}`, "props.wrapperClass", Applied, nil},
		{"steps", `{"wrapperClass":["svc-body"]}`, "props.wrapperClass[0]", Ignored, nil},
		{"steps", `{"wrapperClass":["v-card","_ok"]}`, "props.wrapperClass[0]", Ignored, nil},
		{"steps", `{"wrapperClass":["1st","x"]}`, "props.wrapperClass", Applied, "x"},
		{"steps", `null`, "props", Applied, nil},
		{"Steps", `{}`, "kind", Unknown, nil},
	} {
		got, ok := judge(t, c.kind, c.props)[c.path]
		if !ok {
			t.Errorf("%s %s: no finding for %s", c.kind, c.props, c.path)
			continue
		}
		if got.Status != c.want || fmt.Sprint(got.Drawn) != fmt.Sprint(c.drawn) {
			t.Errorf("%s %s: %+v, want %s, drawn %v", c.kind, c.props, got, c.want, c.drawn)
		}
	}
}

func TestAnEnumMissListsTheValues(t *testing.T) {
	got := judge(t, "productListing", `{"listing":{"modalSize":"huge"}}`)["props.listing.modalSize"]
	if !slices.Equal(got.Allowed, []any{"small", "std", "full"}) {
		t.Errorf("allowed %v", got.Allowed)
	}
}

func TestSectionsAroundTheProps(t *testing.T) {
	for text, want := range map[string]string{
		`[1]`:                            "sections[0] unknown",
		`[{"payload":{}}]`:               "sections[0].type unknown",
		`[{"type":"html"}]`:              "sections[0].type unknown",
		`[{"type":"text","kind":"x"}]`:   "sections[0].kind ignored",
		`[{"type":"text","payload":[]}]`: "sections[0].payload unknown",
		`[{"type":"text","payload":{}}]`: "sections[0].payload.kind unknown",
		`[{"type":"text","payload":{"v":1,"kind":"faq"}}]`:                         "sections[0].payload.v unknown",
		`[{"type":"text","payload":{"v":2,"kind":"form","props":{}}}]`:             "sections[0].payload.kind applied",
		`[{"type":"text","payload":{"v":2,"kind":"productListing","listing":{}}}]`: "sections[0].payload.listing ignored",
		`[{"type":"text","payload":{"text":"hi"}}]`:                                "sections[0].payload.text applied",
		`[{"type":"text","payload":{"kind":"faq"},"items":[{"question":"?"}]}]`:    "sections[0].items[0] applied",
		`[{"type":"text","payload":{"kind":"pageHeading"},"items":[]}]`:            "sections[0].items ignored",
		`[{"type":"text","title":"T","payload":{"kind":"heading"}}]`:               "sections[0].title applied",
		`[{"type":"text","payload":{"kind":"faq","props":{"a.b]":1}}}]`:            `sections[0].payload.props["a.b]"] unknown`,
	} {
		report, err := Validate([]byte(text))
		if err != nil {
			t.Errorf("%s: %v", text, err)
		}
		var got []string
		for _, f := range report.Findings {
			got = append(got, f.Path+" "+string(f.Status))
		}
		if !slices.Contains(got, want) {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
}

func TestRefusedLists(t *testing.T) {
	deep := strings.Repeat(`[`, 80) + strings.Repeat(`]`, 80)
	for text, want := range map[string]error{
		``: ErrSections, `{}`: ErrSections, `[`: ErrSections, `[]]`: ErrSections, "\x00": ErrSections, `"a"`: ErrSections,
		`[` + strings.Repeat(`0,`, 50) + `0]`:             ErrSections,
		`[{"type":"text","x":` + deep + `}]`:              ErrSections,
		`[{"type":"` + strings.Repeat("a", 65536) + `"}]`: ErrTooLarge,
	} {
		if _, err := Validate([]byte(text)); !errors.Is(err, want) {
			t.Errorf("%.60s: %v, want %v", text, err, want)
		}
	}
	if _, err := Validate([]byte(strings.Repeat(" ", 1<<17) + `[]`)); err != nil {
		t.Errorf("white space counts: %v", err)
	}
}

func TestFindingsAreTruncated(t *testing.T) {
	var names []string
	for i := range 3000 {
		names = append(names, fmt.Sprintf(`"x%d":0`, i))
	}
	report, err := Validate([]byte(`[{"type":"text","payload":{"v":2,"kind":"faq","props":{` + strings.Join(names, ",") + `}}}]`))
	if err != nil || len(report.Findings) != MaxFindings || report.Unknown != 3000 || !report.Truncated {
		t.Errorf("%d findings, %d unknown, %v, %v", len(report.Findings), report.Unknown, report.Truncated, err)
	}
}

func FuzzValidate(f *testing.F) {
	for _, k := range Kinds() {
		props, err := json.Marshal(k.Defaults())
		if err != nil {
			f.Fatal(err)
		}
		f.Add([]byte(`[{"type":"text","items":[{}],"payload":{"v":2,"kind":"` + k.Name + `","props":` + string(props) + `}}]`))
	}
	f.Add(
		[]byte(
			`[{"type":"text","payload":{"kind":"html","props":{"html":{"boxed":1},"mobile":{"wrapperClass":["svc",1]},"container":{"fill":0}}}}]`,
		),
	)
	f.Fuzz(func(t *testing.T, text []byte) {
		report, err := Validate(text)
		if err != nil {
			if !errors.Is(err, ErrSections) && !errors.Is(err, ErrTooLarge) {
				t.Fatalf("%v is not a refusal of a list", err)
			}
			return
		}
		answer, err := json.Marshal(report)
		if err != nil {
			t.Fatal(err)
		}
		if len(answer) > 1<<20 {
			t.Errorf("%d bytes answer %d", len(answer), len(text))
		}
		if !report.Truncated && report.Applied+report.Ignored+report.Unknown != len(report.Findings) {
			t.Error("the counts do not add up")
		}
	})
}
