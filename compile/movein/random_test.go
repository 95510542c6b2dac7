package movein_test

import (
	"encoding/csv"
	"encoding/xml"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"vitrine/compile/movein"
	"vitrine/internal/shop"
)

// drawn is a product as the random test makes it.
type drawn struct {
	handle, name, sku, description string
	section                        []string
	price                          int64
	stock                          int
	option                         string
	variants                       []drawnVariant
}

type drawnVariant struct {
	value, sku string
	price      int64
	stock      int
}

func drawProducts(t *rapid.T) (list []drawn) {
	word := rapid.StringMatching(`[A-ZА-Я][a-zа-я0-9"!?]{0,5}( [a-zа-я0-9"!?]{1,4})?[a-zа-я]`)
	n := rapid.IntRange(1, 4).Draw(t, "products")
	for i := range n {
		p := drawn{
			handle: fmt.Sprintf("%s-%d", rapid.StringMatching(`[a-z]{1,5}`).Draw(t, "handle"), i), name: fmt.Sprintf("%s %d", word.Draw(t, "name"), i), sku: fmt.Sprintf("P%d", i),
			description: rapid.StringMatching(`(<p>[a-z ",]{1,9}x</p>)?`).Draw(t, "text"), price: int64(rapid.IntRange(1, 99_999_99).Draw(t, "price")), stock: rapid.IntRange(0, 99).Draw(t, "stock"),
			section: rapid.SliceOfN(rapid.StringMatching(`[A-Z][a-z]{1,4}`), 1, 3).Draw(t, "section"),
		}
		if rapid.Bool().Draw(t, "varies") {
			p.option = rapid.SampledFrom([]string{"Size", "Farbe", "Цвет"}).Draw(t, "option")
			for v, value := range rapid.SliceOfNDistinct(word, 2, 4, rapid.ID[string]).Draw(t, "values") {
				p.variants = append(p.variants, drawnVariant{value, fmt.Sprintf("V%d-%d", i, v), p.price + int64(v*rapid.IntRange(0, 500).Draw(t, "more")), rapid.IntRange(0, 99).Draw(t, "count")})
			}
		}
		list = append(list, p)
	}
	return list
}

// want is what a system can hold of a product.
func (p drawn) want(skus, prices, stocks, sections bool) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s %q", p.name, shop.Amount(p.price, 2), p.description)
	if len(p.variants) == 0 {
		fmt.Fprintf(&b, " %s %d", p.sku, p.stock)
	}
	for _, v := range p.variants {
		fmt.Fprintf(&b, "; %s=%s", p.option, v.value)
		if skus {
			b.WriteString(" " + v.sku)
		}
		if prices {
			b.WriteString(" " + shop.Amount(v.price, 2))
		}
		if stocks {
			fmt.Fprintf(&b, " %d", v.stock)
		}
	}
	if sections {
		b.WriteString(" in " + strings.Join(p.section, " > "))
	}
	return b.String()
}

func got(p *movein.Product, skus, prices, stocks, sections bool) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s %q", p.Name, shop.Amount(p.Price, 2), p.Description)
	if len(p.Variants) == 0 {
		fmt.Fprintf(&b, " %s %s", p.SKU, number(p.Stock))
	}
	for _, v := range p.Variants {
		fmt.Fprintf(&b, "; %s=%s", strings.Join(p.Options, "/"), strings.Join(v.Values, "/"))
		if skus {
			b.WriteString(" " + v.SKU)
		}
		if prices {
			price := p.Price
			if v.Price != nil {
				price = *v.Price
			}
			b.WriteString(" " + shop.Amount(price, 2))
		}
		if stocks {
			b.WriteString(" " + number(v.Stock))
		}
	}
	if sections {
		b.WriteString(" in " + strings.Join(p.Sections, ", "))
	}
	return b.String()
}

// sheet writes rows as a table.
func sheet(separator rune, header string, rows [][]string) string {
	var b strings.Builder
	w := csv.NewWriter(&b)
	w.Comma = separator
	_ = w.Write(strings.Split(header, "|"))
	_ = w.WriteAll(rows)
	return b.String()
}

