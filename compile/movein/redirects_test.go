package movein_test

import (
	"slices"
	"strings"
	"testing"

	"vitrine/compile"
	"vitrine/compile/movein"
	"vitrine/compile/redirect"
	"vitrine/internal/shop"
)

// moved is a shop that took over a plan, with the rules for its old addresses.
type moved struct {
	paths movein.Paths
	rules []redirect.Rule
	site  *compile.Site
}

// move gives everything in a plan a place in a shop, as its caller does: slugs are free or get a
// suffix.
func move(plan *movein.Plan) moved {
	m := moved{paths: movein.Paths{Sections: map[string]string{}, Products: map[string]string{}, Articles: map[string]string{}, Pages: map[string]string{}}}
	in := compile.Input{Shop: compile.Shop{Origin: "https://shop.example", Hosts: []string{"shop.example"}}}
	taken := map[string]bool{}
	free := func(under, slug string) string {
		for n := 1; ; n++ {
			if one := shop.WithSuffix(slug, n); !taken[under+"/"+one] {
				taken[under+"/"+one] = true
				return one
			}
		}
	}
	ids := map[string]shop.CategoryID{}
	section := func(parent, key, name, slug string, kind compile.CategoryType) {
		id := shop.CategoryID(len(in.Categories) + 1)
		slug = free("section "+parent, slug)
		ids[key] = id
		m.paths.Sections[key] = m.paths.Sections[parent] + "/" + slug
		in.Categories = append(in.Categories, compile.Category{ID: id, Parent: ids[parent], Slug: slug, Name: name, Type: kind, Published: true})
	}
	for _, s := range plan.Sections {
		section(s.Parent, s.Key, s.Name, s.Slug, compile.TypeProduct)
	}
	section("", "\nall", "All", "all", compile.TypeProduct)
	section("", "\nnews", "News", "news", compile.TypeNews)
	for i, p := range plan.Products {
		in1 := "\nall"
		if len(p.Sections) > 0 {
			in1 = p.Sections[0]
		}
		slug := free("product", p.Slug)
		m.paths.Products[p.Key] = m.paths.Sections[in1] + "/" + slug
		in.Products = append(in.Products, compile.Product{ID: shop.ProductID(i + 1), Category: ids[in1], Slug: slug, Published: true})
	}
	for i, a := range plan.Articles {
		slug := free("article", a.Slug)
		m.paths.Articles[a.Key] = m.paths.Sections["\nnews"] + "/" + slug
		in.Articles = append(in.Articles, compile.Article{ID: shop.ArticleID(i + 1), Category: ids["\nnews"], Slug: slug, Published: true})
	}
	for _, p := range plan.Pages {
		section("", "page "+p.Key, p.Title, p.Slug, compile.TypePage)
		m.paths.Pages[p.Key] = m.paths.Sections["page "+p.Key]
		delete(m.paths.Sections, "page "+p.Key)
	}
	delete(m.paths.Sections, "\nall")
	delete(m.paths.Sections, "\nnews")
	m.rules = movein.Redirects(plan, m.paths)
	for i := range m.rules {
		m.rules[i].ID = shop.RuleID(i + 1)
	}
	in.Rules = m.rules
	m.site = compile.New(in)
	return m
}

// leads checks that an old address leads to a path in one hop.
func (m moved) leads(t *testing.T, old, to string) {
	t.Helper()
	var w compile.Walk
	d := m.site.Resolve(&w, "shop.example", old)
	location := strings.TrimPrefix(d.Location, "https://shop.example")
	path, _, _ := strings.Cut(location, "?")
	if d.Kind == compile.Page && to == old || d.Kind == compile.Redirect && path == to && (d.Status == 301 || d.Status == 308) {
		return
	}
	t.Errorf("%s: %v %d %s by %v, want %s", old, d.Kind, d.Status, d.Location, d.By, to)
}

func (m moved) sources() (out []string) {
	for _, r := range m.rules {
		text := r.From
		if r.QueryMatch != "" {
			text += "?" + r.QueryMatch
		}
		out = append(out, text)
	}
	return out
}

