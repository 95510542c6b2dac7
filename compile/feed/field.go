package feed

// field is how one name is read from each of the things that have fields. A nil
// function means that such a thing has no field of this name.
type field struct {
	item     func(*Item) value
	category func(*Category) value
	shop     func(*Shop) value
	root     bool
}

// fields are the names that templates may write after a dot.
var fields = map[string]field{
	"Shop": {root: true},
	"ID": {
		item:     func(p *Item) value { return number(p.ID) },
		category: func(c *Category) value { return number(c.ID) },
	},
	"ParentID": {category: func(c *Category) value { return number(c.ParentID) }},
	"Name": {
		item:     func(p *Item) value { return text(p.Name) },
		category: func(c *Category) value { return text(c.Name) },
		shop:     func(s *Shop) value { return text(s.Name) },
	},
	"URL": {
		item:     func(p *Item) value { return text(p.URL) },
		category: func(c *Category) value { return text(c.URL) },
		shop:     func(s *Shop) value { return text(s.URL) },
	},
	"Currency": {
		item: func(p *Item) value { return text(p.Currency) },
		shop: func(s *Shop) value { return text(s.Currency) },
	},
	"Slug":         {category: func(c *Category) value { return text(c.Slug) }},
	"Description":  {item: func(p *Item) value { return text(p.Description) }},
	"SKU":          {item: func(p *Item) value { return text(p.SKU) }},
	"Price":        {item: func(p *Item) value { return number(p.Price) }},
	"OldPrice":     {item: func(p *Item) value { return number(p.OldPrice) }},
	"CategoryID":   {item: func(p *Item) value { return number(p.CategoryID) }},
	"CategoryName": {item: func(p *Item) value { return text(p.CategoryName) }},
	"CategoryPath": {item: func(p *Item) value { return text(p.CategoryPath) }},
	"Rating":       {item: func(p *Item) value { return float(p.Rating) }},
	"RatingCount":  {item: func(p *Item) value { return number(p.RatingCount) }},
	"Kind":         {item: func(p *Item) value { return text(p.Kind) }},
}

// get reads the field; ok is false when the thing has no such field. No value
// has no fields and no error either, as in Go's templates.
func (f *field) get(v *value) (out value, ok bool) {
	switch v.kind {
	case kindItem:
		if f.item != nil {
			return f.item(v.ref.(*Item)), true
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
