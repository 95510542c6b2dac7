package feed

// Entry is one line of the reference of the template language.
type Entry struct {
	Name      string // "products"
	Signature string // `products "category=a,b" "limit=100"`
	Meaning   string // one sentence
}

// Chapter is one part of the reference.
type Chapter struct {
	Slug    string
	Title   string
	Entries []Entry
}

// Reference is the template language as tables: the functions of the platform,
// the options of range products, the fields, the general functions and the
// bounds. The guides are made from it.
func Reference() []Chapter { return nil }
