package markup

// Data is the input of a program when a page is drawn. Only the parts named by Program.Needs have
// to be filled in. Addresses are shop paths.
type Data struct {
	Products []Product  `json:"products"` // oldest first; no more than MaxRows are shown
	Product  *Product   `json:"product"`  // on a product page
	Menu     []MenuItem `json:"menu"`
	Category *Category  `json:"category"`
	Crumbs   []Link     `json:"crumbs"`

	// PageURL returns the current path of a page by its id, or "" if there is no such page; nil:
	// no page exists.
	PageURL func(id int64) string `json:"-"`
}

// Product is one product as seen by bindings. Description, Gallery, Attributes and Variants are
// available only through the root "product".
type Product struct {
	ID          int64       `json:"id"`
	Name        string      `json:"name"`
	URL         string      `json:"url"`
	Image       string      `json:"image"`
	PriceText   string      `json:"price_text"` // empty at price 0
	Description string      `json:"description"`
	Gallery     []Picture   `json:"gallery"`
	Attributes  []Attribute `json:"attributes"`
	Variants    []Variant   `json:"variants"` // those that can be bought
}

// Variant is a variant of a product that can be bought.
type Variant struct {
	ID        int64  `json:"id"`
	Name      string `json:"name"`
	SKU       string `json:"sku"`
	PriceText string `json:"price_text"`
	Image     string `json:"image"`
}

// Picture is one image of a product's gallery.
type Picture struct {
	URL string `json:"url"`
}

// Attribute is one property of a product, such as its colour.
type Attribute struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// MenuItem is one published category that is shown in menus.
type MenuItem struct {
	Name     string     `json:"name"`
	URL      string     `json:"url"`
	Children []MenuItem `json:"children"`
}

// Category is the section that the page belongs to.
type Category struct {
	ID   int64  `json:"id"`
	Name string `json:"name"`
	URL  string `json:"url"`
}

// Link is one step of the breadcrumbs.
type Link struct {
	Name string `json:"name"`
	URL  string `json:"url"`
}
