package markup

// typ is the type of a value at a path. Types are known when a document is compiled, so a path is
// checked only once.
type typ uint8

const (
	noType typ = iota // an unknown field of a known root: empty, false, no rows
	textType
	numberType
	productRow // a product in a loop
	product    // the product of the page: more fields
	menuItem
	category
	link
	picture
	attribute
	variant
	productList
	menuList
	linkList
	pictureList
	attributeList
	variantList
)

// element returns the type of a list's rows, noType for other types.
func (t typ) element() typ {
	switch t {
	case productList:
		return productRow
	case menuList:
		return menuItem
	case linkList:
		return link
	case pictureList:
		return picture
	case attributeList:
		return attribute
	case variantList:
		return variant
	}
	return noType
}

// value is a pointer to a field of Data: *string, *int64, *Product or a pointer to a slice. A nil
// value is a missing one.
type value any

// field is a named field of a type and its accessor. Access does not allocate, because only
// pointers are passed on.
type field struct {
	of   typ
	name string
	typ  typ
	get  func(value) value
}

// fields lists every field available to bindings (CONTRACT, "Fields"). A slot is an index into
// it; other names, such as __proto__ or length, print nothing.
var fields = [...]field{
	{productRow, "id", numberType, func(v value) value { return &v.(*Product).ID }},
	{productRow, "name", textType, func(v value) value { return &v.(*Product).Name }},
	{productRow, "url", textType, func(v value) value { return &v.(*Product).URL }},
	{productRow, "image", textType, func(v value) value { return &v.(*Product).Image }},
	{productRow, "price_text", textType, func(v value) value { return &v.(*Product).PriceText }},

	{product, "id", numberType, func(v value) value { return &v.(*Product).ID }},
	{product, "name", textType, func(v value) value { return &v.(*Product).Name }},
	{product, "url", textType, func(v value) value { return &v.(*Product).URL }},
	{product, "image", textType, func(v value) value { return &v.(*Product).Image }},
	{product, "price_text", textType, func(v value) value { return &v.(*Product).PriceText }},
	{product, "description", textType, func(v value) value { return &v.(*Product).Description }},
	{product, "gallery", pictureList, func(v value) value { return &v.(*Product).Gallery }},
	{product, "attributes", attributeList, func(v value) value { return &v.(*Product).Attributes }},

	{product, "variants", variantList, func(v value) value { return &v.(*Product).Variants }},

	{variant, "id", numberType, func(v value) value { return &v.(*Variant).ID }},
	{variant, "name", textType, func(v value) value { return &v.(*Variant).Name }},
	{variant, "sku", textType, func(v value) value { return &v.(*Variant).SKU }},
	{variant, "price_text", textType, func(v value) value { return &v.(*Variant).PriceText }},
	{variant, "image", textType, func(v value) value { return &v.(*Variant).Image }},

	{picture, "url", textType, func(v value) value { return &v.(*Picture).URL }},
	{attribute, "name", textType, func(v value) value { return &v.(*Attribute).Name }},
	{attribute, "value", textType, func(v value) value { return &v.(*Attribute).Value }},

	{menuItem, "name", textType, func(v value) value { return &v.(*MenuItem).Name }},
	{menuItem, "url", textType, func(v value) value { return &v.(*MenuItem).URL }},
	{menuItem, "children", menuList, func(v value) value { return &v.(*MenuItem).Children }},

	{category, "id", numberType, func(v value) value { return &v.(*Category).ID }},
	{category, "name", textType, func(v value) value { return &v.(*Category).Name }},
	{category, "url", textType, func(v value) value { return &v.(*Category).URL }},

	{link, "name", textType, func(v value) value { return &v.(*Link).Name }},
	{link, "url", textType, func(v value) value { return &v.(*Link).URL }},
}

// slot returns the index of a name in fields, -1 when the type has no such field.
func slot(of typ, name string) int {
	for i := range fields {
		if fields[i].of == of && fields[i].name == name {
			return i
		}
	}
	return -1
}

// root is the beginning of a path: one of Data's parts or a row of a loop.
type root uint8

const (
	rootProducts root = iota
	rootProduct
	rootMenu
	rootCategory
	rootCrumbs
	rootLoop // rootLoop+n is the row of the n-th enclosing loop, outermost first
)

var roots = [...]struct {
	name string
	typ  typ
}{
	rootProducts: {"products", productList},
	rootProduct:  {"product", product},
	rootMenu:     {"menu", menuList},
	rootCategory: {"category", category},
	rootCrumbs:   {"crumbs", linkList},
}

// part returns the value of a root that is not a loop row.
func (d *Data) part(r root) value {
	switch r {
	case rootProducts:
		return &d.Products
	case rootProduct:
		if d.Product != nil {
			return d.Product
		}
	case rootMenu:
		return &d.Menu
	case rootCategory:
		if d.Category != nil {
			return d.Category
		}
	case rootCrumbs:
		return &d.Crumbs
	}
	return nil
}

// rows returns the length of a list, 0 for anything else.
func rows(v value) int {
	switch list := v.(type) {
	case *[]Product:
		return min(len(*list), MaxRows)
	case *[]MenuItem:
		return len(*list)
	case *[]Link:
		return len(*list)
	case *[]Picture:
		return len(*list)
	case *[]Attribute:
		return len(*list)
	case *[]Variant:
		return len(*list)
	}
	return 0
}

// row returns the i-th element of a list, nil beyond its end.
func row(v value, i int) value {
	if i >= rows(v) {
		return nil
	}
	switch list := v.(type) {
	case *[]Product:
		return &(*list)[i]
	case *[]MenuItem:
		return &(*list)[i]
	case *[]Link:
		return &(*list)[i]
	case *[]Picture:
		return &(*list)[i]
	case *[]Attribute:
		return &(*list)[i]
	case *[]Variant:
		return &(*list)[i]
	}
	return nil
}

// truth evaluates svc-if: a missing value, an empty text, 0 and an empty list are false.
func truth(v value) bool {
	switch x := v.(type) {
	case nil:
		return false
	case *string:
		return *x != ""
	case *int64:
		return *x != 0
	case *[]Product, *[]MenuItem, *[]Link, *[]Picture, *[]Attribute, *[]Variant:
		return rows(v) > 0
	}
	return true
}
