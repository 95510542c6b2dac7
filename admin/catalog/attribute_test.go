package catalog_test

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"vitrine/admin/api/apitest"
)

func (b bench) attribute(fields m) m {
	b.t.Helper()
	return b.add("attributes", fields)
}

// options returns a list of options with these values.
func options(values ...string) (list l) {
	for _, v := range values {
		list = append(list, m{"value": v, "label": strings.ToUpper(v)})
	}
	return list
}

func TestAttributesAreStored(t *testing.T) {
	b := open(t)
	colour := b.attribute(m{"name": " Colour ", "options": l{m{"value": "red", "label": "Red"}, m{"value": "0-blue_x"}}})
	show(t, "name", colour, "Colour", "name")
	show(t, "kind", colour, "option", "kind")
	show(t, "filterable", colour, true, "filterable")
	if got := names(colour["options"], "label"); !slices.Equal(got, []string{"Red", "0-blue_x"}) {
		t.Errorf("labels %q", got)
	}
	weight := b.attribute(m{"name": "Weight", "kind": "number", "unit": "g", "filterable": false})
	show(t, "no options", weight, l{}, "options")
	list := b.OK("GET", "/attributes?company_id="+b.company(), "", nil)["result"].(l)
	if got := names(list, "name"); !slices.Equal(got, []string{"Colour", "Weight"}) {
		t.Errorf("list %q", got)
	}
	show(t, "one", b.Result("GET", at("attributes", weight), b.Owner, nil), "g", "unit")
	show(t, "renamed", b.put("attributes", colour, m{"name": "Color"}), 0, "order")
	b.OK("DELETE", at("attributes", weight), b.Owner, nil)
	b.Refused("GET", at("attributes", weight), b.Owner, nil, 404, "ATTRIBUTE_NOT_FOUND")
	b.Refused("DELETE", at("attributes", weight), b.Owner, nil, 404, "ATTRIBUTE_NOT_FOUND")
	b.attribute(m{"name": "Weight"})
	for _, path := range []string{at("attributes", colour)} {
		b.Refused("GET", path, b.Stranger, nil, 404, "ATTRIBUTE_NOT_FOUND")
		b.Refused("PUT", path, b.Stranger, item(m{"name": "x"}), 404, "ATTRIBUTE_NOT_FOUND")
		b.Refused("DELETE", path, b.Stranger, nil, 404, "ATTRIBUTE_NOT_FOUND")
	}
	b.Refused("GET", "/attributes", "", nil, 403, "COMPANY_ID_PROBLEM")
}

func TestInvalidAttributesAreRefused(t *testing.T) {
	b := open(t)
	colour := b.attribute(m{"name": "Colour", "options": options("red")})
	b.attribute(m{"name": "Taken"})
	for name, c := range map[string]struct {
		fields m
		status int
		code   string
	}{
		"no name":      {m{"name": " "}, 400, "ATTRIBUTE_NAME_INVALID"},
		"long name":    {m{"name": strings.Repeat("я", 256)}, 400, "ATTRIBUTE_NAME_INVALID"},
		"taken name":   {m{"name": "tAKEN"}, 409, "ATTRIBUTE_NAME_TAKEN"},
		"kind":         {m{"name": "x", "kind": "colour"}, 400, "ATTRIBUTE_KIND_UNKNOWN"},
		"capital":      {m{"name": "x", "options": options("Red")}, 400, "INVALID_OPTION_VALUE"},
		"empty":        {m{"name": "x", "options": options("")}, 400, "INVALID_OPTION_VALUE"},
		"dash first":   {m{"name": "x", "options": options("-red")}, 400, "INVALID_OPTION_VALUE"},
		"letters":      {m{"name": "x", "options": options("красный")}, 400, "INVALID_OPTION_VALUE"},
		"line end":     {m{"name": "x", "options": options("red\n")}, 400, "INVALID_OPTION_VALUE"},
		"65 letters":   {m{"name": "x", "options": options(strings.Repeat("a", 65))}, 400, "INVALID_OPTION_VALUE"},
		"twice":        {m{"name": "x", "options": options("red", "red")}, 400, "DUPLICATE_OPTION_VALUE"},
		"long label":   {m{"name": "x", "options": l{m{"value": "a", "label": strings.Repeat("я", 256)}}}, 400, "OPTION_LABEL_TOO_LONG"},
		"too many":     {m{"name": "x", "options": make(l, 1001)}, 400, "ATTRIBUTE_TOO_MANY_OPTIONS"},
		"not a string": {m{"name": "x", "options": l{m{"value": 5}}}, 400, "INVALID_REQUEST"},
	} {
		t.Log(name)
		b.refused("POST", "/attributes", c.fields, c.status, c.code)
		b.refused("PUT", at("attributes", colour), c.fields, c.status, c.code)
	}
	b.attribute(m{"name": "Long", "options": options(strings.Repeat("a", 64))})
}

