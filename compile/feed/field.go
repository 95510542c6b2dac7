package feed

// field is how one name is read from each of the things that have fields. A nil
// function means that such a thing has no field of this name.
type field struct {
	text     func(*Item) string // of a product
	whole    func(*Item) int64  // of a product
	item     func(*Item) value  // of a product, what is neither
	category func(*Category) value
	shop     func(*Shop) value
	root     bool
}

// fields are the names that templates may write after a dot.
var fields = map[string]field{
	"Shop": {root: true},
	"ID": {
		whole:    func(p *Item) int64 { return p.ID },
		category: func(c *Category) value { return number(c.ID) },
	},
	"ParentID": {category: func(c *Category) value { return number(c.ParentID) }},
	"Name": {
		text:     func(p *Item) string { return p.Name },
		category: func(c *Category) value { return text(c.Name) },
		shop:     func(s *Shop) value { return text(s.Name) },
	},
	"URL": {
		text:     func(p *Item) string { return p.URL },
		category: func(c *Category) value { return text(c.URL) },
		shop:     func(s *Shop) value { return text(s.URL) },
	},
	"Currency": {
		text: func(p *Item) string { return p.Currency },
		shop: func(s *Shop) value { return text(s.Currency) },
	},
	"Slug":         {category: func(c *Category) value { return text(c.Slug) }},
	"Description":  {text: func(p *Item) string { return p.Description }},
	"SKU":          {text: func(p *Item) string { return p.SKU }},
	"GTIN":         {text: func(p *Item) string { return p.GTIN }},
	"Brand":        {text: func(p *Item) string { return p.Brand }},
	"Price":        {whole: func(p *Item) int64 { return p.Price }},
	"OldPrice":     {whole: func(p *Item) int64 { return p.OldPrice }},
	"CategoryID":   {whole: func(p *Item) int64 { return p.CategoryID }},
	"CategoryName": {text: func(p *Item) string { return p.CategoryName }},
	"CategoryPath": {text: func(p *Item) string { return p.CategoryPath }},
	"Rating":       {item: func(p *Item) value { return float(p.Rating) }},
	"RatingCount":  {whole: func(p *Item) int64 { return p.RatingCount }},
	"Kind":         {text: func(p *Item) string { return p.Kind }},
	"InStock":      {item: func(p *Item) value { return boolean(p.InStock) }},
}

// get reads the field; ok is false when the thing has no such field. No value
// has no fields and no error either, as in Go's templates.
func (f *field) get(v *value) (out value, ok bool) {
	switch v.kind {
	case kindItem:
		switch p := v.ref.(*Item); {
		case f.text != nil:
			return text(f.text(p)), true
		case f.whole != nil:
			return number(f.whole(p)), true
		case f.item != nil:
			return f.item(p), true
		}
	case kindCategory:
		if f.category != nil {
			return f.category(v.ref.(*Category)), true
		}
	case kindShop:
		if f.shop != nil {
			return f.shop(v.ref.(*Shop)), true
		}
	case kindRoot:
		if f.root {
			return value{kind: kindShop, ref: v.ref}, true
		}
	case kindNone:
		return value{}, true
	}
	return value{}, false
}
