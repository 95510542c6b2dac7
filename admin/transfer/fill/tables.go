package fill

import "context"

// table says how the rows of a table of the file get into the shop: by the calls of a function, with
// the rows of another table, or not at all.
type table struct {
	name  string
	calls string // which calls write the rows, or of which table they are a part
	left  string // why the rows are left out

	ids   bool // rows refer to its ids
	write func(m *filling, ctx context.Context) error
}

const (
	noCall     = "no call writes it"
	ofVisitors = "written by visitors"
	ofOrders   = "orders are not imported"
	ofDraft    = "drafts are not imported; publish before the export"
	ofPeople   = "people and their passwords are not imported"
	ofCounts   = "statistics begin again"
)

// tables are all tables of a file in the order in which they are written.
var tables = []table{
	{name: "media_file", calls: "POST /v1/storages/files", write: (*filling).media},
	{name: "blob", calls: "media_file and release_file"},
	{name: "collection", calls: "POST /v1/storages/collections", ids: true, write: (*filling).collections},
	{name: "collection_file", calls: "POST /v1/storages/collections/{id}/files"},
	{name: "attribute", calls: "POST /attributes", ids: true, write: (*filling).attributes},
	{name: "attribute_option", calls: "POST /attributes", ids: true},
	{name: "form", calls: "POST /forms", ids: true, write: (*filling).forms},
	{name: "document", calls: "POST /html-documents", ids: true, write: (*filling).documents},
	{name: "gallery", calls: "POST /galleries", ids: true, write: (*filling).galleries},
	{name: "gallery_item", calls: "POST /galleries"},
	{name: "gallery_link", calls: "POST /categories, /products and /articles"},
	{name: "category", calls: "POST /categories", ids: true, write: (*filling).categories},
	{name: "product", calls: "POST /products", ids: true, write: (*filling).products},
	{name: "product_attribute", calls: "POST /products"},
	{name: "product_extra_category", calls: "POST /products"},
	{name: "variant_set", calls: "POST /products", ids: true},
	{name: "article", calls: "POST /articles, PUT /articles/{id}/related", ids: true, write: (*filling).articles},
	{name: "product_group", calls: "POST /product-groups", write: (*filling).productGroups},
	{name: "slug_journal", calls: "PUT /categories/{id}, /products/{id} and /articles/{id}", write: (*filling).slugJournal},
	{name: "content_block", calls: "POST /content-blocks", ids: true, write: (*filling).blocks},
	{name: "release", calls: "POST …/releases and …/publish of the live release", ids: true, write: (*filling).releases},
	{name: "release_file", calls: "POST …/releases, PUT /uploads/{token}"},
	{name: "block_link", calls: "PUT /categories/{id}/content-blocks, PUT /articles/{id}/content-blocks", write: (*filling).blockLinks},
	{name: "design_binding", calls: "PUT /design/bindings/{type}/{id}", write: (*filling).bindings},
	{name: "redirect_rule", calls: "POST /storefront-redirects", write: (*filling).redirects},
	{name: "site_file", calls: "POST /site-files", ids: true, write: (*filling).siteFiles},
	{name: "shop", calls: "PUT /v1/shop/settings, PUT /storefront-redirects/settings", write: (*filling).settings},
	{name: "delivery_option", calls: "POST /v1/shop/delivery-options", write: (*filling).delivery},
	{name: "payment_method", calls: "PUT /v1/shop/payment-methods/{method}", write: (*filling).paymentMethods},
	{name: "letter_template", calls: "PUT /v1/shop/letters/{name}", write: (*filling).letters},
	{name: "customer_group", calls: "POST /customer-groups", ids: true, write: (*filling).customerGroups},
	{name: "customer", calls: "POST /customers", ids: true, write: (*filling).customers},
	{name: "customer_member", calls: "POST /customers"},
	{name: "promotion", calls: "POST /promotions", write: (*filling).promotions},
	{name: "pricing_rule", calls: "POST /pricing-rules", write: (*filling).pricingRules},
	{name: "access_policy", calls: "POST /access-policies", write: (*filling).policies},
	{name: "access_resource", calls: "POST /access-policies"},

	{name: "members", left: ofPeople},
	{name: "buyers", left: ofPeople},
	{name: "person_address", left: ofPeople},
	{name: "wishlist_item", left: ofPeople},
	{name: "company_domain", left: "a domain is connected again"},
	{name: "redirect_version", left: "versions of the redirects begin again"},
	{name: "redirect_miss", left: ofCounts},
	{name: "visit_day", left: ofCounts},
	{name: "sale_day", left: ofCounts},
	{name: "sale_product", left: ofCounts},
	{name: "stock_movement", left: "the stock is imported without its history"},
	{name: "form_lead", left: ofVisitors},
	{name: "form_file", left: ofVisitors},
	{name: "remark", left: ofVisitors},
	{name: "remark_vote", left: ofVisitors},
	{name: "reminder_refusal", left: noCall},
	{name: "personal_code", left: ofPeople},
	{name: "shop_order", left: ofOrders},
	{name: "order_line", left: ofOrders},
	{name: "order_counter", left: ofOrders},
	{name: "order_history", left: ofOrders},
	{name: "order_message", left: ofOrders},
	{name: "order_paper", left: ofOrders},
	{name: "paper_counter", left: ofOrders},
	{name: "redemption", left: ofOrders},
	{name: "payment", left: ofOrders},
	{name: "payment_refund", left: ofOrders},
	{name: "shipment", left: ofOrders},
	{name: "shipment_line", left: ofOrders},
	{name: "draft_version", left: ofDraft},
	{name: "draft.article", left: ofDraft},
	{name: "draft.block_link", left: ofDraft},
	{name: "draft.category", left: ofDraft},
	{name: "draft.content_block", left: ofDraft},
	{name: "draft.design_binding", left: ofDraft},
	{name: "draft.document", left: ofDraft},
	{name: "draft.gallery", left: ofDraft},
	{name: "draft.gallery_item", left: ofDraft},
	{name: "draft.gallery_link", left: ofDraft},
	{name: "draft.product", left: ofDraft},
	{name: "draft.product_attribute", left: ofDraft},
	{name: "draft.product_extra_category", left: ofDraft},
	{name: "draft.variant_set", left: ofDraft},
}

// Ways returns for each table of a file the calls that write its rows, or why they are left out.
func Ways() map[string]string {
	ways := map[string]string{}
	for _, t := range tables {
		ways[t.name] = t.calls + t.left
	}
	return ways
}
