package header

// signature is a set of columns that occurs together in the files of one system only. A name that
// ends with … is a prefix, followed by a language or a place.
type signature struct {
	file    File
	columns []string
}

// signatures are compared in this order: more specific ones come first. A new one needs columns
// that no export of this program has.
var signatures = []signature{
	// Newer and older exports of products; inventory by location.
	{File{Shopify, Products}, []string{"title", "url handle", "status"}},
	{File{Shopify, Products}, []string{"title", "url handle", "price"}},
	{File{Shopify, Products}, []string{"handle", "title", "variant price"}},
	{File{Shopify, Products}, []string{"handle", "title", "option1 name", "option1 value"}},
	{File{Shopify, Products}, []string{"handle", "image src"}},
	{File{Shopify, Customers}, []string{"first name", "last name", "email", "accepts email marketing"}},
	{File{Shopify, Customers}, []string{"first name", "last name", "email", "accepts marketing"}},
	{File{Shopify, Redirects}, []string{"redirect from", "redirect to"}},

	// All names are translated into the shop's language. Any column may be missing from an
	// export.
	{File{WooCommerce, Products}, []string{"type", "sku", "name", "regular price"}},
	{File{WooCommerce, Products}, []string{"sku", "visibility in catalog"}},
	{File{WooCommerce, Products}, []string{"attribute 1 name", "attribute 1 value(s)"}},
	{File{WooCommerce, Products}, []string{"typ", "artikelnummer", "name", "regulärer preis"}},
	{File{WooCommerce, Products}, []string{"artikelnummer", "sichtbarkeit im katalog"}},
	{File{WooCommerce, Products}, []string{"тип", "артикул", "имя", "базовая цена"}},
	{File{WooCommerce, Products}, []string{"артикул", "видимость в каталоге"}},
	{File{WooCommerce, Products}, []string{"type", "ugs", "nom", "tarif régulier"}},
	{File{WooCommerce, Products}, []string{"ugs", "visibilité dans le catalogue"}},
	{File{WooCommerce, Products}, []string{"tipo", "sku", "nombre", "precio normal"}},
	{File{WooCommerce, Products}, []string{"sku", "visibilidad en el catálogo"}},

	{File{Magento, Products}, []string{"sku", "attribute_set_code", "product_type"}},
	{File{Magento, Products}, []string{"sku", "store_view_code", "product_type"}},
	{File{Magento, Products}, []string{"sku", "product_type", "url_key"}},

	{File{PrestaShop, Products}, []string{"product id", "active (0/1)", "name *"}},
	{File{PrestaShop, Products}, []string{"name *", "categories (x,y,z...)"}},
	{File{PrestaShop, Products}, []string{"product id*", "attribute (name:type:position)*", "value (value:position)*"}},
	{File{PrestaShop, Products}, []string{"attribute (name:type:position)*", "impact on price"}},

	{File{OpenCart, Products}, []string{"product_id", "name(…", "model"}},
	{File{OpenCart, Products}, []string{"category_id", "parent_id", "name(…"}},
	{File{OpenCart, Products}, []string{"product_id", "option", "option_value", "price_prefix"}},

	{File{Wix, Products}, []string{"handleid", "fieldtype"}},
	{File{Wix, Products}, []string{"handle", "fieldtype", "name"}},

	{File{Square, Products}, []string{"token", "item name", "variation name"}},
	{File{Square, Products}, []string{"reference handle", "item name", "variation name"}},
	{File{Square, Products}, []string{"item name", "variation name", "current quantity …"}},

	{File{Squarespace, Products}, []string{"product id [non editable]", "variant id [non editable]"}},

	{File{BigCommerce, Products}, []string{"item type", "product name", "product code/sku"}},
	{File{BigCommerce, Products}, []string{"item", "id", "name", "sku", "inventory tracking"}},

	{File{Etsy, Products}, []string{"title", "description", "price", "currency_code", "quantity"}},
	{File{Etsy, Products}, []string{"titolo", "descrizione", "prezzo", "currency_code"}},

	{File{Google, Products}, []string{"id", "title", "link", "image_link"}},
	{File{Google, Products}, []string{"id", "title", "link", "availability", "price"}},
	{File{Google, Products}, []string{"id", "title", "image link", "link"}},

	{File{Redirection, Redirects}, []string{"source", "target", "regex", "code"}},
	{File{Yoast, Redirects}, []string{"origin", "target", "type", "format"}},
}

// marks are the beginnings of files that are not tables: a first character, and words in any
// order.
var marks = []struct {
	file  File
	first byte
	words []string
}{
	{File{YML, Products}, '<', []string{"<yml_catalog"}},
	{File{WordPress, Articles}, '<', []string{"wordpress.org/export/"}},
	{File{Google, Products}, '<', []string{"base.google.com/ns/1.0"}},
	{File{Redirection, Redirects}, '{', []string{`"plugin"`, `"groups"`}},
	{File{Ghost, Articles}, '{', []string{`"db"`, `"meta"`}},
	{File{Ghost, Articles}, '{', []string{`"db"`, `"data"`}},
	{File{Ghost, Redirects}, '[', []string{`"from"`, `"to"`, `"permanent"`}},
}
