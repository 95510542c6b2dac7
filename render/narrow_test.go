package render

import (
	"net/url"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"
)

func TestEquivalentQueriesHaveEqualNarrowings(t *testing.T) {
	for query, want := range map[string]string{
		"": "", "page=2&utm_source=x": "", "a12=red": "a12=red",
		"a12=red&a12=blue&a12=red":                                "a12=blue&a12=red",
		"sort=price&a7_max=5,50&a12=red&a7_min=02":                "a7_min=2&a7_max=5.5&a12=red&sort=price",
		"max_price=20&min_price=014.50&min_price=":                "max_price=20&min_price=14.5",
		"in_stock=1&reduced=1":                                    "in_stock=1&reduced=1",
		"in_stock=yes&reduced=0&sort=random":                      "",
		"min_price=-4&max_price=1e9&a3_min=-4":                    "a3_min=-4",
		"a0=red&a-1=red&a01=red&a=red&a99999999999=x":             "",
		"a12=RED&a12=%00&a12=%ff&a12=%zz&a12='%20OR%201":          "",
		"a12_mid=4&a12_min=NaN&a12_max=Infinity":                  "",
		"min_price=99999999999999&a12=" + strings.Repeat("x", 65): "",
		"sort=price&sort=name":                                    "sort=name",
		"a12=%72ed":                                               "a12=red",
	} {
		if got := ReadNarrowing(query); string(got) != want {
			t.Errorf("%s: %q, want %q", query, got, want)
		}
	}
}

func TestParametersBeyondTheLimitsAreIgnored(t *testing.T) {
	var attributes, values, pairs []string
	for i := 1; i <= 300; i++ {
		attributes = append(attributes, "a"+strconv.Itoa(i)+"=x")
		values = append(values, "a1=v"+strconv.Itoa(i))
		pairs = append(pairs, "junk=1")
	}
	if got := len(ReadNarrowing(strings.Join(attributes, "&")).Choices().Picks); got != maxPicks {
		t.Errorf("%d attributes", got)
	}
	if got := len(ReadNarrowing(strings.Join(values, "&")).Choices().Picks[0].Values); got != maxValues {
		t.Errorf("%d values of one", got)
	}
	if got := ReadNarrowing(strings.Join(pairs, "&") + "&in_stock=1"); got != "" {
		t.Errorf("after 300 pairs: %q", got)
	}
}

func TestSearchOfIgnoresInvalidWords(t *testing.T) {
	for query, want := range map[string]string{
		"q=tea": "tea", "q=+green++tea%09": "green tea", "x=1&q=%D1%87%D0%B0%D0%B9&q=tea": "чай", "q=%F0%9F%8D%B5": "🍵", "": "", "q=": "",
		"q=a%00b": "", "q=%ff": "", "q=%zz": "", "q=%01": "", "q=" + strings.Repeat("x", 101): "", "q=" + strings.Repeat("x", 10_000): "",
		"q=" + strings.Repeat("%C3%A9", 100): strings.Repeat("é", 100), "q=%27%3A*%26%7C%21%28%29+%25_": "':*&|!() %_",
	} {
		if got := SearchOf(query); got != want {
			t.Errorf("%.40s: %q, want %q", query, got, want)
		}
	}
}

func FuzzNarrowing(f *testing.F) {
	for _, seed := range []string{"a12=red&a7_min=5,5&min_price=014.50&in_stock=1&sort=-price", "q=%00&a1=%zz;&&=&a=", "a2147483648=x&a2147483647_max=-0.0000"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, query string) {
		n := ReadNarrowing(query)
		if again := ReadNarrowing(string(n)); again != n {
			t.Fatalf("%q is parsed as %q, and that as %q", query, n, again)
		}
		if c := n.Choices(); c.Narrowing() != n {
			t.Fatalf("the choices of %q are formatted as %q", n, c.Narrowing())
		}
		if _, err := url.ParseQuery(string(n)); err != nil || len(n) > 20*100*80 {
			t.Fatalf("%q: %v", n, err)
		}
		if w := SearchOf(query); !utf8.ValidString(w) || strings.ContainsRune(w, 0) || utf8.RuneCountInString(w) > MaxSearch {
			t.Fatalf("invalid search words %q", w)
		}
	})
}

func TestTypedPricesRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		digits := rapid.IntRange(0, 4).Draw(t, "digits")
		n := rapid.Int64Range(0, 1e12-1).Draw(t, "amount")
		c := ReadNarrowing("min_price=" + amount(n, digits) + "&max_price=" + amount(n, digits)).Choices()
		low, high := c.Prices(digits)
		if low == nil || high == nil || *low != n || *high != n {
			t.Fatalf("%d with %d digits is %s: %v %v", n, digits, amount(n, digits), low, high)
		}
	})
	low, high := ReadNarrowing("min_price=14.51&max_price=14.59").Choices().Prices(1)
	if *low != 146 || *high != 145 {
		t.Errorf("between the units: %d to %d", *low, *high)
	}
}
