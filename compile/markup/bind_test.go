package markup

import (
	"strings"
	"testing"
)

func shopData() *Data {
	return &Data{
		Products: []Product{{ID: 5, Name: "Shoe", URL: "/shoe", Image: "/files/a/shoe.jpg", PriceText: "10 €"}, {ID: 6, Name: "Bag <b>", URL: "/bag"}},
		Product: &Product{
			ID: 9, Name: "Hat", URL: "/hat", Image: "/files/hat.svg", Description: "warm",
			Gallery: []Picture{{"/files/1.jpg"}, {"/files/2.jpg"}}, Attributes: []Attribute{{"Colour", "red"}},
		},
		Menu:     []MenuItem{{Name: "Shoes", URL: "/shoes", Children: []MenuItem{{Name: "Boots", URL: "/shoes/boots"}}}, {Name: "Hats", URL: "/hats"}},
		Category: &Category{ID: 3, Name: "Shoes & more", URL: "/shoes"},
		Crumbs:   []Link{{"Home", "/"}, {"Shoes", "/shoes"}},
		PageURL: func(id int64) string {
			if id == 5 {
				return "/about?a&b"
			}
			return ""
		},
	}
}

func TestBindings(t *testing.T) {
	tests := []struct{ in, want string }{
		{`{{product.name}} {{ category.name }} {{ crumbs[1].name }} {{ product.attributes[0].value }}`, `Hat Shoes &amp; more Shoes red`},
		{`{{ product.nothing }}|{{ product.gallery }}|{{ crumbs[9].name }}|{{ product.name.length }}|`, `||||`},
		{`{{ x }} {{ item.name }} {{ product.name | upper }} {{ product['name'] }} {{{ product.name }}} {{ product.name`, `{{ x }} {{ item.name }} {{ product.name | upper }} {{ product['name'] }} {{{ product.name }}} {{ product.name`},
		{`{{ {{ product.name }} }}`, `{{ Hat }}`},
		{`<i svc-for="m in menu">{{ m.name }}<b svc-for="c in m.children">{{ m.name }}/{{ c.name }}</b></i>`, `<i>Shoes<b>Shoes/Boots</b></i><i>Hats</i>`},
		{`<i svc-for="p in products" svc-if="p.price_text">{{ p.name }}</i>`, `<i>Shoe</i>`},
		{`<i svc-for="p in products">{{ p.description }}{{ p.gallery[0].url }}</i>`, `<i></i><i></i>`},
		{`<i svc-for="product in crumbs">{{ product.name }}</i>{{ product.name }}`, `<i>Home</i><i>Shoes</i>Hat`},
		{`<i svc-if="!product">a</i><i svc-if="product">b</i><i svc-if="products">c</i><i svc-if="product.price_text">d</i><i svc-if="nope">e</i>`, `<i>b</i><i>c</i>`},
		{`<i svc-for="p of products">{{ p.name }}</i>`, `<i>{{ p.name }}</i>`},
		{`<i svc-for="p in nothing">x</i><i svc-for="p in product.name">x</i>`, ``},
		{`<template svc-if="product"><b>x</b></template>`, `<b>x</b>`},
		{`<template><b>{{ product.name }}</b></template>`, `<template><b>Hat</b></template>`},
		{`<a href="svc:page/5">x</a><a href="svc:page/5#top">x</a><a href="svc:page/9#top">x</a>`, `<a href="/about?a&amp;b">x</a><a href="/about?a&amp;b#top">x</a><a href="#">x</a>`},
		{`<a href="/p/{{ category.name }}?q={{ product.id }}">x</a>`, `<a href="/p/Shoes%20%26%20more?q=9">x</a>`},
		{`<img alt="" src="img/{{ product.id }}.png">`, `<img alt="" src="/_html/7/3/img/9.png">`},
		{`<img src="{{ product.image }}">`, `<img src="/files/hat.svg">`},
		{`<p title="{{ category.name }}" style="width:{{ product.id }}px" svc-add-to-cart="{{ product.id }}">`, `<p title="Shoes &amp; more" style="width:9px" svc-add-to-cart="9" data-svc-product="9" data-svc-name="Hat" data-svc-url="/hat" data-svc-image="/files/hat.svg" data-svc-price=""></p>`},
		{`<script>"{{ product.name }}"</script><style>a{b:"{{ product.name }}"}</style><i onclick="f('{{ product.name }}')"></i><a href="javascript:f({{ product.id }})">x</a><!--{{ product.name }}-->`,
			`<script>"{{ product.name }}"</script><style>a{b:"{{ product.name }}"}</style><i onclick="f('{{ product.name }}')"></i><a href="javascript:f({{ product.id }})">x</a><!--{{ product.name }}-->`},
	}
	for _, tt := range tests {
		c := compile(t, "<!DOCTYPE html><body>"+tt.in)
		if got := draw(t, c.Normal, shopData()); got != tt.want {
			t.Errorf("in   %s\ngot  %s\nwant %s", tt.in, got, tt.want)
		}
	}
}