func TestOldAddressesLeadToTheNewOnesInOneHop(t *testing.T) {
	for name, c := range map[string]struct {
		text  []string
		old   map[string]string // address: key of its product, or of its section after "section "
		rules []string
	}{
		"shopify": {[]string{"Handle,Title,Variant Price\ntea,Tea,5\n2024-cup,Cup,5\n"},
			map[string]string{"/products/tea": "tea", "/products/tea?variant=5": "tea", "/collections/hot/products/tea": "tea", "/products/2024-cup": "2024-cup", "/collections/a/products/2024-cup": "2024-cup", "/collections/b/products/2024-cup?variant=1": "2024-cup"},
			[]string{"/products/2024-cup", "/collections/*/products/2024-cup"}},
		"woocommerce": {[]string{wooHeader + "15,simple,A,Grüner Tee,1,visible,,,,,1,,,,5,Drinks > Hot tea,,,,,,,,,\n16,simple,B,5 Cups,1,visible,,,,,1,,,,5,,,,,,,,,,\n"},
			map[string]string{"/product/gruner-tee/": "A", "/?p=15": "A", "/?post_type=product&p=15": "A", "/?product=gruner-tee": "A", "/?p=15&utm_source=x": "A", "/product/5-cups/": "B", "/?p=16": "B", "/product-category/drinks/hot-tea/": "section Drinks > Hot tea", "/product-category/drinks/": "section Drinks"},
			[]string{"/product/gruner-tee", "/product/5-cups", "/?product=gruner-tee", "/?product=5-cups", "/?p=15", "/?p=16"}},
		"magento": {[]string{magentoHeader + "A,,Default,simple,Default Category/Hot Drinks/Tea,A,,,1,Catalog,5,,,,green-tea,,,,,1,1,1,,\n"},
			map[string]string{"/green-tea.html": "green-tea", "/hot-drinks/tea/green-tea.html": "green-tea", "/hot-drinks/tea.html": "section Hot Drinks > Tea", "/hot-drinks.html": "section Hot Drinks"},
			[]string{"/green-tea.html", "/hot-drinks.html", "/hot-drinks/tea.html", "/hot-drinks/tea/green-tea.html"}},
		"prestashop": {[]string{prestaProducts + "7;1;Tea;Home,Drinks;5;;;;;T;;;;;;;;;;;green-tea;;;\n"},
			map[string]string{"/7-green-tea.html": "green-tea", "/drinks/7-green-tea.html": "green-tea", "/drinks/7-12-green-tea.html": "green-tea", "/index.php?controller=product&id_product=7": "green-tea", "/index.php?id_product=7&controller=product": "green-tea"},
			[]string{"/7-green-tea.html", "/*/7-green-tea.html", "/index.php?id_product=7", "/*/7-*-green-tea.html"}},
		"opencart": {[]string{openProducts + "40,Tea,,20,T,,1,M,,,5,,,true,tea,,,,,,false\n", "category_id,parent_id,name(en-gb),top,columns,seo_keyword(en-gb)\n20,0,Hot Drinks,true,1,drinks\n"},
			map[string]string{"/index.php?route=product/product&product_id=40": "tea", "/index.php?route=product/product&path=20_1&product_id=40": "tea", "/tea": "tea", "/drinks/tea": "tea", "/product/tea": "tea", "/en-gb/product/tea": "tea"},
			[]string{"/index.php?product_id=40"}},
		"wix": {[]string{wixHeader + "Product_1,Product,Green Tea,,,,T,5,,true,,,InStock,,,,,,,,,\nProduct_2,Product,9 Cups,,,,C,5,,true,,,InStock,,,,,,,,,\n"},
			map[string]string{"/product-page/green-tea": "T", "/product-page/9-cups": "C"}, []string{"/product-page/9-cups"}},
		"square": {[]string{"Token,Item Name,Variation Name,SKU,Permalink,Price\nT,Mug,Regular,M,mug,5\n"}, map[string]string{"/product/mug/12": "mug"}, []string{"/product/mug/*"}},
		"squarespace": {[]string{"Product ID [Non Editable],Variant ID [Non Editable],Product Page,Product URL,Title,SKU,Price,Visible\n5f,v,our shop,mug,Mug,M,5,Yes\n6a,v,our shop,7cups,Cups,C,5,Yes\n"},
			map[string]string{"/our%20shop/p/mug": "mug", "/our%20shop/mug": "mug", "/our%20shop/p/7cups": "7cups", "/our%20shop/7cups": "7cups"}, []string{"/our%20shop/p/7cups", "/our%20shop/7cups"}},
		"bigcommerce": {[]string{"Item Type,Product ID,Product Name,Product Code/SKU,Price,Product URL\nProduct,1,Mug,M,5,https://old.example/blue-mug/\n"}, map[string]string{"/blue-mug/": "M"}, []string{"/blue-mug"}},
		"google":      {[]string{"id\ttitle\tlink\timage_link\tavailability\tprice\n1\tTea\thttps://old.example/shop/tea.html?a=b\t\tin stock\t5\n2\tCup\thttps://old.example/shop/cup\t\tin stock\t5\n"}, map[string]string{"/shop/tea.html?a=b": "tea", "/shop/cup": "cup"}, []string{"/shop/tea.html"}},
		"programs": {[]string{"id\ttitle\tlink\timage_link\tavailability\tprice\titem_group_id\tsize\n1\tTea\thttps://old.example/index.php?route=product&product_id=5\t\tin stock\t5\t\t\n2\tCup\thttps://old.example/?p=7\t\tin stock\t5\t\t\n3\tTee S\thttps://old.example/tee-s.html\t\tin stock\t5\tG\tS\n4\tTee M\thttps://old.example/tee-m.html\t\tin stock\t5\tG\tM\n"},
			map[string]string{"/index.php?product_id=5&route=product": "1", "/?p=7": "2", "/tee-s.html": "tee-s", "/tee-m.html": "tee-s"}, nil},
		"a name that occurs twice": {[]string{wooHeader + "1,simple,A,A,1,visible,,,,,1,,,,5,\"Men > Shoes, Shoes, Women > Shoes\",,,,,,,,,\n"},
			map[string]string{"/product-category/shoes/": "section Shoes", "/product-category/men/shoes/": "section Men > Shoes", "/product-category/women/shoes/": "section Women > Shoes"}, nil},
		"a section with the name of a product": {[]string{"Handle,Title,Type,Variant Price\ntea,Tea,Tea,5\n"}, map[string]string{"/products/tea": "tea", "/collections/x/products/tea": "tea"}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			plan := read(t, map[string]string{"address": "https://old.example"}, c.text...)
			m := move(plan)
			for old, key := range c.old {
				to := m.paths.Products[key]
				if section, ok := strings.CutPrefix(key, "section "); ok {
					to = m.paths.Sections[section]
				}
				if to == "" {
					t.Fatalf("nothing is called %q: %+v", key, m.paths)
				}
				m.leads(t, old, to)
			}
			if got := m.sources(); c.rules != nil && !slices.Equal(got, c.rules) {
				t.Errorf("rules %q, want %q", got, c.rules)
			}
			for _, one := range plan.Products { // whatever else it states about its addresses
				for _, old := range one.Old {
					m.leads(t, strings.ReplaceAll(old, "*", "x"), m.paths.Products[one.Key])
				}
			}
		})
	}
}