func TestAnOptionInUseCannotBeDeleted(t *testing.T) {
	b := open(t)
	colour := b.attribute(m{"name": "Colour", "options": options("red", "blue", "green")})
	p := b.add("products", m{"name": "Cup", "attributes": l{m{"attribute_id": colour["id"], "values": l{"blue"}}}})
	b.refused("PUT", at("attributes", colour), m{"options": options("red", "green")}, 400, "OPTION_IN_USE:blue")
	b.refused("PUT", at("attributes", colour), m{"options": l{}}, 400, "OPTION_IN_USE:blue")
	b.refused("PUT", at("attributes", colour), m{"kind": "text"}, 400, "ATTRIBUTE_IN_USE")
	grown := b.put("attributes", colour, m{"options": options("white", "blue")})
	if got := names(grown["options"], "value"); !slices.Equal(got, []string{"white", "blue"}) {
		t.Errorf("options %q", got)
	}
	show(t, "others stay", b.put("attributes", colour, m{"name": "Color"}), grown["options"], "options")
	b.OK("DELETE", at("products", p), b.Owner, nil)
	b.refused("PUT", at("attributes", colour), m{"options": options("white")}, 400, "OPTION_IN_USE:blue") // the deleted product may be restored
	b.put("products", p, m{"is_deleted": false, "attributes": l{}})
	b.put("attributes", colour, m{"options": options("white")})
}

func TestProductsHaveAttributes(t *testing.T) {
	b := open(t)
	colour := b.attribute(m{"name": "Colour", "options": options("red", "blue")})
	weight := b.attribute(m{"name": "Weight", "kind": "number", "unit": "g"})
	origin := b.attribute(m{"name": "Origin", "kind": "text"})
	red := colour["options"].(l)[0].(m)["id"]
	foreign := b.Result("POST", "/attributes", b.Stranger, item(m{"name": "Foreign"}))
	p := b.add("products", m{"name": "Cup", "attributes": l{
		m{"attribute_id": origin["id"], "text": " Kyoto "},
		m{"attribute_id": colour["id"], "option_ids": l{red}, "values": l{"blue", "red"}},
		m{"attribute_id": weight["id"], "number": 12.5},
	}})
	list := p["attributes"].(l)
	if got := names(list, "name"); !slices.Equal(got, []string{"Colour", "Weight", "Origin"}) {
		t.Fatalf("attributes %q", got)
	}
	show(t, "values", list[0].(m), l{"red", "blue"}, "values")
	show(t, "labels", list[0].(m), l{"RED", "BLUE"}, "labels")
	show(t, "number", list[1].(m), 12.5, "number")
	show(t, "text", list[2].(m), "Kyoto", "text")
	show(t, "not sent", b.put("products", p, m{"name": "Mug"}), list, "attributes")
	show(t, "in lists", b.Result("GET", "/products", b.Owner, nil)["items"].(l)[0].(m), list, "attributes")
	set := func(values ...any) m { return m{"name": "Mug", "attributes": values} }
	for name, c := range map[string]struct {
		sent   m
		status int
		code   string
	}{
		"unknown attribute": {set(m{"attribute_id": 999999, "text": "x"}), 404, "ATTRIBUTE_NOT_FOUND"},
		"foreign attribute": {set(m{"attribute_id": foreign["id"], "values": l{"x"}}), 404, "ATTRIBUTE_NOT_FOUND"},
		"unknown option":    {set(m{"attribute_id": colour["id"], "values": l{"green"}}), 400, "ATTRIBUTE_VALUE_INVALID"},
		"unknown option id": {set(m{"attribute_id": colour["id"], "option_ids": l{999999}}), 400, "ATTRIBUTE_VALUE_INVALID"},
		"twice":             {set(m{"attribute_id": origin["id"], "text": "a"}, m{"attribute_id": origin["id"], "text": "b"}), 400, "ATTRIBUTE_VALUE_INVALID"},
		"long text":         {set(m{"attribute_id": origin["id"], "text": strings.Repeat("я", 1001)}), 400, "ATTRIBUTE_VALUE_INVALID"},
		"number as text":    {set(m{"attribute_id": weight["id"], "number": "12"}), 400, "INVALID_REQUEST"},
	} {
		t.Log(name)
		b.refused("POST", "/products", c.sent, c.status, c.code)
		b.refused("PUT", at("products", p), c.sent, c.status, c.code)
	}
	p = b.put("products", p, set(m{"attribute_id": weight["id"], "number": 0}, m{"attribute_id": origin["id"]}))
	if got := names(p["attributes"], "name"); !slices.Equal(got, []string{"Weight"}) {
		t.Errorf("replaced as a whole: %q", got)
	}
	show(t, "cleared", b.put("products", p, m{"attributes": l{}}), l{}, "attributes")
}

