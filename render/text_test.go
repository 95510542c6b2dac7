package render

import (
	"reflect"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"pgregory.net/rapid"
)

func TestParagraphs(t *testing.T) {
	cases := []struct {
		text   string
		expect []string
	}{
		{"", nil}, {" \n\t\r\n ", nil}, {"one", []string{"one"}}, {"one\ntwo", []string{"one\ntwo"}},
		{"one\r\n\r\n\r\n two ", []string{"one", "two"}}, {"\none\r\rtwo\n", []string{"one", "two"}},
		{"one\n \t\ntwo", []string{"one", "two"}},
	}
	for _, c := range cases {
		if got := paragraphs(c.text); !reflect.DeepEqual(got, c.expect) {
			t.Errorf("%q: %q", c.text, got)
		}
	}
}

func TestClip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text, max := rapid.String().Draw(t, "text"), rapid.IntRange(8, 80).Draw(t, "max")
		got := clip(text, max)
		if len(got) > max || utf8.ValidString(text) && !utf8.ValidString(got) || strings.ContainsAny(got, "\n\r\t") {
			t.Fatalf("%q", got)
		}
	})
	if got := clip("Stoneware cups for every day", 20); got != "Stoneware cups…" {
		t.Error(got)
	}
}

func TestWords(t *testing.T) {
	for n, expect := range map[int]string{0: "0 товаров", 1: "1 товар", 3: "3 товара", 5: "5 товаров", 11: "11 товаров", 12: "12 товаров", 21: "21 товар", 104: "104 товара", 112: "112 товаров"} {
		if got := russian.Products(n); got != expect {
			t.Errorf("%q, not %q", got, expect)
		}
	}
	if got := english.Products(1) + ", " + english.Products(2); got != "1 product, 2 products" {
		t.Error(got)
	}
	day := time.Date(2026, 11, 4, 1, 0, 0, 0, time.FixedZone("", 3*3600))
	if got := english.Date(day) + " / " + russian.Date(day) + english.Date(time.Time{}); got != "4 November 2026 / 4 ноября 2026" {
		t.Error(got)
	}
	for _, t2 := range []*words{&english, &russian} {
		for _, f := range reflect.VisibleFields(reflect.TypeFor[words]()) {
			if f.Type.Kind() == reflect.String && reflect.ValueOf(t2).Elem().FieldByIndex(f.Index).String() == "" {
				t.Errorf("%s has no %s", t2.Lang, f.Name)
			}
		}
	}
}

func TestLanguageDefaultsToTheCurrencys(t *testing.T) {
	for _, c := range [][3]string{{"", "EUR", "en"}, {"", "RUB", "ru"}, {"", "", "en"}, {"en", "RUB", "en"}, {"ru", "EUR", "ru"}, {"de", "RUB", "en"}} {
		if got := wordsOf(&Frame{Lang: c[0], Shop: Shop{Currency: c[1]}}).Lang; got != c[2] {
			t.Errorf("%q", c)
		}
	}
}
