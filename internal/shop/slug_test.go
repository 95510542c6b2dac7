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

func TestGeneratedSlugsAreValid(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		slug := shop.GenerateSlug(rapid.String().Draw(t, "name"), "product")
		if !slugForm.MatchString(slug) {
			t.Fatalf("generated an invalid slug %q", slug)
		}
		if again, err := shop.ParseSlug(slug); err != nil || again != slug {
			t.Fatalf("%q asked for again is %q, %v", slug, again, err)
		}
	})
}

// TestASlugLosesNothingBeforeItsFirstLetter: a slug begins with the first character of the
// requested text; any character before its first letter is refused.
func TestASlugLosesNothingBeforeItsFirstLetter(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		front := rapid.StringOfN(rapid.RuneFrom([]rune("-_./'\"«#9茶🍵\u0301")), 1, 3, -1).Draw(t, "front")
		if slug, err := shop.ParseSlug(front + "tea"); !errors.Is(err, shop.ErrSlugInvalid) {
			t.Fatalf("%q was accepted as %q, %v", front+"tea", slug, err)
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

// Names in many languages are transliterated as their readers expect.
func TestNamesOfManyLanguagesAreSpelledOut(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"Trà sữa trân châu đường đen": "tra-sua-tran-chau-duong-den", "Bánh mì Việt Nam": "banh-mi-viet-nam", // Vietnamese
		"Ceai negru și ștrudel cu țelină": "ceai-negru-si-strudel-cu-telina", "Cărți în română": "carti-in-romana", // Romanian, with comma
		"Şcoală ţară":                "scoala-tara",                                    // and with cedilla
		"Žalioji arbata ąčęėįšųū":    "zalioji-arbata-aceeisuu",                        // Lithuanian
		"Çay bahçesi ığdır İSTANBUL": "cay-bahcesi-igdir-istanbul", "Gümüş": "guemues", // Turkish
		"Zażółć gęślą jaźń": "zazolc-gesla-jazn", "Łódź": "lodz", // Polish
		"Příliš žluťoučký kůň": "prilis-zlutoucky-kun",                                                                             // Czech
		"Πράσινο τσάι":         "prasino-tsai", "Ούζο Ευβοίας": "ouzo-euvoias", "ΑΘΗΝΑ Ψωμί": "athina-psomi", "Ξύλινος": "xylinos", // Greek
		"Grüner Tee, groß": "gruener-tee-gross", "Mjólk þorskur æði ð": "mjolk-thorskur-aedi-d", "Smørrebrød på Ærø": "smorrebrod-pa-aero",
		"Œuvre d'art déjà vu": "oeuvre-dart-deja-vu", "Ħobż": "hobz", "Đorđe": "dorde", "façade naïve": "facade-naive", "Ĝis ŝi": "gis-si",
		"e\u0301te\u0301": "ete", "ﬁne ﬂour": "fine-flour", "Ｔｅａ １２": "tea-12", "m² tile": "m2-tile", "Зелёный чай": "zelyonyy-chay", "Йод": "yod", "И\u0306од": "yod",
	} {
		if got := shop.GenerateSlug(name, "product"); got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
		if got, err := shop.ParseSlug(name); err != nil || got != want {
			t.Errorf("%s: %s, %v, want %s", name, got, err, want)
		}
	}
	for _, name := range []string{"绿茶", "شاي أخضر", "ชาเขียว", "緑茶", "녹차", "תה ירוק", "🍵", "²"} {
		if got := shop.GenerateSlug(name, "product"); got != "product-1" && got != "product-2" {
			t.Errorf("%s: %s", name, got)
		}
		if _, err := shop.ParseSlug(name); err == nil {
			t.Errorf("%s was accepted as a slug", name)
		}
	}
}
