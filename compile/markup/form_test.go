package markup

import (
	"strings"
	"testing"

	"vitrine/internal/shop"
)

func TestLinksToForms(t *testing.T) {
	data := &Data{Category: &Category{ID: 3, Name: "form:9", URL: "a/../b?c"}}
	for in, want := range map[string]string{
		`<a href="form:3">x</a>`:                              `<a href="/_vitrine/form/3">x</a>`,
		`<a class="b" href=" FORM:3?topic=tea ">x</a>`:        `<a class="b" href="/_vitrine/form/3?topic=tea">x</a>`,
		`<svg><a xlink:href="form:3"></a></svg>`:              `<svg><a xlink:href="/_vitrine/form/3"></a></svg>`,
		`<a href="form:{{ category.id }}">x</a>`:              `<a href="/_vitrine/form/3">x</a>`,
		`<a href="form:{{ category.url }}">x</a>`:             `<a href="/_vitrine/form/a%2F..%2Fb%3Fc">x</a>`,
		`<a href="{{ category.name }}">x</a>`:                 `<a href="form:9">x</a>`,
		`<form action="form:3" method="post"></form>`:         `<form action="/_vitrine/form/3" method="post"></form>`,
		`<button formaction="form:3"></button>`:               `<button formaction="/_vitrine/form/3"></button>`,
		`<a href="form:x">x</a><img alt="form:3">form:3`:      `<a href="form:x">x</a><img alt="form:3">form:3`,
		`<q cite="form:3"></q><i data-x="form:3"></i>`:        `<q cite="form:3"></q><i data-x="form:3"></i>`,
		`<i></i><template><a href="form:3"></a></template>`:   `<i></i><template><a href="/_vitrine/form/3"></a></template>`,
		`<i></i><noscript><a href="form:3"></a></noscript>`:   `<i></i><noscript><a href="/_vitrine/form/3"></a></noscript>`,
		`<a href="form:3" onclick="go('form:3')">x</a>`:       `<a href="/_vitrine/form/3" onclick="go('form:3')">x</a>`,
		`<a href="form:3&quot; onclick=&quot;alert(1)">x</a>`: `<a href="form:3&quot; onclick=&quot;alert(1)">x</a>`,
	} {
		c := compile(t, in)
		if got := draw(t, c.Normal, data); got != want {
			t.Errorf("%s\n gives %s\nwant %s", in, got, want)
		}
		if !strings.Contains(in, "onclick=\"") {
			if got := draw(t, c.Guarded, data); got != want {
				t.Errorf("%s\n guarded gives %s\nwant %s", in, got, want)
			}
		}
	}
}

func TestMissingFormIsReportedOnce(t *testing.T) {
	src := Source{Doc: "7", Release: "3", Forms: func(id shop.FormID) bool { return id == 3 },
		Index: []byte("<!doctype html><a href=form:3>x</a>\n<a href='form:4?x=1'>x</a><a href='form:{{ category.id }}'>x</a>")}
	c, err := Compile(src)
	if err != nil {
		t.Fatal(err)
	}
	if len(c.Report.Warnings) != 1 || c.Report.Warnings[0].Code != BindForm || c.Report.Warnings[0].Line != 2 ||
		!strings.Contains(c.Report.Warnings[0].Detail, `"form:4?x=1"`) {
		t.Errorf("%+v", c.Report)
	}
	if got := draw(t, c.Normal, nil); !strings.Contains(got, `href="/_vitrine/form/4?x=1"`) {
		t.Errorf("the link is dead: %s", got)
	}
	src.Forms = nil
	if c, err = Compile(src); err != nil || c.Report.Has(BindForm) {
		t.Errorf("without a list of forms: %+v %v", c.Report, err)
	}
}