// writer writes products as a system does; the flags say what the system can hold.
type writer struct {
	skus, prices, stocks, sections bool
	write                          func(list []drawn) []string
}

// tableWriter makes rows of a product's own row, and of the rows of its variants.
func tableWriter(separator rune, header string, product func(p drawn) [][]string, variant func(p drawn, v drawnVariant, first bool) []string) func([]drawn) []string {
	return func(list []drawn) []string {
		var rows [][]string
		for _, p := range list {
			rows = append(rows, product(p)...)
			for i, v := range p.variants {
				rows = append(rows, variant(p, v, i == 0))
			}
		}
		return []string{sheet(separator, header, rows)}
	}
}

func eurText(n int64) string { return shop.Amount(n, 2) }

var writers = map[string]writer{
	"shopify": {true, true, true, false, tableWriter(',', "Handle|Title|Body (HTML)|Option1 Name|Option1 Value|Variant SKU|Variant Inventory Tracker|Variant Inventory Qty|Variant Price",
		func(p drawn) [][]string {
			if len(p.variants) > 0 {
				return nil
			}
			return [][]string{{p.handle, p.name, p.description, "Title", "Default Title", p.sku, "shopify", fmt.Sprint(p.stock), eurText(p.price)}}
		}, func(p drawn, v drawnVariant, first bool) []string {
			if first {
				return []string{p.handle, p.name, p.description, p.option, v.value, v.sku, "shopify", fmt.Sprint(v.stock), eurText(v.price)}
			}
			return []string{p.handle, "", "", "", v.value, v.sku, "shopify", fmt.Sprint(v.stock), eurText(v.price)}
		})},
	"woocommerce": {true, true, true, true, tableWriter(',', "ID|Type|SKU|Name|Published|Description|In stock?|Stock|Regular price|Categories|Parent|Attribute 1 name|Attribute 1 value(s)",
		func(p drawn) [][]string {
			kind, price, stock := "simple", eurText(p.price), fmt.Sprint(p.stock)
			if len(p.variants) > 0 {
				kind, price, stock = "variable", "", ""
			}
			return [][]string{{"", kind, p.sku, p.name, "1", p.description, "1", stock, price, strings.Join(p.section, " > "), "", p.option, ""}}
		}, func(p drawn, v drawnVariant, _ bool) []string {
			return []string{"", "variation", v.sku, "", "1", "", "1", fmt.Sprint(v.stock), eurText(v.price), "", p.sku, p.option, v.value}
		})},
	"magento": {true, true, true, true, func(list []drawn) []string {
		var rows [][]string
		for _, p := range list {
			var listed []string
			for _, v := range p.variants {
				rows = append(rows, []string{v.sku, "Default", "simple", "", v.value, "", "Not Visible Individually", eurText(v.price) + "00", "", fmt.Sprint(v.stock), "1", ""})
				listed = append(listed, "sku="+v.sku+","+p.option+"="+v.value)
			}
			kind, price := "simple", eurText(p.price)
			if len(listed) > 0 {
				kind, price = "configurable", ""
			}
			rows = append(rows, []string{p.sku, "Default", kind, "Default Category/" + strings.Join(p.section, "/"), p.name, p.description, "Catalog, Search", price, p.handle, fmt.Sprint(p.stock), "1", strings.Join(listed, "|")})
		}
		return []string{strings.ReplaceAll(sheet(',', "sku|attribute_set_code|product_type|categories|name|description|visibility|price|url_key|qty|manage_stock|configurable_variations", rows), "Цвет=", "colour=")}
	}},
	"prestashop": {true, true, true, false, func(list []drawn) []string {
		var products, combinations [][]string
		for i, p := range list {
			products = append(products, []string{fmt.Sprint(i), "1", p.name, eurText(p.price), p.sku, fmt.Sprint(p.stock), p.description, p.handle})
			for _, v := range p.variants {
				combinations = append(combinations, []string{fmt.Sprint(i), p.option + ":select:0", v.value + ":0", v.sku, eurText(v.price - p.price), fmt.Sprint(v.stock)})
			}
		}
		return []string{sheet(';', "Product ID*|Attribute (Name:Type:Position)*|Value (Value:Position)*|Reference|Impact on price|Quantity", combinations),
			sheet(';', "Product ID|Active (0/1)|Name *|Price tax excluded|Reference #|Quantity|Description|URL rewritten", products)}
	}},
	"opencart": {false, true, true, true, func(list []drawn) []string {
		var products, values, sections [][]string
		for i, p := range list {
			up := "0"
			for n, label := range p.section {
				id := fmt.Sprintf("%d0%d", i+1, n)
				sections = append(sections, []string{id, up, label, "true", "1"})
				up = id
			}
			products = append(products, []string{fmt.Sprint(i), p.name, up, p.sku, fmt.Sprint(p.stock), eurText(p.price), p.handle, p.description, "true", "M"})
			for _, v := range p.variants {
				values = append(values, []string{fmt.Sprint(i), p.option, v.value, fmt.Sprint(v.stock), "true", eurText(v.price - p.price), "+"})
			}
		}
		return []string{sheet(',', "product_id|name(en-gb)|categories|sku|quantity|price|seo_keyword(en-gb)|description(en-gb)|subtract|model", products),
			sheet(',', "product_id|option|option_value|quantity|subtract|price|price_prefix", values), sheet(',', "category_id|parent_id|name(en-gb)|top|columns", sections)}
	}},
	"wix": {true, true, true, false, tableWriter(',', "handleId|fieldType|name|description|sku|price|surcharge|visible|inventory|productOptionName1|productOptionDescription1",
		func(p drawn) [][]string {
			return [][]string{{p.handle, "Product", p.name, p.description, p.sku, eurText(p.price), "", "true", fmt.Sprint(p.stock), p.option, ""}}
		}, func(p drawn, v drawnVariant, _ bool) []string {
			return []string{p.handle, "Variant", "", "", v.sku, "", eurText(v.price - p.price), "true", fmt.Sprint(v.stock), "", v.value}
		})},
	"square": {true, true, true, true, tableWriter(',', "Token|Item Name|Variation Name|SKU|Description|Categories|Permalink|Price|Option Name 1|Option Value 1|Current Quantity Here",
		func(p drawn) [][]string {
			if len(p.variants) > 0 {
				return nil
			}
			return [][]string{{"", p.name, "Regular", p.sku, p.description, strings.Join(p.section, " > "), p.handle, eurText(p.price), "", "", fmt.Sprint(p.stock)}}
		}, func(p drawn, v drawnVariant, _ bool) []string {
			return []string{"", p.name, v.value, v.sku, p.description, strings.Join(p.section, " > "), p.handle, eurText(v.price), p.option, v.value, fmt.Sprint(v.stock)}
		})},
	"squarespace": {true, true, true, true, tableWriter(',', "Product ID [Non Editable]|Variant ID [Non Editable]|Product URL|Title|Description|SKU|Option Name 1|Option Value 1|Price|Stock|Categories|Visible",
		func(p drawn) [][]string {
			if len(p.variants) > 0 {
				return nil
			}
			return [][]string{{p.handle, "v", p.handle, p.name, p.description, p.sku, "", "", eurText(p.price), fmt.Sprint(p.stock), "/" + strings.Join(p.section, "/"), "Yes"}}
		}, func(p drawn, v drawnVariant, first bool) []string {
			if first {
				return []string{p.handle, "v", p.handle, p.name, p.description, v.sku, p.option, v.value, eurText(v.price), fmt.Sprint(v.stock), "/" + strings.Join(p.section, "/"), "Yes"}
			}
			return []string{"", "v", "", "", "", v.sku, p.option, v.value, eurText(v.price), fmt.Sprint(v.stock), "", ""}
		})},
	"bigcommerce": {true, true, true, true, tableWriter(',', "Item Type|Product ID|Product Name|Product Code/SKU|Product Description|Price|Track Inventory|Current Stock Level|Category",
		func(p drawn) [][]string {
			return [][]string{{"Product", p.handle, p.name, p.sku, p.description, eurText(p.price), "by product", fmt.Sprint(p.stock), strings.Join(p.section, "/")}}
		}, func(p drawn, v drawnVariant, _ bool) []string {
			return []string{"SKU", "", "[RT]" + p.option + "=" + v.value, v.sku, "", eurText(v.price), "", fmt.Sprint(v.stock), ""}
		})},
	"etsy": {true, false, false, false, func(list []drawn) []string {
		var rows [][]string
		for _, p := range list {
			var values, skus []string
			for _, v := range p.variants {
				values, skus = append(values, v.value), append(skus, v.sku)
			}
			if len(skus) == 0 {
				skus = []string{p.sku}
			}
			rows = append(rows, []string{p.name, p.description, eurText(p.price), "EUR", fmt.Sprint(p.stock), p.option, strings.Join(values, ","), strings.Join(skus, ",")})
		}
		return []string{sheet(',', "TITLE|DESCRIPTION|PRICE|CURRENCY_CODE|QUANTITY|VARIATION 1 NAME|VARIATION 1 VALUES|SKU", rows)}
	}},
	"yml": {true, true, true, true, func(list []drawn) []string {
		var b strings.Builder
		b.WriteString("<yml_catalog><shop><categories>")
		text := func(s string) string { var e strings.Builder; _ = xml.EscapeText(&e, []byte(s)); return e.String() }
		for i, p := range list {
			for n, label := range p.section {
				fmt.Fprintf(&b, "<category id=\"%d0%d\" parentId=\"%d0%d\">%s</category>", i+1, n, i+1, n-1, text(label))
			}
		}
		b.WriteString("</categories><offers>")
		for i, p := range list {
			offer := func(id, group, sku string, price int64, stock int, param string) {
				fmt.Fprintf(&b, "<offer id=\"%s\"%s><name>%s</name><price>%s</price><vendorCode>%s</vendorCode><count>%d</count><categoryId>%d0%d</categoryId><description>%s</description><url>https://old.example/%s</url>%s</offer>",
					id, group, text(p.name), eurText(price), sku, stock, i+1, len(p.section)-1, text(p.description), p.handle, param)
			}
			if len(p.variants) == 0 {
				offer(p.handle, "", p.sku, p.price, p.stock, "")
			}
			for _, v := range p.variants {
				offer(v.sku, " group_id=\"g"+p.handle+"\"", v.sku, v.price, v.stock, "<param name=\""+p.option+"\">"+text(v.value)+"</param>")
			}
		}
		return []string{b.String() + "</offers></shop></yml_catalog>"}
	}},
}