// facet is one attribute filter of a list.
type facet struct {
	attribute m
	values    []string
	min, max  string
}

func query(facets ...facet) string {
	var q []string
	for i, f := range facets {
		prefix := fmt.Sprintf("attribute_filters[%d].", i)
		q = append(q, prefix+"attribute_id="+id(f.attribute), prefix+"min="+f.min, prefix+"max="+f.max)
		for _, v := range f.values {
			q = append(q, prefix+"values="+v)
		}
	}
	return strings.Join(q, "&")
}

// counted formats the facets of a list as "Colour red 2, blue 1; Weight 2 (1-3)".
func (b bench) counted(query string) string {
	b.t.Helper()
	var parts []string
	for _, a := range b.Result("GET", "/products?"+query, b.Owner, nil)["filterable_attributes"].(l) {
		a := a.(m)
		if a["kind"] == "number" {
			parts = append(parts, fmt.Sprintf("%v %v (%v-%v)", a["name"], a["count"], a["min"], a["max"]))
			continue
		}
		var counts []string
		for _, o := range a["options"].(l) {
			counts = append(counts, fmt.Sprint(o.(m)["value"], " ", o.(m)["count"]))
		}
		parts = append(parts, fmt.Sprint(a["name"], " ", strings.Join(counts, ", ")))
	}
	return strings.Join(parts, "; ")
}

