package movein_test

import (
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"

	"vitrine/compile/movein"
	"vitrine/internal/shop"
)

// Any text is read or refused, and a plan keeps its promises: keys are unique, references exist,
// what the shop bounds is bounded.
func FuzzRead(f *testing.F) {
	f.Add(shopifyHeader+"tea,Tea,,,,,true,Size,S,,,T,,,,5,,,,,,,,,\n", "")
	f.Add(wooHeader+"10,variable,TEE,Tee,1,visible,,,,,1,,,,,A > B,,,,,,Size,\"S, M\",,\n11,variation,T,,1,,,,,,1,,,,5,,,,TEE,,,Size,,,\n", "")
	f.Add(magentoHeader+"A,,Default,simple,,A,,,1,Not Visible Individually,5,,,,a,,,,,1,1,1,,\nT,,Default,configurable,Root/A,T,,,1,Catalog,,,,,t,,,,,0,1,1,\"sku=A,size=S|sku=B\",size=Size\n", "https://old.example")
	f.Add(prestaProducts+"1;1;A;Home,B;5;1;2;;;R;;;;;;;;;;;a;x;;\n", "x")
	f.Add(prestaCombinations+"1;Size:select:0;S:0;R;;-5;1;\n", "")
	f.Add(openProducts+"40,Tea,Tee,20,T,,1,M,,,5,,,true,tea,,,,,,true\n", "")
	f.Add(wixHeader+"P,Product,Tee,,a.jpg;b,C,T,5,,true,PERCENT,10,InStock,,Size,,S;M,Colour,,#f:Red;Blue,,\n", "")
	f.Add(squareHeader+"#a,T1,Mug,Small,M-S,,K > M,,mug,,visible,0.2,variable,8,N,,,2,,-3\n", "")
	f.Add(ymlText, "")
	f.Add("id\ttitle\tlink\timage_link\tavailability\tprice\titem_group_id\tcolor\n1\tTee\thttps://o.example/tee.html\t\tin stock\t5 USD\tG\tRed\n", "")
	f.Add(wordPressHead+post(5, "post", "publish", "tea", "x")+"</channel></rss>", "")
	f.Add(`{"db": [{"meta": {}, "data": {"posts": [{"id": 1, "title": "A", "html": "x", "status": "published"}]}}]}`, "")
	f.Add("source,target,regex,code\n^/a/(.*)$,/b/$1,1,301\n/c?d=e,https://x.example,0,302\n", "")
	f.Add("id\ttitle\tlink\timage_link\tprice\n1\tTe\x00e\thttps://o.example/t%ff%00ee.html\thttps://o.example/%ff.jpg\t5\n", "")
	f.Add(wordPressHead+post(5, "post", "publish", "%ff%00", "x&#0;")+"</channel></rss>", "")
	f.Add("{\"db\": [{\"meta\": {}, \"data\": {\"posts\": [{\"title\": \"A\\u0000\", \"slug\": \"a\\u0000\\ud800\", \"html\": \"\\u0000\", \"custom_excerpt\": \"\\u0000\", \"feature_image\": \"\\u0000\"}]}}]}", "")
	f.Add("First Name,Last Name,Email,Accepts Email Marketing,Phone,Note,Tags\n\x00,\xff,a\x00@example.com,yes,\x00,\x00,\x00\n", "")
	f.Add("301:\n  /a: /b\n", "")
	f.Add("First Name,Last Name,Email,Accepts Email Marketing\nA,B,a@example.com,yes\n", "")
	f.Fuzz(func(t *testing.T, text, address string) {
		plan, err := loaded(movein.Read([]movein.File{file("a", text)}, eur, map[string]string{"address": address}, newSpool()))
		if err != nil {
			if _, ok := shop.AsRefusal(err); !ok {
				t.Fatalf("%v is not a refusal", err)
			}
			return
		}
		check(t, plan)
		m := move(plan)
		for _, r := range m.rules {
			if r.Key() == "" || !strings.HasPrefix(r.To, "/") {
				t.Fatalf("%+v", r)
			}
		}
	})
}

// texts checks that a database can hold every text in a value.
func texts(t *testing.T, v reflect.Value) {
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			texts(t, v.Elem())
		}
	case reflect.String:
		if text := v.String(); !utf8.ValidString(text) || strings.ContainsRune(text, 0) {
			t.Fatalf("%q is not a text", text)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				texts(t, v.Field(i))
			}
		}
	case reflect.Slice:
		for i := range v.Len() {
			texts(t, v.Index(i))
		}
	}
}

func check(t *testing.T, plan *movein.Plan) {
	texts(t, reflect.ValueOf(*plan))
	keys, sections, skus := map[string]bool{}, map[string]bool{"": true}, map[string]bool{}
	for _, s := range plan.Sections {
		if sections[s.Key] || !sections[s.Parent] || s.Name == "" {
			t.Fatalf("section %+v", s)
		}
		sections[s.Key] = true
	}
	for _, p := range plan.Products {
		if keys[p.Key] || p.Key == "" || p.Name == "" || p.Price < 0 || p.OldPrice < 0 || p.OldPrice > 0 && p.OldPrice <= p.Price || len(p.Variants) > 500 || len(p.Pictures) > 251 || utf8.RuneCountInString(p.Name) > 255 {
			t.Fatalf("product %+v", p)
		}
		keys[p.Key] = true
		if _, err := shop.ParseSlug(p.Slug); err != nil {
			t.Fatalf("slug %q: %v", p.Slug, err)
		}
		for _, key := range p.Sections {
			if key == "" || !sections[key] {
				t.Fatalf("section %q of %+v", key, p)
			}
		}
		claimed := append([]string{}, p.SKU)
		for _, v := range p.Variants {
			if len(v.Values) != len(p.Options) || v.Price != nil && *v.Price < 0 || v.Stock != nil && *v.Stock < 0 || v.Stock != nil && !p.StockByVariant {
				t.Fatalf("variant %+v of %+v", v, p)
			}
			claimed = append(claimed, v.SKU)
		}
		for _, sku := range claimed {
			if sku != "" && skus[sku] {
				t.Fatalf("sku %q occurs twice", sku)
			}
			skus[sku] = true
		}
	}
	for _, l := range plan.Losses {
		if l.Count < 1 || l.What == "" {
			t.Fatalf("%+v", l)
		}
	}
	if len(plan.Rows) > movein.MaxRows {
		t.Fatal(len(plan.Rows))
	}
}