// What is written in the columns of a system is read back, as far as the system can hold it, and
// a second reading gives the same keys.
func TestWhatASystemCanHoldIsReadBack(t *testing.T) {
	for name, w := range writers {
		t.Run(name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				list := drawProducts(t)
				if name == "magento" { // names of attributes are codes
					for i := range list {
						list[i].option = strings.ReplaceAll(list[i].option, "Цвет", "colour")
					}
				}
				var files []movein.File
				for i, text := range w.write(list) {
					files = append(files, file(fmt.Sprint(i), text))
				}
				plan, err := loaded(movein.Read(files, eur, nil, newSpool()))
				if err != nil || len(plan.Products) != len(list) {
					t.Fatalf("%d products of %d, %v, %+v", len(plan.Products), len(list), err, plan)
				}
				var keys []string
				for i, p := range plan.Products {
					if got, want := got(p, w.skus, w.prices, w.stocks, w.sections), list[i].want(w.skus, w.prices, w.stocks, w.sections); got != want {
						t.Fatalf("\n%s, want\n%s\n%+v", got, want, plan.Rows)
					}
					keys = append(keys, p.Key)
				}
				again, err := loaded(movein.Read(files, eur, nil, newSpool()))
				if err != nil {
					t.Fatal(err)
				}
				for i, p := range again.Products {
					if p.Key != keys[i] || slices.Index(keys, p.Key) != i {
						t.Fatalf("the keys are %q", keys)
					}
				}
			})
		})
	}
}
