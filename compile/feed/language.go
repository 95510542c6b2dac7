package feed

// Entry is one line of the reference of the template language.
type Entry struct {
	Name      string // "products"
	Signature string // `products "category=a,b" "limit=100"`
	Meaning   string // one sentence or two
	Example   string // a body that renders
}

// Chapter is one part of the reference.
type Chapter struct {
	Slug    string
	Title   string
	Intro   string
	Entries []Entry
}

// Reference is the template language as tables: the functions of the platform,
// the options of range products, the fields, the general functions, the actions,
// how values are escaped, and the bounds. The guides are made from it, and a
// test renders every example.
func Reference() []Chapter {
	return []Chapter{
		platformChapter(), optionsChapter(), fieldsChapter(), generalChapter(), actionsChapter(), escapingChapter(),
		boundsChapter(),
	}
}

func platformChapter() Chapter {
	return Chapter{"functions", "Functions of the platform", "What leads to the catalogue, to addresses and to the time.", []Entry{
		{"products", `products "option=value" …`, "The products that feeds may list, oldest first. Unpublished, hidden and excluded products never appear, those of price 0 only when asked.", `{{range products "limit=10"}}{{.Name}}{{end}}`},
		{"categories", `categories`, "The published product categories in tree order, without the home category.", `{{range categories}}{{.Name}}{{end}}`},
		{"pictures", `pictures PRODUCT [MOST] ["GALLERY"]`, "Absolute addresses of a product's pictures, at most MOST of them, or of its linked gallery of that name. An unknown gallery gives none.", `{{range products}}{{range pictures . 5 "Square"}}{{.}}{{end}}{{end}}`},
		{"offers", `offers PRODUCT`, "What of a product is sold, each with the fields of a product: its variants in their order, with their own OfferID, name, SKU, price and address, or the product itself when it has none.", `{{range products}}{{range offers .}}{{.OfferID}} {{.Price}}{{end}}{{end}}`},
		{"file_url", `file_url ID`, "The absolute address of a site file, wherever it was moved to. Empty, with a warning, when there is none.", `{{file_url 1}}`},
		{"file_path", `file_path ID`, "The path of a site file without the host.", `{{file_path 1}}`},
		{"category_url", `category_url ID`, "The absolute address of a category.", `{{with category_url 1}}{{.}}{{end}}`},
		{"product_url", `product_url ID`, "The absolute address of a product.", `{{product_url 1}}`},
		{"now", `now ["LAYOUT"]`, `The time of the catalogue that is rendered, on the shop's clock, in Go's layout (the reference time is Mon Jan 2 15:04:05 2006); without one as 2006-01-02T15:04:05Z07:00. It moves only when something changed, so that an unchanged feed keeps its bytes.`, `{{now "2006-01-02 15:04"}}`},
	}}
}

