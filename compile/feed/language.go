package feed

// Entry is one row of the reference of the template language.
type Entry struct {
	Name      string // "products"
	Signature string // `products "category=a,b" "limit=100"`
	Meaning   string // one sentence or two
	Example   string // a body that renders
}

// Chapter is one table of the reference.
type Chapter struct {
	Slug    string
	Title   string
	Intro   string
	Entries []Entry
}

// Reference returns the template language as tables: the functions of the platform,
// the options of range products, the fields, the general functions, the actions, the
// escaping and the bounds. The guides are generated from it, and a test renders every
// example.
func Reference() []Chapter {
	return []Chapter{
		platformChapter(), optionsChapter(), fieldsChapter(), generalChapter(), actionsChapter(), escapingChapter(),
		boundsChapter(),
	}
}

func platformChapter() Chapter {
	return Chapter{"functions", "Functions of the platform", "Access to the catalogue, to addresses and to the time.", []Entry{
		{"products", `products "option=value" …`, "The products that feeds may list, oldest first. Unpublished, hidden and excluded products never appear, products of price 0 only by an option.", `{{range products "limit=10"}}{{.Name}}{{end}}`},
		{"categories", `categories`, "The published product categories in tree order, without the home category.", `{{range categories}}{{.Name}}{{end}}`},
		{"pictures", `pictures PRODUCT [MOST] ["GALLERY"]`, "Absolute addresses of a product's pictures, or of its linked gallery of that name, at most MOST of them. An unknown gallery has none.", `{{range products}}{{range pictures . 5 "Square"}}{{.}}{{end}}{{end}}`},
		{"offers", `offers PRODUCT`, "The offers of a product, each with the fields of a product: its variants in their order, with their own OfferID, name, SKU, price and address, or the product itself when it has no variants.", `{{range products}}{{range offers .}}{{.OfferID}} {{.Price}}{{end}}{{end}}`},
		{"file_url", `file_url ID`, "The current absolute address of a site file. Empty, with a warning, when there is no such file.", `{{file_url 1}}`},
		{"file_path", `file_path ID`, "The current path of a site file, without the host.", `{{file_path 1}}`},
		{"category_url", `category_url ID`, "The absolute address of a category.", `{{with category_url 1}}{{.}}{{end}}`},
		{"product_url", `product_url ID`, "The absolute address of a product.", `{{product_url 1}}`},
		{"minor", `minor PRICE CURRENCY`, "A price as a whole number of the smallest units of its currency (ISO 4217): 14.50 EUR is 1450, 1450 JPY is 1450.", `{{range products}}{{minor .Price .Currency}}{{end}}`},
		{"plain", `plain TEXT`, "An HTML text without its tags, with line ends between paragraphs.", `{{range products}}{{plain .Description}}{{end}}`},
		{"now", `now ["LAYOUT"]`, `The time of the rendered catalogue in the shop's timezone, in a layout of Go (the reference time is Mon Jan 2 15:04:05 2006), by default 2006-01-02T15:04:05Z07:00. It advances only when something has changed, so that an unchanged feed keeps its bytes.`, `{{now "2006-01-02 15:04"}}`},
	}}
}

func optionsChapter() Chapter {
	return Chapter{
		"options", "Options of range products",
		"Options are texts of the form name=value, each at most once. An unknown option, a malformed value or an unknown category ends the render with an error in its line.",
		[]Entry{
			{
				"category", `"category=a,b"`,
				"Only products whose main or extra category is one of these or below one. Slugs or ids.",
				`{{range products "category=shoes,11"}}{{.Name}}{{end}}`,
			},
			{
				"exclude_category", `"exclude_category=a,b"`, "No products of these categories or of categories below them.",
				`{{range products "exclude_category=shoes"}}{{.Name}}{{end}}`,
			},
			{"limit", `"limit=N"`, "The first N products, 1 to 50,000.", `{{range products "limit=100"}}{{.Name}}{{end}}`},
			{
				"include_zero_price", `"include_zero_price=true"`, "Include products of price 0.",
				`{{range products "include_zero_price=true"}}{{.Name}}{{end}}`,
			},
		},
	}
}

func fieldsChapter() Chapter {
	var entries []Entry
	add := func(of, dot, before, after string, table []namedField) {
		for _, n := range table {
			entries = append(entries, Entry{of + "." + n.name, dot + "." + n.name, n.meaning, before + "{{" + dot + "." + n.name + "}}" + after})
		}
	}
	add("Shop", ".Shop", "", "", shopFields)
	add("Product", "", "{{range products}}", "{{end}}", productFields)
	for _, n := range traitFields {
		entries = append(entries, Entry{"Product." + n.name, "." + n.name, n.meaning, "{{range products}}{{range ." + n.name + "}}{{.Name}}: {{.Value}} {{.Unit}}{{end}}{{end}}"})
	}
	add("Category", "", "{{range categories}}", "{{end}}", categoryFields)
	return Chapter{
		"fields", "Fields",
		"At the top the shop is .Shop, inside of ranges it is $.Shop. In a defined template $ is its argument. An unknown field is an error when the file is rendered.",
		entries,
	}
}

