package render

import (
	"math"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestPriceText(t *testing.T) {
	cases := []struct {
		amount   int64
		currency string
		expect   string
	}{
		{0, "EUR", ""}, {-5, "EUR", ""}, {1, "EUR", "€1"}, {999, "EUR", "€999"}, {1000, "EUR", "€1,000"},
		{1234567, "USD", "$1,234,567"}, {1299, "GBP", "£1,299"}, {1299, "TRY", "₺1,299"}, {90, "CAD", "CA$90"},
		{999, "RUB", "999_₽"}, {12900, "RUB", "12,900_₽"}, {1234567, "KZT", "1,234,567_₸"}, {50, "BYN", "50_Br"},
		{1299, "CHF", "1,299_CHF"}, {1299, "", "1,299"}, {5, "<b>", "5_<b>"},
		{math.MaxInt64, "JPY", "¥9,223,372,036,854,775,807"},
	}
	for _, c := range cases {
		if got := PriceText(c.amount, c.currency, 0, "en"); got != strings.ReplaceAll(c.expect, "_", noBreak) {
			t.Errorf("PriceText(%d, %q) is %q, not %q", c.amount, c.currency, got, c.expect)
		}
	}
}

func TestPricesHaveTheirDecimals(t *testing.T) {
	for _, c := range []struct {
		amount   int64
		currency string
		digits   int
		expect   string
	}{
		{1450, "EUR", 2, "€14.50"}, {123456789, "USD", 2, "$1,234,567.89"}, {1290050, "RUB", 2, "12,900.50_₽"}, {129905, "TRY", 2, "₺1,299.05"}, {12950, "AED", 2, "129.50_AED"},
		{5, "EUR", 2, "€0.05"}, {0, "EUR", 2, ""}, {12345, "KWD", 3, "12.345_KWD"},
	} {
		if got := PriceText(c.amount, c.currency, c.digits, "en"); got != strings.ReplaceAll(c.expect, "_", noBreak) {
			t.Errorf("%d %s with %d digits is %q, not %q", c.amount, c.currency, c.digits, got, c.expect)
		}
	}
}

// Russian writes the currency after the number, with spaces and a comma in it.
func TestPricesUseThePagesLanguage(t *testing.T) {
	for _, c := range []struct {
		amount   int64
		currency string
		digits   int
		expect   string
	}{
		{1450, "EUR", 2, "14,50_€"}, {123456789, "USD", 2, "1_234_567,89_$"}, {1290050, "RUB", 2, "12_900,50_₽"}, {1299, "TRY", 0, "1_299_₺"},
		{12950, "AED", 2, "129,50_AED"}, {1000, "JPY", 0, "1_000_¥"}, {999, "PLN", 0, "999_zł"}, {0, "EUR", 2, ""},
	} {
		if got := PriceText(c.amount, c.currency, c.digits, "ru"); got != strings.ReplaceAll(c.expect, "_", noBreak) {
			t.Errorf("%d %s is %q, not %q", c.amount, c.currency, got, c.expect)
		}
	}
	for lang, want := range map[string]string{"en": "−€1,234.50", "ru": "−1_234,50_€"} {
		if got := SumText(-123450, "EUR", 2, lang); got != strings.ReplaceAll(want, "_", noBreak) {
			t.Errorf("a negative sum is %q, not %q", got, want)
		}
	}
	for points, want := range map[int64][2]string{1250: {"12.5%", "12,5%"}, 700: {"7%", "7%"}, 7: {"0.07%", "0,07%"}, 10000: {"100%", "100%"}} {
		if en, ru := PercentText(points, "en"), PercentText(points, "ru"); en != want[0] || ru != want[1] {
			t.Errorf("%d is %s and %s", points, en, ru)
		}
	}
}

func TestPriceTextKeepsEveryDigit(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		amount := rapid.Int64Min(1).Draw(t, "amount")
		text := PriceText(amount, rapid.SampledFrom([]string{"EUR", "RUB", "TRY", "XXX"}).Draw(t, "currency"), 0, rapid.SampledFrom([]string{"en", "ru", "xx"}).Draw(t, "language"))
		var digits strings.Builder
		for _, r := range text {
			if r >= '0' && r <= '9' {
				digits.WriteRune(r)
			}
		}
		if digits.String() != strconv.FormatInt(amount, 10) {
			t.Fatalf("%d is %q", amount, text)
		}
	})
}

// A price that a discount reduced to 0 is a price: the product can be bought. A product that
// never had a price cannot.
func TestDiscountedPriceOfZeroIsAPrice(t *testing.T) {
	t.Parallel()
	free := ProductCard{Price: 0, OldPrice: 40, Promotion: "All of it"}
	if !free.Buyable() || free.Saving() != 100 {
		t.Errorf("buyable %v, saves %d", free.Buyable(), free.Saving())
	}
	for _, c := range []ProductCard{{}, {OldPrice: 40}} {
		if c.Buyable() || c.Saving() != 0 {
			t.Errorf("%+v is buyable %v, saves %d", c, c.Buyable(), c.Saving())
		}
	}
}