func optionsChapter() Chapter {
	return Chapter{
		"options", "Options of range products",
		"Options are texts of the form name=value, each at most once. An unknown option, a malformed value or an unknown category ends the render with an error in its line.",
		[]Entry{
			{
				"category", `"category=a,b"`,
				"Only products of these categories and those below them, by their main or an extra category. Slugs or ids.",
				`{{range products "category=shoes,11"}}{{.Name}}{{end}}`,
			},
			{
				"exclude_category", `"exclude_category=a,b"`, "No products of these categories and those below them.",
				`{{range products "exclude_category=shoes"}}{{.Name}}{{end}}`,
			},
			{"limit", `"limit=N"`, "The first N products, 1 to 50,000.", `{{range products "limit=100"}}{{.Name}}{{end}}`},
			{
				"include_zero_price", `"include_zero_price=true"`, "Products of price 0 too.",
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
		"At the top stands .Shop; inside of ranges and templates it is $.Shop. An unknown field is an error when the file is rendered.",
		entries,
	}
}

func generalChapter() Chapter {
	return Chapter{
		"general", "General functions",
		"Those of Go's templates. The output is escaped by itself, so html, js and urlquery are seldom right.",
		[]Entry{
			{"and", `and A B …`, "The first of its arguments that is empty, else the last.", `{{and 1 "x"}}`},
			{"or", `or A B …`, "The first of its arguments that is not empty, else the last.", `{{or "" "x"}}`},
			{"not", `not A`, "Whether A is empty: false, 0, an empty text or list.", `{{not ""}}`},
			{"eq", `eq A B …`, "Whether A is B or one of the others.", `{{eq 1 2 1}}`},
			{"ne", `ne A B`, "Whether they differ.", `{{ne 1 2}}`},
			{
				"lt", `lt A B`,
				"Whether A is below B. Whole numbers compare with whole numbers, fractions with fractions, texts with texts.",
				`{{lt 1 2}}`,
			},
			{"le", `le A B`, "Whether A is not above B.", `{{le 1 2}}`}, {"gt", `gt A B`, "Whether A is above B.", `{{gt 1 2}}`},
			{"ge", `ge A B`, "Whether A is not below B.", `{{ge 1.5 1.0}}`},
			{"len", `len A`, "The length of a list, or of a text in bytes.", `{{len (products)}}`},
			{"index", `index LIST N …`, "The element N, counted from 0.", `{{index "abc" 0}}`},
			{"slice", `slice LIST FROM TO`, "A part of a text (in bytes) or list.", `{{slice "abc" 0 2}}`},
			{"print", `print A …`, "Its arguments as one text.", `{{print "a" 1}}`},
			{"println", `println A …`, "The same, with blanks between and a line end after them.", `{{println "a" 1}}`},
			{
				"printf", `printf "FORMAT" A …`,
				`Its arguments in Go's format: %d for numbers, %s for texts, %.2f for fractions, %.150s for the first 150 characters. What does not fit the format is an error.`,
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
		"What stands in double braces. A dash inside of a brace ({{- and -}}) drops the blanks beside it.",
		[]Entry{
			{"value", `{{A}}`, "Writes a value, escaped for where it stands.", `{{.Shop.Name}}`},
			{"if", `{{if A}} … {{else if B}} … {{else}} … {{end}}`, "One or the other.", `{{if .Shop.Name}}a{{else}}b{{end}}`},
			{
				"range", `{{range LIST}} … {{else}} … {{end}}`,
				"Once for each element, which is the dot; {{break}} and {{continue}} work.",
				`{{range products}}{{.Name}}{{else}}none{{end}}`,
			},
			{
				"range with index", `{{range $i, $p := LIST}} … {{end}}`, "The same with names for place and element.",
				`{{range $i, $p := products}}{{if $i}}, {{end}}{{$p.Name}}{{end}}`,
			},
			{"with", `{{with A}} … {{else}} … {{end}}`, "If A is not empty, with A as the dot.", `{{with .Shop}}{{.Name}}{{end}}`},
			{"variables", `{{$x := A}} {{$x = B}}`, "Named values.", `{{$x := 1}}{{$x = 2}}{{$x}}`},
			{
				"define", `{{define "name"}} … {{end}} {{template "name" A}}`, "A template of its own; it may not reach itself.",
				`{{define "x"}}[{{.}}]{{end}}{{template "x" 1}}`,
			},
			{"comment", `{{/* … */}}`, "Nothing.", `{{/* nothing */}}`},
		},
	}
}

func escapingChapter() Chapter {
	return Chapter{
		"escaping", "Escaping",
		"By the extension of the file, value by value, where the output stands. Write only constant markup around the values; no CDATA, no html.",
		[]Entry{
			{
				"XML", ".xml, .yml that begins with <",
				"References for & < > \" '; characters that XML does not allow are left out.", `{{.Shop.Name}}`,
			},
			{
				"JSON", ".json",
				`Inside quotes a value is escaped for them. Without quotes it becomes a whole value: a text with its quotes, a number, a list.`,
				`{{.Shop.Name}}`,
			},
			{
				"CSV", ".csv",
				`A cell is quoted when it has to be. A text that a spreadsheet would run as a formula (= @ tab, + and - before what is no number) gets a ' in front. The separator is what the first line has most of: comma, semicolon or tab.`,
				`{{.Shop.Name}}`,
			},
			{
				"HTML", ".html",
				"Escaped for text and attributes; addresses keep to http, https, mailto, tel; scripts and styles get harmless characters only.",
				`{{.Shop.Name}}`,
			},
			{"plain", ".txt, other .yml", "As it is.", `{{.Shop.Name}}`},
		},
	}
}

func boundsChapter() Chapter {
	return Chapter{
		"bounds", "Bounds",
		"Beyond them the render ends with an error in its line, and visitors go on getting the last good copy.",
		[]Entry{
			{"body", "65,536 bytes", "Of UTF-8.", ""}, {"time", "30 seconds", "10 in the preview.", ""},
			{"output", "50 MB", "4 MB in the preview.", ""},
			{"steps", "20,000,000", "Each list of the template that is entered, also an empty one, and each statement in it.", ""},
			{"selections", "20", "Different lists of options of products in one render.", ""},
			{"products", "50,000", "In one range.", ""},
			{"values", "1 MB", "What print, println, printf, html, js, urlquery make; 32 MB in all variables together.", ""},
			{"width", "1000", "Width and precision of printf.", ""},
		},
	}
}