func TestFacetsFilterAndCount(t *testing.T) {
	b := open(t)
	colour := b.attribute(m{"name": "Colour", "options": options("red", "blue", "unused")})
	size := b.attribute(m{"name": "Size", "options": options("s", "l")})
	weight := b.attribute(m{"name": "Weight", "kind": "number"})
	b.attribute(m{"name": "Origin", "kind": "text"})
	hidden := b.attribute(m{"name": "Hidden", "options": options("x"), "filterable": false})
	for _, p := range []struct {
		name, colour, size string
		weight             any
	}{{"A", "red", "s", 1}, {"B", "red", "l", 2}, {"C", "blue", "s", 3}, {"D", "blue", "l", nil}, {"E", "", "", nil}} {
		values := l{m{"attribute_id": weight["id"], "number": p.weight}, m{"attribute_id": hidden["id"], "values": l{"x"}}}
		if p.colour != "" {
			values = append(values, m{"attribute_id": colour["id"], "values": l{p.colour}}, m{"attribute_id": size["id"], "values": l{p.size}})
		}
		b.add("products", m{"name": p.name, "attributes": values})
	}
	for _, c := range []struct{ query, names, counts string }{
		{"", "A B C D E", "Colour red 2, blue 2; Size s 2, l 2; Weight 3 (1-3)"},
		{query(facet{attribute: colour, values: []string{"red"}}), "A B", "Colour red 2, blue 2; Size s 1, l 1; Weight 2 (1-2)"},
		{query(facet{attribute: colour, values: []string{"red", "blue"}}), "A B C D", "Colour red 2, blue 2; Size s 2, l 2; Weight 3 (1-3)"},
		{query(facet{attribute: colour, values: []string{"red"}}, facet{attribute: colour, values: []string{"blue"}}), "A B C D", "Colour red 2, blue 2; Size s 2, l 2; Weight 3 (1-3)"},
		{query(facet{attribute: colour, values: []string{"red"}}, facet{attribute: size, values: []string{"l"}}), "B", "Colour red 1, blue 1; Size s 1, l 1; Weight 1 (2-2)"},
		{query(facet{attribute: weight, min: "2"}), "B C", "Colour red 1, blue 1; Size s 1, l 1; Weight 3 (1-3)"},
		{query(facet{attribute: weight, min: "1.5", max: "2.5"}, facet{attribute: size, values: []string{"s"}}), "", "Size s 0, l 1; Weight 2 (1-3)"},
		{query(facet{attribute: colour}), "A B C D", "Colour red 2, blue 2; Size s 2, l 2; Weight 3 (1-3)"},
		{query(facet{attribute: colour, values: []string{"unused"}}), "", "Colour red 2, blue 2, unused 0"},
		{query(facet{attribute: m{"id": 999999.0}, values: []string{"red"}}), "", ""},
		{"filter.query=a", "A", "Colour red 1; Size s 1; Weight 1 (1-1)"},
	} {
		if _, got := b.list(c.query, b.Owner); strings.Join(got, " ") != c.names {
			t.Errorf("%s: %v, want %s", c.query, got, c.names)
		}
		if got := b.counted(c.query); got != c.counts {
			t.Errorf("%s: %s, want %s", c.query, got, c.counts)
		}
	}
	many := make([]facet, 21)
	for i := range many {
		many[i] = facet{attribute: colour, values: []string{"red"}}
	}
	if total, _ := b.list(query(many[:20]...), b.Owner); total != 2 {
		t.Errorf("20 filters: %d", total)
	}
	for _, q := range []string{
		query(many...), "attribute_filters[0].values=red", "attribute_filters[7].min=1", "attribute_filters[0].attribute_id=x",
		query(facet{attribute: colour, values: []string{"red,blue"}}), query(facet{attribute: weight, min: "x"}), query(facet{attribute: weight, max: "NaN"}),
		query(facet{attribute: weight, min: "1"}, facet{attribute: weight, max: "2"}), query(facet{attribute: colour, values: []string{"%FF"}}),
	} {
		b.Refused("GET", "/products?"+q, b.Owner, nil, 400, "INVALID_REQUEST")
	}
}

