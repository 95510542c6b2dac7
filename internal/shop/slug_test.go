package shop_test

import (
	"errors"
	"regexp"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"vitrine/internal/shop"
)

func TestParseSlug(t *testing.T) {
	for _, c := range []struct {
		in, want string
		refused  *shop.Refusal
	}{
		{"green-tea", "green-tea", nil},
		{"Green Tea", "green-tea", nil},
		{"  tea  ", "tea", nil},
		{"under_score", "under_score", nil},
		{"Чай зелёный", "chay-zelyonyy", nil},
		{"Щётка и цапля", "shchyotka-i-tsaplya", nil},
		{"café", "cafe", nil},
		{"cafe\u0301", "cafe", nil},
		{"Ёж’ик", "yozhik", nil},
		{"a/b?c", "a-b-c", nil},
		{"tea--", "tea", nil},
		{"2024", "", shop.ErrSlugNumeric},
		{"007", "", shop.ErrSlugNumeric},
		{"2024-tea", "", shop.ErrSlugInvalid},
		{"_tea", "", shop.ErrSlugInvalid},
		{"🍵", "", shop.ErrSlugInvalid},
		{"茶", "", shop.ErrSlugInvalid},
		{"-", "", shop.ErrSlugInvalid},
		{"-abc", "", shop.ErrSlugInvalid},
		{" -abc", "", shop.ErrSlugInvalid},
		{"/abc", "", shop.ErrSlugInvalid},
		{"«Чай»", "", shop.ErrSlugInvalid},
		{"'abc", "", shop.ErrSlugInvalid},
		{"\u0301abc", "", shop.ErrSlugInvalid},
		{"茶-abc", "", shop.ErrSlugInvalid},
		{"-2024", "", shop.ErrSlugInvalid},
		{"Ölkanne", "oelkanne", nil},
		{strings.Repeat("a", 201), "", shop.ErrSlugInvalid},
		{strings.Repeat("a", 200), strings.Repeat("a", 200), nil},
		{"cart", "", shop.ErrSlugReserved},
		{"Admin", "", shop.ErrSlugReserved},
	} {
		got, err := shop.ParseSlug(c.in)
		if got != c.want || (c.refused == nil) != (err == nil) || c.refused != nil && !errors.Is(err, c.refused) {
			t.Errorf("ParseSlug(%.20q) = %q, %v; want %q, %v", c.in, got, err, c.want, c.refused)
		}
	}
}

func TestGenerateSlug(t *testing.T) {
	for in, want := range map[string]string{
		"Earl Grey": "earl-grey", "12 cups": "product-12-cups", "🍵": "product-1", "": "product-1", "Cart": "cart-1",
		"Чайник «Исин»": "chaynik-isin",
	} {
		if got := shop.GenerateSlug(in, "product"); got != want {
			t.Errorf("GenerateSlug(%q) = %q, want %q", in, got, want)
		}
	}
}

var slugForm = regexp.MustCompile(`^[a-z][a-z0-9_-]*$`)

func TestAnyNameGetsASlugThatCanBeAskedFor(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		slug := shop.GenerateSlug(rapid.String().Draw(t, "name"), "product")
		if !slugForm.MatchString(slug) {
			t.Fatalf("generated %q", slug)
		}
		if again, err := shop.ParseSlug(slug); err != nil || again != slug {
			t.Fatalf("%q asked for again is %q, %v", slug, again, err)
		}
	})
}

// TestASlugLosesNothingBeforeItsFirstLetter: what a slug begins with is what was
// asked for, whatever stands in front.
func TestASlugLosesNothingBeforeItsFirstLetter(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		front := rapid.StringOfN(rapid.RuneFrom([]rune("-_./'\"«#9茶🍵\u0301")), 1, 3, -1).Draw(t, "front")
		if slug, err := shop.ParseSlug(front + "tea"); !errors.Is(err, shop.ErrSlugInvalid) {
			t.Fatalf("%q became %q, %v", front+"tea", slug, err)
		}
	})
}

func FuzzParseSlug(f *testing.F) {
	for _, seed := range []string{"Чай", "a b", "123", "\xff", "é"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		slug, err := shop.ParseSlug(text)
		if err == nil && (!slugForm.MatchString(slug) || len(slug) > shop.MaxSlug) {
			t.Errorf("%q gave %q", text, slug)
		}
	})
}
