package markup

import (
	"strings"
	"testing"
)

// Buttons carry the product data that the storefront's script needs.
func TestButtonsCarryTheirProductData(t *testing.T) {
	const shoe = ` data-svc-product="5" data-svc-name="Shoe" data-svc-url="/shoe" data-svc-image="/files/a/shoe.jpg" data-svc-price="10 €"`
	tests := []struct{ in, want string }{
		{`<b svc-add-to-cart="{{ products[0].id }}"></b>`, `<b svc-add-to-cart="5"` + shoe + `></b>`},
		{`<b svc-for="p in products" svc-if="p.price_text" svc-fav=" {{p.id}} "></b>`, `<b svc-fav=" 5 "` + shoe + `></b>`},
		{`<b svc-for="p in products" svc-if="p.price_text" data-svc-name="Mine" svc-fav="{{p.id}}"></b>`,
			`<b data-svc-name="Mine" svc-fav="5"` + strings.Replace(shoe, ` data-svc-name="Shoe"`, "", 1) + `></b>`},
		{`<b svc-add-to-cart="12"></b><b svc-fav="{{ category.id }}"></b><b svc-fav="x{{ product.id }}"></b><b svc-fav="{{ nobody.id }}"></b>`,
			`<b svc-add-to-cart="12"></b><b svc-fav="3"></b><b svc-fav="x9"></b><b svc-fav="{{ nobody.id }}"></b>`},
	}
	for _, tt := range tests {
		c := compile(t, "<!DOCTYPE html><body>"+tt.in)
		if got := draw(t, c.Normal, shopData()); got != tt.want {
			t.Errorf("in   %s\ngot  %s\nwant %s", tt.in, got, tt.want)
		}
	}
	hostile := compile(t, `<b svc-add-to-cart="{{ product.id }}"></b>`).Normal
	if got := draw(t, hostile, &Data{Product: &Product{ID: 1, Name: `"><script>`}}); !strings.Contains(got, `data-svc-name="&quot;&gt;&lt;script&gt;"`) && !strings.Contains(got, `data-svc-name="&quot;><script>"`) {
		t.Errorf("a name breaks out: %s", got)
	}
}

func TestVariantsAreChosen(t *testing.T) {
	data := shopData()
	data.Product.PriceText = "10 €"
	data.Product.Variants = []Variant{
		{ID: 1, Name: "S", SKU: "h-s", PriceText: "10 €"}, {ID: 2, Name: "L & XL", PriceText: "12 €", Image: "/files/l.jpg"},
	}
	const about = ` data-svc-product="9" data-svc-name="Hat" data-svc-url="/hat" data-svc-image="/files/hat.svg" data-svc-price="10 €"`
	const small = `<label><input type="radio" name="svc-variant" value="1" data-svc-price="10 €" data-svc-image=""> S</label>`
	const large = `<label><input type="radio" name="svc-variant" value="2" data-svc-price="12 €" data-svc-image="/files/l.jpg"> L &amp; XL</label>`
	tests := []struct{ in, want string }{
		{`<div svc-variants> </div>`, `<div svc-variants=""` + about + `> ` + small + large + `</div>`},
		{`<select svc-variants></select>`, `<select svc-variants=""` + about + `><option value="1" data-svc-price="10 €" data-svc-image="">S</option><option value="2" data-svc-price="12 €" data-svc-image="/files/l.jpg">L &amp; XL</option></select>`},
		{`<p svc-variants><b>own</b></p>`, `<p svc-variants=""` + about + `><b>own</b></p>`},
		{`<table svc-variants></table>`, `<table svc-variants=""` + about + `></table>`},
		{`<i svc-for="v in product.variants">{{ v.sku }}|</i>`, `<i>h-s|</i><i>|</i>`},
	}
	for _, tt := range tests {
		c := compile(t, "<!DOCTYPE html><body>"+tt.in)
		if got := draw(t, c.Normal, data); got != tt.want {
			t.Errorf("in   %s\ngot  %s\nwant %s", tt.in, got, tt.want)
		}
		if needs := c.Normal.Needs(); !needs.Product || strings.Contains(tt.in, "></div>") && !needs.Details {
			t.Errorf("%s needs %+v", tt.in, needs)
		}
	}
	if got := draw(t, compile(t, `<div svc-variants></div>`).Normal, &Data{}); strings.Contains(got, "<label>") {
		t.Errorf("without a product: %s", got)
	}
}