// The counts of facets match the lists filtered by each value.
func TestFacetCountsAgreeWithLists(t *testing.T) {
	b := open(t)
	var attributes []m
	for a := range 3 {
		attributes = append(attributes, b.attribute(m{"name": fmt.Sprint("A", a), "options": options("x", "y", "z")}))
	}
	var chosen [12][3][]string
	for n := range chosen {
		values := l{}
		for a := range attributes {
			for k, v := range []string{"x", "y", "z"} {
				if (n*7+a*5+k*3)%4 < 2 {
					chosen[n][a] = append(chosen[n][a], v)
				}
			}
			values = append(values, m{"attribute_id": attributes[a]["id"], "values": chosen[n][a]})
		}
		b.add("products", m{"name": fmt.Sprint("P", n), "attributes": values})
	}
	fits := func(n, a int, values []string) bool {
		return len(values) == 0 || slices.ContainsFunc(values, func(v string) bool { return slices.Contains(chosen[n][a], v) })
	}
	rapid.Check(t, func(t *rapid.T) {
		b.Clock.Advance(60e9)
		var facets []facet
		var asked [3][]string
		for a := range attributes {
			asked[a] = rapid.SliceOfDistinct(rapid.SampledFrom([]string{"x", "y", "z"}), rapid.ID[string]).Draw(t, "values")
			if len(asked[a]) > 0 {
				facets = append(facets, facet{attribute: attributes[a], values: asked[a]})
			}
		}
		var want []string
		for a := range attributes {
			var counts []string
			for _, v := range []string{"x", "y", "z"} {
				count := 0
				for n := range chosen {
					ok := slices.Contains(chosen[n][a], v)
					for other := range attributes {
						ok = ok && (other == a || fits(n, other, asked[other]))
					}
					if ok {
						count++
					}
				}
				if count > 0 || slices.Contains(asked[a], v) {
					counts = append(counts, fmt.Sprint(v, " ", count))
				}
			}
			if len(counts) > 0 {
				want = append(want, fmt.Sprint("A", a, " ", strings.Join(counts, ", ")))
			}
		}
		if got := b.counted(query(facets...)); got != strings.Join(want, "; ") {
			t.Fatalf("%v: %s, want %s", asked, got, strings.Join(want, "; "))
		}
	})
}

func TestASearchWithoutExactMatchesToleratesTypos(t *testing.T) {
	b := open(t)
	for _, name := range []string{"Sencha Green Tea", "Matcha bowl", "Зелёный чайник"} {
		b.add("products", m{"name": name, "is_published": true})
	}
	b.add("products", m{"name": "Sencah hidden"})
	for query, want := range map[string]string{
		"sencha": "Sencha Green Tea", "sencja": "Sencha Green Tea", "macha": "Matcha bowl", "чайнк": "Зелёный чайник", "зеленый": "Зелёный чайник",
		"zzzz": "", "sen": "Sencha Green Tea", "tae": "Sencha Green Tea", "ta": "",
	} {
		if _, got := b.list("filter.is_published=true&filter.query="+query, b.Owner); strings.Join(got, ",") != want {
			t.Errorf("%s: %v, want %s", query, got, want)
		}
	}
	exact := b.Result("GET", "/products?filter.query=sencah", b.Owner, nil)
	show(t, "exact wins", exact, 1, "total")
	show(t, "exact wins", exact, false, "similar")
	show(t, "says so", b.Result("GET", "/products?filter.query=sencja", b.Owner, nil), true, "similar")
	show(t, "narrowed away", b.Result("GET", "/products?filter.query=sencah&filter.min_price=5", b.Owner, nil), 0, "total")
}

