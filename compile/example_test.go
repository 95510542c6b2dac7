package compile_test

import (
	"fmt"

	"vitrine/compile"
	"vitrine/compile/redirect"
)

func ExampleSite_Resolve() {
	site := compile.New(compile.Input{
		Shop: compile.Shop{Origin: "https://shop.test", Hosts: []string{"shop.test"}, MissFallback: true},
		Categories: []compile.Category{
			{ID: 1, Slug: "shoes", Type: compile.TypeProduct, Published: true},
		},
		Products: []compile.Product{{ID: 5, Category: 1, Slug: "red-boot", Published: true}},
		Rules:    []redirect.Rule{{ID: 9, Kind: redirect.Exact, From: "/sale", To: "/shoes", Code: 301, Enabled: true}},
	})
	var w compile.Walk
	for _, target := range []string{"/shoes/red-boot", "/boots/red-boot", "/sale?utm_source=mail", "/shoes/sold-out", "/nothing"} {
		d := site.Resolve(&w, "shop.test", target)
		switch d.Kind {
		case compile.Page:
			fmt.Println(target, "is product", d.Page.ID)
		case compile.Redirect:
			fmt.Println(target, "->", d.Status, d.Location, "by", d.By)
		default:
			fmt.Println(target, "is missing")
		}
	}
	// Output:
	// /shoes/red-boot is product 5
	// /boots/red-boot -> 308 /shoes/red-boot by canonical
	// /sale?utm_source=mail -> 308 /shoes?utm_source=mail by rule
	// /shoes/sold-out -> 308 /shoes by fallback
	// /nothing is missing
}
