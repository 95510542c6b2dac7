package render

import (
	"encoding/json"
	"testing"

	"vitrine/compile/widget"
)

func wrapped(t *testing.T, props string, noFill bool) string {
	t.Helper()
	b := wrapOf(props)
	b.NoFill = noFill
	return b.open()
}

func wrappedBox(props string) string {
	b := wrapOf(props)
	return b.open()
}

func wrapOf(props string) Wrap {
	return Wrap{
		Axes: widget.ReadWrapper(json.RawMessage(props), ""), Tablet: widget.ReadWrapper(json.RawMessage(props), "tablet"),
		Mobile: widget.ReadWrapper(json.RawMessage(props), "mobile"),
	}
}

func TestAxesOfTheWrapper(t *testing.T) {
	for props, want := range map[string]string{
		`{}`:                               `<div class="v-box" style="">` + "\n",
		`{"blockWidth":"full"}`:            `<div class="v-box" style="--b-width:none;--b-inner:0 clamp(1rem, 2.5vw, 1.5rem);--b-padding:12px 0;">` + "\n",
		`{"blockWidth":"wide"}`:            `<div class="v-box" style="">` + "\n",
		`{"paddingSides":{"top":0}}`:       `<div class="v-box" style="--b-padding:0px 24px 12px 24px;">` + "\n",
		`{"containerPadding":{"top":8.5}}`: `<div class="v-box v-box--inner" style="--b-inner:8.5px 0px 0px 0px;">` + "\n",
		`{"blockRadius":4}`:                `<div class="v-box" style="--b-radius:4px;">` + "\n",
		`{"blockRadius":{"tl":1,"br":2}}`:  `<div class="v-box" style="--b-radius:1px 0px 2px 0px;">` + "\n",
		`{"container":{"fill":{"hex":"#fff"},"borderTop":true,"borderBottom":3,"borderColor":"#000"}}`: `<div class="v-box v-box--light" style="--b-fill:#fff;--b-top:1px;--b-bottom:3px;--b-line:#000;">` + "\n",
		`{"container":{"fill":"red;} body{display:none"}}`:                                             `<div class="v-box" style="">` + "\n",
		`{"innerMax":"content"}`:                            `<div class="v-box" style="--b-max:1264px;">` + "\n",
		`{"innerMax":600}`:                                  `<div class="v-box" style="--b-max:600px;">` + "\n",
		`{"overflow":"clip","layer":3}`:                     `<div class="v-box v-box--layer" style="--b-overflow:clip;--b-layer:3;">` + "\n",
		`{"wrapperClass":["wide","svc-x","2","dark"]}`:      `<div class="v-box wide dark" style="">` + "\n",
		`{"tablet":{"blockRadius":2},"mobile":{"layer":1}}`: `<div class="v-box v-box--layer-m" style="--b-radius-t:2px;--b-layer-m:1;">` + "\n",
	} {
		if got := wrapped(t, props, false); got != want {
			t.Errorf("%s: %q, want %q", props, got, want)
		}
	}
	if got := wrapped(t, `{"container":{"fill":"#fff"}}`, true); got != `<div class="v-box" style="">`+"\n" {
		t.Errorf("a listing has a fill: %s", got)
	}
}

func TestWidgetsRefuseUnsafeLinksAndBackgrounds(t *testing.T) {
	for address, want := range map[string]string{
		"/a": "/a", "https://x.test/": "https://x.test/", "mailto:a@b.test": "mailto:a@b.test", "#faq": "#faq",
		"javascript:alert(1)": "", "//evil.test": "", "/\\evil.test": "", "data:text/html,x": "", " /a": "/a", "": "",
	} {
		if got := string(link(address)); got != want {
			t.Errorf("link %q is %q", address, got)
		}
	}
	for css, want := range map[string]string{
		"linear-gradient(#fff, #000)": "linear-gradient(#fff, #000)", "url(//evil.test/x)": "", "red;position:fixed": "",
		"image-set('x')": "", "expression(alert(1))": "expression(alert(1))", "#fff}body{": "",
	} {
		if got := background(css); got != want {
			t.Errorf("background %q is %q", css, got)
		}
	}
}