func TestShopImagesAreOfferedInWidths(t *testing.T) {
	const cut = `<img src="/w/1024/webp/a/shoe.jpg" srcset="/w/320/webp/a/shoe.jpg 320w, /w/640/webp/a/shoe.jpg 640w, /w/1024/webp/a/shoe.jpg 1024w, /w/1600/webp/a/shoe.jpg 1600w"`
	tests := []struct{ in, want string }{
		{`<img src="/files/a/shoe.jpg" alt="x">`, cut + ` alt="x">`},
		{`<img src="{{ products[0].image }}" alt="x">`, cut + ` alt="x">`},
		{`<img src="/files/a.jpg" width="300" srcset="/x 1x">`, `<img src="/w/640/webp/a.jpg" width="300" srcset="/x 1x">`},
		{`<img src="/files/a.SVG"><img src="/files/a.gif?x"><img src="own.png">`, `<img src="/files/a.SVG"><img src="/files/a.gif?x"><img src="/_html/7/3/own.png">`},
		{`<a href="/files/a.jpg">x</a>`, `<a href="/files/a.jpg">x</a>`},
	}
	for _, tt := range tests {
		if got := draw(t, compile(t, tt.in).Normal, shopData()); got != tt.want {
			t.Errorf("in   %s\ngot  %s\nwant %s", tt.in, got, tt.want)
		}
	}
}

func TestNeedsIsTheQueryPlan(t *testing.T) {
	c := compile(t, `<b svc-if="crumbs"></b>{{ products[2].name }}{{ category.id }}<a href="svc:page/8"></a><a href="svc:page/3"></a>`)
	got := c.Normal.Needs()
	if got.Products != 3 || got.Product || got.Menu || !got.Category || !got.Crumbs || len(got.Pages) != 2 || got.Pages[0] != 3 || !got.Any() {
		t.Errorf("%+v", got)
	}
	c = compile(t, `<b svc-for="p in products"></b>{{ product.gallery[0].url }}`)
	if got := c.Normal.Needs(); got.Products != MaxRows || !got.Product || !got.Details {
		t.Errorf("%+v", got)
	}
	if c = compile(t, "<p>x"); c.Normal.Needs().Any() {
		t.Error("a static document needs data")
	}
	if len(c.Normal.ops) != 1 {
		t.Error("a document without bindings is not static")
	}
}

func TestValuesAreEscapedForTheirContext(t *testing.T) {
	tests := []struct{ in, value, want string }{
		{`{{ product.name }}`, `<b>&"` + "\u00a0\r", `&lt;b&gt;&amp;"&nbsp;&#13;`},
		{`<i title='{{ product.name }}'></i>`, `"' onload=x`, `<i title="&quot;' onload=x"></i>`},
		{`<a href="{{ product.name }}"></a>`, "\x00 java\nscript:x", `<a href="#"></a>`},
		{`<a href="{{ product.name }}"></a>`, "DATA:text/html,x", `<a href="#"></a>`},
		{`<a href="{{ product.name }}"></a>`, "tg://x?a&b", `<a href="tg://x?a&amp;b"></a>`},
		{`<a href="{{ product.name }}{{ product.name }}"></a>`, "a:b", `<a href="#a%3Ab"></a>`},
		{`<a href="x/{{ product.name }}"></a>`, "../?#/é", `<a href="/_html/7/3/x/..%2F%3F%23%2F%C3%A9"></a>`},
		{`<i style="a:url({{ product.name }})"></i>`, `x y);b:url(//e`, `<i style="a:url(x\20 y\29 \3B b:url\28 //e)"></i>`},
		{`<i style="a:url({{ product.name }})"></i>`, `javascript:x`, `<i style="a:url()"></i>`},
		{`<svg><rect fill="{{ product.name }}"/></svg>`, `url(x)`, `<svg><rect fill="url\28 x\29 "></rect></svg>`},
		{`<img srcset="{{ product.name }} 1x, y/{{ product.name }} 2x">`, `a,b c`, `<img srcset="a%2Cb%20c 1x, /_html/7/3/y/a%2Cb%20c 2x">`},
		{`<textarea>{{ product.name }}</textarea>`, `</textarea>`, `<textarea>&lt;/textarea&gt;</textarea>`},
	}
	for _, tt := range tests {
		c := compile(t, tt.in)
		if got := draw(t, c.Normal, &Data{Product: &Product{Name: tt.value}}); got != tt.want {
			t.Errorf("in   %s with %q\ngot  %s\nwant %s", tt.in, tt.value, got, tt.want)
		}
	}
}

func TestLimitsOfDrawing(t *testing.T) {
	many := &Data{Products: make([]Product, 60)}
	c := compile(t, strings.Repeat(`<i svc-for="a in products"><b svc-for="b in products"><u svc-for="c in products"></u></b></i>`, 12))
	if got := c.Normal.AppendTo([]byte("before"), many); string(got) != "before" {
		t.Errorf("a fragment above the limit was drawn: %d bytes", len(got))
	}
	c = compile(t, `<i svc-for="a in menu"><i svc-for="b in menu"><i svc-for="c in menu"><i svc-for="d in menu">{{ d.name }}</i></i></i></i>`)
	if got := draw(t, c.Normal, &Data{Menu: make([]MenuItem, 1)}); !strings.Contains(got, "{{ d.name }}") || !c.Report.Has(BindInvalid) {
		t.Errorf("a fourth loop: %s %+v", got, c.Report)
	}
	if _, err := Compile(Source{Doc: "1", Release: "1", Index: make([]byte, MaxIndex+1)}); err == nil {
		t.Error("3 MB were compiled")
	}
}