func TestVariantsAreReplacedAsAWhole(t *testing.T) {
	b := open(t)
	picture := b.picture(b.Shop.ID)
	p, other := b.add("products", m{"name": "Cup", "is_published": true}), b.add("products", m{"name": "Mug"})
	set := func(of m, items ...any) m {
		return b.Result("PUT", at("products", of)+"/variants", b.Owner, m{"items": append(l{}, items...)})
	}
	show(t, "none", p, l{}, "variants")
	first := set(p,
		m{"sku": "R", "title": "Red", "price": 7, "image_id": picture, "options": m{"colour": "red"}},
		m{"sku": "B", "is_active": false}, m{})["variants"].(l)
	show(t, "price", first[0].(m), 7, "price")
	show(t, "picture", first[0].(m), picture, "image", "id")
	show(t, "options", first[0].(m), m{"colour": "red"}, "options")
	show(t, "the product's price", first[1].(m), nil, "price")
	if _, text := first[0].(m)["id"].(string); !text {
		t.Errorf("id is %T, want a string", first[0].(m)["id"])
	}
	show(t, "card", b.Result("GET", at("products", p), b.Owner, nil), first, "variants")
	if seen := b.Result("GET", at("products", p)+"?company_id="+b.company(), "", nil)["variants"].(l); len(seen) != 2 {
		t.Errorf("visitors see %d sets, want the active ones", len(seen))
	}
	second := set(p, m{"id": first[1].(m)["id"], "sku": "R"}, m{"id": first[0].(m)["id"], "sku": "B", "price": nil})["variants"].(l)
	show(t, "swapped", second[0].(m), first[1].(m)["id"], "id")
	show(t, "kept", second[1].(m), "Red", "title")
	show(t, "cleared", second[1].(m), nil, "price")
	show(t, "by sku", set(p, m{"sku": "B", "title": "Blue"})["variants"].(l)[0].(m), first[0].(m)["id"], "id")
	refuse := func(of m, status int, code string, items ...any) {
		t.Helper()
		b.Refused("PUT", at("products", of)+"/variants", b.Owner, m{"items": items}, status, code)
	}
	refuse(other, 409, "already_exists", m{"sku": "B"})
	refuse(other, 400, "DUPLICATE_VARIANT_SKU", m{"sku": "X"}, m{"sku": "X"})
	refuse(other, 404, "VARIANT_NOT_FOUND", m{"id": second[1].(m)["id"]})
	refuse(other, 404, "PRODUCT_FILE_NOT_FOUND", m{"image_id": missingFile})
	refuse(other, 404, "GALLERY_NOT_FOUND", m{"gallery_id": "5"})
	refuse(other, 400, "PRODUCT_PRICE_INVALID", m{"price": -1})
	refuse(other, 400, "PRODUCT_PRICE_INVALID", m{"price": 1.5})
	refuse(other, 400, "VARIANTS_TOO_MANY", make(l, 501)...)
	refuse(m{"id": 999999.0}, 404, "PRODUCT_NOT_FOUND", m{})
	b.OK("DELETE", at("products", p), b.Owner, nil)
	set(other, m{"sku": "B"})
	b.refused("PUT", at("products", p), m{"is_deleted": false}, 409, "already_exists")
	set(other)
	back := b.put("products", p, m{"is_deleted": false})["variants"].(l)
	show(t, "back", back[0].(m), "B", "sku")
}

func TestGroupsLinkProducts(t *testing.T) {
	b := open(t)
	one, two := b.add("products", m{"name": "One"}), b.add("products", m{"name": "Two"})
	g := b.add("product-groups", m{"name": " Cups ", "product_ids": l{two["id"], one["id"], two["id"]}})
	show(t, "name", g, "Cups", "name")
	show(t, "order", g, l{two["id"], one["id"]}, "product_ids")
	path := "/product-groups/" + g["id"].(string)
	show(t, "renamed", b.Result("PUT", path, b.Owner, item(m{"name": "Mugs"})), l{two["id"], one["id"]}, "product_ids")
	b.OK("DELETE", at("products", two), b.Owner, nil)
	show(t, "deleted ones go", b.Result("GET", path, b.Owner, nil), l{one["id"]}, "product_ids")
	show(t, "of a product", b.OK("GET", "/product-groups?product_id="+id(one), b.Owner, nil), 1, "total")
	show(t, "of another", b.OK("GET", "/product-groups?product_id=999999", b.Owner, nil), l{}, "result")
	for code, fields := range map[string]m{
		"400 PRODUCT_GROUP_INVALID": {"name": " "}, "404 PRODUCT_NOT_FOUND": {"name": "x", "product_ids": l{two["id"]}},
	} {
		status := map[byte]int{'4': 400}[code[0]]
		if strings.HasPrefix(code, "404") {
			status = 404
		}
		b.refused("POST", "/product-groups", fields, status, code[4:])
		b.refused("PUT", path, fields, status, code[4:])
	}
	for _, method := range []string{"GET", "PUT", "DELETE"} {
		b.Refused(method, path, b.Stranger, item(m{"name": "x"}), 404, "PRODUCT_GROUP_NOT_FOUND")
	}
	b.OK("DELETE", path, b.Owner, nil)
	b.Refused("GET", path, b.Owner, nil, 404, "PRODUCT_GROUP_NOT_FOUND")
}

