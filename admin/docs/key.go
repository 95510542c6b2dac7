package docs

import (
	"strings"

	"vitrine/compile/markup"
)

// bindingKey is one data-binding attribute (document 3, 4.6.8). The example is a body that
// compiles; its result is the storefront's output for the data of the test.
type bindingKey struct {
	Name    string `json:"name"`
	Value   string `json:"value"`
	Does    string `json:"does"`
	By      string `json:"by"` // server: resolved when the page is rendered; script: handled by the storefront's script
	Example string `json:"example"`
	result  string
}

const (
	byServer = "server"
	byScript = "script"
)

// keys lists every binding attribute. Any other svc-* attribute is removed silently.
var keys = []bindingKey{
	{"svc-for", "name in path", "repeats the element for every row of a list; on a template element only its content", byServer,
		`<p svc-for="m in menu"><a href="{{ m.url }}">{{ m.name }}</a></p>`, `<p><a href="/tea">Tea</a></p>`},
	{"svc-if", "path or !path", "omits the element if the value is missing, empty, 0 or an empty list; with svc-for on the same element the loop is the outer one", byServer,
		`<b svc-if="category">{{ category.name }}</b>`, `<b>Tea</b>`},
	{"svc-cart-count", "none", "the element's text becomes the number of items in the visitor's cart", byScript,
		`<span svc-cart-count>0</span>`, `<span svc-cart-count="">0</span>`},
	{"svc-add-to-cart", "id of a product", "a click adds the product to the visitor's cart, in the variant chosen with svc-variants; with an id from a placeholder the line shows name, price and picture", byScript,
		`<i svc-for="p in products"><button svc-add-to-cart="{{ p.id }}">Buy</button></i>`, `<i><button svc-add-to-cart="12" data-svc-product="12" data-svc-name="Sencha" data-svc-url="/tea/sencha" data-svc-image="/files/s.webp" data-svc-price="€14">Buy</button></i>`},
	{"svc-fav", "id of a product", "a click adds the product to the visitor's wish list or removes it; aria-pressed shows the state", byScript,
		`<button svc-fav="12">Keep</button>`, `<button svc-fav="12">Keep</button>`},
	{"svc-gallery", "none", "turns the element's children into slides, with thumbnails, arrow keys and swipe", byScript,
		`<div svc-gallery><img svc-for="g in product.gallery" src="{{ g.url }}" alt=""></div>`, `<div svc-gallery="">`},
	{"svc-variants", "none", "choosing a variant of the product changes price and picture of the page; an empty element is filled with radio buttons, or with the options of a select; your own inputs need data-svc-price and data-svc-image", byScript,
		`<div svc-variants></div>`, `<label><input type="radio" name="svc-variant" value="5" data-svc-price="€16" data-svc-image="/files/v.webp"> 200 g</label></div>`},
	{"svc-sticky", "none", "the element stays at the top edge while the page scrolls", byScript,
		`<aside svc-sticky>Hours</aside>`, `<aside svc-sticky="">Hours</aside>`},
}

// bindingRoot is a name that a path may begin with.
type bindingRoot struct {
	Name   string   `json:"name"`
	List   bool     `json:"list"` // for use in loops
	Fields []string `json:"fields"`
	Where  string   `json:"where"`
}

// rootsAre describes each root of the compiler.
var rootsAre = map[string]string{
	"products": "the visible products of the shop, oldest first; on a product section those of its subtree; at most 48 rows, without filters or paging",
	"product":  "the product of a product page",
	"menu":     "the tree of published sections shown in menus",
	"category": "the section of the page",
	"crumbs":   "the path from the home page to this page",
}

// roots returns every root with the paths below it, as written in placeholders, from the table
// that documents are compiled with.
func roots() (list []bindingRoot) {
	for _, r := range markup.Roots() {
		list = append(list, bindingRoot{r.Name, r.List, r.Fields, rootsAre[r.Name]})
	}
	return list
}

// bindingLink is a link form that the storefront understands in a document.
type bindingLink struct {
	Address string `json:"address"`
	Does    string `json:"does"`
}

var links = []bindingLink{
	{"/path", "a page of the shop; never use the host that the document was exported from"},
	{"svc:page/12", "the current URL of the page with that id, or # if there is none"},
	{
		"form:3",
		"opens the form of the shop with that id: in a dialog on the page, or without scripts on a separate page, /_vitrine/form/3. " +
			"Allowed in href, action and formaction, and in the URLs of buttons and cards of widgets. A query prefills the fields of its names: form:3?topic=tea. " +
			"An unknown form causes the warning bind.form, and its page returns 404",
	},
}

type keyDocument struct {
	Attributes   []bindingKey  `json:"attributes"`
	Placeholder  string        `json:"placeholder"`
	Roots        []bindingRoot `json:"roots"`
	Links        []bindingLink `json:"links"`
	MaxRows      int           `json:"max_rows"`
	NotReplaced  []string      `json:"not_replaced_in"`
	UnknownRoot  string        `json:"unknown_root"`
	UnknownField string        `json:"unknown_field"`
}

func keysDocument() keyDocument {
	return keyDocument{
		Attributes: keys, Placeholder: "{{ path }}", Roots: roots(), Links: links, MaxRows: markup.MaxRows,
		NotReplaced: []string{"script", "style", "on* attributes", "srcdoc", "comments", "names of elements and attributes"},
		UnknownRoot: "stays unchanged", UnknownField: "prints nothing",
	}
}

// keysMarkdown returns the same table as a guide.
func keysMarkdown() string {
	var b strings.Builder
	b.WriteString("# Data bindings\n\n" +
		"An html document reads live data of the shop through attributes and placeholders. They are resolved when the page is rendered; " +
		"a value is escaped for its context and never interpreted again. The same table for programs: [vz-keys.json](/docs/vz-keys.json).\n\n" +
		"## Attributes\n\n" +
		"`server` attributes are resolved and removed. `script` attributes stay and are handled by the storefront's script. " +
		"Any other `svc-` attribute is removed silently.\n\n" +
		"| Attribute | Value | What it does | By |\n|---|---|---|---|\n")
	for _, k := range keys {
		b.WriteString("| `" + k.Name + "` | " + k.Value + " | " + k.Does + " | " + k.By + " |\n")
	}
	b.WriteString("\n## Placeholders\n\n`{{ path }}` prints a value. A path consists of names joined by `.`, with `[n]` for a row of a list. " +
		"There are no function calls and no filters. Placeholders are not replaced in " + strings.Join(keysDocument().NotReplaced, ", ") + ".\n\n" +
		"| Root | Fields | What it is |\n|---|---|---|\n")
	for _, r := range roots() {
		b.WriteString("| `" + r.Name + "` | `" + strings.Join(r.Fields, "` `") + "` | " + r.Where + " |\n")
	}
	b.WriteString("\nA placeholder with an unknown root stays unchanged, because it may belong to a script's own templates. " +
		"An unknown field of a known root prints nothing.\n\n## Links\n\n| Address | What it does |\n|---|---|\n")
	for _, l := range links {
		b.WriteString("| `" + l.Address + "` | " + l.Does + " |\n")
	}
	b.WriteString("\n## Examples\n\n```html\n")
	for _, k := range keys {
		b.WriteString(k.Example + "\n")
	}
	b.WriteString("```\n")
	return b.String()
}