func generalChapter() Chapter {
	return Chapter{
		"general", "General functions",
		"The functions of Go's templates. The output is escaped automatically, so html, js and urlquery are seldom needed.",
		[]Entry{
			{"and", `and A B …`, "The first argument that is empty, else the last.", `{{and 1 "x"}}`},
			{"or", `or A B …`, "The first argument that is not empty, else the last.", `{{or "" "x"}}`},
			{"not", `not A`, "Whether A is empty: false, 0, an empty text or list.", `{{not ""}}`},
			{"eq", `eq A B …`, "Whether A equals one of the other arguments.", `{{eq 1 2 1}}`},
			{"ne", `ne A B`, "Whether they differ.", `{{ne 1 2}}`},
			{
				"lt", `lt A B`,
				"Whether A is less than B. Integers compare with integers, fractions with fractions, texts with texts.",
				`{{lt 1 2}}`,
			},
			{"le", `le A B`, "Whether A is less than or equal to B.", `{{le 1 2}}`}, {"gt", `gt A B`, "Whether A is greater than B.", `{{gt 1 2}}`},
			{"ge", `ge A B`, "Whether A is greater than or equal to B.", `{{ge 1.5 1.0}}`},
			{"len", `len A`, "The number of elements of a list, or of bytes of a text.", `{{len (products)}}`},
			{"index", `index LIST N …`, "The element N, counted from 0.", `{{index "abc" 0}}`},
			{"slice", `slice LIST FROM TO`, "The elements of a list, or the bytes of a text, from FROM up to TO, which is excluded.", `{{slice "abc" 0 2}}`},
			{"print", `print A …`, "The arguments as one text.", `{{print "a" 1}}`},
			{"println", `println A …`, "The same, with spaces between them and a line end after them.", `{{println "a" 1}}`},
			{
				"printf", `printf "FORMAT" A …`,
				`The arguments in a format of Go: %d for integers, %s for texts, %.2f for fractions, %.150s for the first 150 characters. An argument that does not fit the format is an error.`,
				`{{printf "%d %s %.2f" 1 "a" 1.5}}`,
			},
			{"html", `html A …`, "Escaped for HTML.", `{{html "<"}}`}, {"js", `js A …`, "Escaped for JavaScript.", `{{js "'"}}`},
			{"urlquery", `urlquery A …`, "Escaped for the query of an address.", `{{urlquery "a b"}}`},
		},
	}
}

func actionsChapter() Chapter {
	return Chapter{
		"actions", "Actions",
		"The commands in double braces. A dash next to the braces ({{- and -}}) removes the white space on that side.",
		[]Entry{
			{"value", `{{A}}`, "Writes a value, escaped for its context.", `{{.Shop.Name}}`},
			{"if", `{{if A}} … {{else if B}} … {{else}} … {{end}}`, "The first branch whose condition is not empty.", `{{if .Shop.Name}}a{{else}}b{{end}}`},
			{
				"range", `{{range LIST}} … {{else}} … {{end}}`,
				"The body once for each element, with the element as the dot. {{break}} and {{continue}} work.",
				`{{range products}}{{.Name}}{{else}}none{{end}}`,
			},
			{
				"range with index", `{{range $i, $p := LIST}} … {{end}}`, "The same with variables for index and element.",
				`{{range $i, $p := products}}{{if $i}}, {{end}}{{$p.Name}}{{end}}`,
			},
			{"with", `{{with A}} … {{else}} … {{end}}`, "The body with A as the dot, if A is not empty.", `{{with .Shop}}{{.Name}}{{end}}`},
			{"variables", `{{$x := A}} {{$x = B}}`, "Declares and assigns a variable.", `{{$x := 1}}{{$x = 2}}{{$x}}`},
			{
				"define", `{{define "name"}} … {{end}} {{template "name" A}}`, "Defines and calls a template. It may not call itself, directly or through others.",
				`{{define "x"}}[{{.}}]{{end}}{{template "x" 1}}`,
			},
			{"comment", `{{/* … */}}`, "Writes nothing.", `{{/* nothing */}}`},
		},
	}
}

func escapingChapter() Chapter {
	return Chapter{
		"escaping", "Escaping",
		"Each value is escaped for its context in the output, by the extension of the file. Write only constant markup around the values, without CDATA and the function html.",
		[]Entry{
			{
				"XML", ".xml, .yml that begins with <",
				"& < > \" ' become references; characters that XML does not allow are removed.", `{{.Shop.Name}}`,
			},
			{
				"JSON", ".json",
				`Inside quotes a value is escaped for them. Without quotes it becomes a JSON value: a quoted string, a number, a list.`,
				`{{.Shop.Name}}`,
			},
			{"JSON lines", ".jsonl", "The same; each line is a JSON value of its own. A comment such as {{- /* */ -}} joins two lines of the template.", `{{.Shop.Name}}`},
			{
				"CSV", ".csv",
				`A cell is quoted when necessary. A text that a spreadsheet would run as a formula (= @ tab, + and - unless a number follows) gets a leading '. The separator is the most frequent of comma, semicolon and tab in the first line.`,
				`{{.Shop.Name}}`,
			},
			{
				"HTML", ".html",
				"Escaped for text and attributes. Addresses are limited to http, https, mailto, tel. Scripts and styles get harmless characters only.",
				`{{.Shop.Name}}`,
			},
			{"plain", ".txt, other .yml", "Not escaped.", `{{.Shop.Name}}`},
		},
	}
}

func boundsChapter() Chapter {
	return Chapter{
		"bounds", "Bounds",
		"Beyond them the render ends with an error and its line, and visitors get the last good copy.",
		[]Entry{
			{"body", "65,536 bytes", "The template, in UTF-8.", ""}, {"time", "30 seconds", "10 in the preview.", ""},
			{"output", "50 MB", "4 MB in the preview.", ""},
			{"steps", "20,000,000", "Each list of the template that is entered, even an empty one, and each statement in it.", ""},
			{"selections", "20", "Different combinations of options of products in one render.", ""},
			{"products", "50,000", "In one range.", ""},
			{"values", "1 MB", "The result of print, println, printf, html, js, urlquery; 32 MB in all variables together.", ""},
			{"width", "1000", "Width and precision of printf.", ""},
		},
	}
}