func TestUnknownProjectionsAreRefused(t *testing.T) {
	b := open(t)
	p := b.add("products", m{"name": "Cup", "seo": m{"slug": "cup"}})
	for _, path := range []string{at("products", p), "/products/by-slug/cup"} {
		for _, value := range []string{"", "full", "cover", "active", "active&variant=nothing"} {
			b.OK("GET", path+"?galleries="+value, b.Owner, nil)
		}
		for _, value := range []string{"FULL", "none", "full,cover"} {
			b.Refused("GET", path+"?galleries="+value, b.Owner, nil, 400, "GALLERIES_PROJECTION_UNKNOWN")
		}
	}
}

// A value in any shape is stored as the value of its attribute, or refused: none is dropped.
func TestAttributeValuesAreReadOrRefused(t *testing.T) {
	b := open(t)
	kinds := map[string]m{
		"option": b.attribute(m{"name": "Colour", "options": options("red", "5")}),
		"number": b.attribute(m{"name": "Weight", "kind": "number"}),
		"text":   b.attribute(m{"name": "Care", "kind": "text"}),
	}
	red := kinds["option"]["options"].(l)[0].(m)["id"]
	p := b.add("products", m{"name": "Cup"})
	shapes := map[string]l{
		"option_ids": {l{}, l{red}}, "number": {nil, 5, 0, -2.5}, "text": {"", "red", "5"},
		"values": {l{}, l{"red"}, l{"5"}, l{"-2.5e3"}, l{"5", "red"}, l{""}, l{"NaN"}, l{"Infinity"}, l{"5,5"}},
	}
	stored, refused := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		kind := rapid.SampledFrom([]string{"option", "number", "text"}).Draw(t, "kind")
		value, sent := m{"attribute_id": kinds[kind]["id"]}, l{}
		for _, field := range rapid.SliceOfNDistinct(rapid.SampledFrom([]string{"option_ids", "number", "text", "values"}), 0, 2, rapid.ID[string]).Draw(t, "fields") {
			value[field] = rapid.SampledFrom(shapes[field]).Draw(t, field)
			switch v := value[field].(type) {
			case l:
				for _, entry := range v {
					if entry == red {
						entry = "red"
					}
					if entry != "" {
						sent = append(sent, entry)
					}
				}
			default:
				if v != nil && v != "" {
					sent = append(sent, v)
				}
			}
		}
		status, answer := b.Call("PUT", at("products", p), b.Owner, item(m{"attributes": l{value}}))
		if status == 400 && apitest.Code(answer) == "ATTRIBUTE_VALUE_INVALID" {
			refused++
			return
		}
		if status != 200 {
			t.Fatalf("%v: %d %v", value, status, answer)
		}
		kept := l{}
		for _, v := range answer["result"].(m)["attributes"].(l) {
			v := v.(m)
			kept = append(kept, v["values"].(l)...)
			if v["number"] != nil {
				kept = append(kept, v["number"])
			}
			if v["text"] != "" {
				kept = append(kept, v["text"])
			}
		}
		for _, s := range sent {
			if !slices.ContainsFunc(kept, func(k any) bool { return sameValue(k, s) }) {
				t.Fatalf("kind %s: %v was sent, %v is stored", kind, value, kept)
			}
		}
		stored++
	})
	if stored == 0 || refused == 0 {
		t.Errorf("%d stored, %d refused", stored, refused)
	}
	show(t, "as values", b.put("products", p, m{"attributes": l{m{"attribute_id": kinds["number"]["id"], "values": l{"5"}}}})["attributes"].(l)[0].(m), 5, "number")
	show(t, "as values", b.put("products", p, m{"attributes": l{m{"attribute_id": kinds["text"]["id"], "values": l{"dry"}}}})["attributes"].(l)[0].(m), "dry", "text")
}

// sameValue reports whether two values are the same as text or as a number.
func sameValue(a, b any) bool {
	x, notX := strconv.ParseFloat(fmt.Sprint(a), 64)
	y, notY := strconv.ParseFloat(fmt.Sprint(b), 64)
	return fmt.Sprint(a) == fmt.Sprint(b) || notX == nil && notY == nil && x == y
}
