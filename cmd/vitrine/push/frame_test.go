package push

import (
	"errors"
	"fmt"
	"strings"
	"testing"
)

func framed(frame Frame, seo bool) func(*Options) {
	return func(o *Options) { o.Frame, o.SEOOverwrite = frame, seo }
}

func TestNewPageGetsOnlyTheGivenOptions(t *testing.T) {
	t.Parallel()
	const titled = `<!DOCTYPE html><title>Green – black | Studio</title><p>x</p>`
	dir := folderOf(t, map[string]string{"index.html": titled})
	tests := []struct {
		frame            Frame
		name, menu, seo  string
		header, manifest bool
	}{
		{Frame{}, "Green – black | Studio", "<nil>", "map[slug:tea]", false, true},
		{Frame{ShortTitle: true}, "Green – black", "<nil>", "map[meta_title:Green – black slug:tea]", false, true},
		{Frame{Menu: "Tea"}, "Tea", "<nil>", "map[slug:tea]", false, true},
		{Frame{NoMenu: true}, "Green – black | Studio", "false", "map[slug:tea]", false, true},
		{Frame{Bare: true}, "Green – black | Studio", "<nil>", "map[slug:tea]", true, true},
	}
	for _, tt := range tests {
		f := newFake(t)
		if p := f.push(dir, "page:/tea", framed(tt.frame, false)); p.err != nil {
			t.Fatal(p.err)
		}
		page := f.pages[0]
		if page["name"] != tt.name || fmt.Sprint(page["is_show_menu"]) != tt.menu || fmt.Sprint(page["seo"]) != tt.seo {
			t.Errorf("%+v: %v", tt.frame, page)
		}
		top := string(f.blocks[f.attached[fmt.Sprint(page["id"])][0]])
		if !strings.Contains(top, `"hideSystemBlock":true`) || strings.Contains(top, `"hideSiteHeader":true`) != tt.header || strings.Contains(top, `"hideSiteFooter":true`) != tt.header {
			t.Errorf("%+v: %s", tt.frame, top)
		}
	}
}

func TestExistingPageGetsTheGivenOptions(t *testing.T) {
	t.Parallel()
	f := newFake(t)
	dir := about(t)
	f.push(dir, "page:/about")
	if p := f.push(dir, "page:/about", framed(Frame{}, false)); p.err != nil || f.calls("PUT /categories/") != 1 {
		t.Errorf("a property without an option was changed: %v %v", p.err, f.log)
	}
	page := f.pages[0]
	page["seo"] = map[string]any{"slug": "about", "meta_title": "Tea - Studio", "meta_description": "Kept"}
	if p := f.push(dir, "page:/about", framed(Frame{Menu: "Leaves", Bare: true, ShortTitle: true}, true)); p.err != nil {
		t.Fatal(p.err)
	}
	if page["name"] != "Leaves" || page["is_show_menu"] != true || fmt.Sprint(page["seo"]) != "map[meta_description:Kept meta_title:Tea slug:about]" {
		t.Errorf("%v", page)
	}
	blocks := f.attached[fmt.Sprint(page["id"])]
	if top := string(f.blocks[blocks[0]]); len(blocks) != 2 || !strings.Contains(top, `"hideSiteHeader":true`) || !strings.Contains(top, `"hideSystemBlock":true`) {
		t.Errorf("%v: %s", blocks, top)
	}
	f.push(dir, "page:/about", framed(Frame{NoMenu: true}, false))
	if page["is_show_menu"] != false || page["name"] != "Leaves" {
		t.Errorf("%v", page)
	}
	f.attached[fmt.Sprint(page["id"])] = blocks[1:] // the manifest was removed
	if p := f.push(dir, "page:/about", framed(Frame{Bare: true}, false)); p.err != nil {
		t.Fatal(p.err)
	}
	blocks = f.attached[fmt.Sprint(page["id"])]
	if top := string(f.blocks[blocks[len(blocks)-1]]); len(blocks) != 2 || !strings.Contains(top, `"hideSiteFooter":true`) {
		t.Errorf("%v: %s", blocks, top)
	}
}

func TestFrameOptionsRequireAPage(t *testing.T) {
	t.Parallel()
	f := newFake(t)
	dir := about(t)
	for _, frame := range []Frame{{Bare: true}, {Menu: "x"}, {NoMenu: true}, {ShortTitle: true}} {
		if p := f.push(dir, "doc:5", framed(frame, false)); !errors.Is(p.err, errFrame) {
			t.Errorf("%+v: %v", frame, p.err)
		}
	}
	if p := f.push(dir, "page:/x", framed(Frame{Menu: "x", NoMenu: true}, false)); !errors.Is(p.err, errMenu) || len(f.log) > 0 {
		t.Errorf("%v %v", p.err, f.log)
	}
}

func TestTitlesWithoutTheirSuffix(t *testing.T) {
	for title, want := range map[string]string{
		"Tea | Studio": "Tea", "Tea – black - Studio": "Tea – black", "Well-known": "Well-known", " | Studio": " | Studio", "": "", "A | ": "A", "Чай — Дом": "Чай",
	} {
		if got := withoutSuffix(title); got != want {
			t.Errorf("%q is %q, want %q", title, got, want)
		}
	}
}