func TestOldAddressesOfTextsLeadToTheNewOnes(t *testing.T) {
	plan := read(t, nil, wordPressHead+post(5, "post", "publish", "2026-tea", "x")+post(6, "page", "publish", "about", "x")+post(7, "post", "publish", "%d1%87%d0%b0%d0%b9", "x")+"</channel></rss>")
	m := move(plan)
	for old, key := range map[string]string{"/2026/05/2026-tea/": "2026-tea", "/?p=5": "2026-tea", "/2026/05/%D1%87%D0%B0%D0%B9/": "чай", "/?p=7": "чай"} {
		m.leads(t, old, m.paths.Articles[key])
	}
	for _, old := range []string{"/2026/05/about/", "/?page_id=6"} {
		m.leads(t, old, m.paths.Pages["about"])
	}
	var w compile.Walk
	if d := m.site.Resolve(&w, "shop.example", "/"); d.Kind != compile.Page {
		t.Errorf("the home page: %+v", d)
	}
}

func TestRulesOfProductsComeBeforeThoseOfArticlesAndFirstAddressesBeforeFurtherOnes(t *testing.T) {
	plan := &movein.Plan{
		Products: []*movein.Product{{Key: "a", Old: []string{"/a.html", "/x/a.html"}}, {Key: "b", Old: []string{"/b.html", "/a.html"}}},
		Articles: []movein.Article{{Page: movein.Page{Key: "c", Old: []string{"/c.html"}}}, {Page: movein.Page{Key: "gone", Old: []string{"/gone.html"}}}},
	}
	var got []string
	for _, r := range movein.Redirects(plan, movein.Paths{Products: map[string]string{"a": "/s/a", "b": "/s/b"}, Articles: map[string]string{"c": "/n/c"}}) {
		got = append(got, ruleText(r))
	}
	if !slices.Equal(got, []string{"/a.html /s/a 301", "/b.html /s/b 301", "/c.html /n/c 301", "/x/a.html /s/a 301"}) {
		t.Errorf("%q", got)
	}
}
