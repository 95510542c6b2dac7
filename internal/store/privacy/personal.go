package privacy

// Held describes the personal data in columns of a table. Every column that can hold words,
// bytes, JSON or the id of a person is listed in Holdings once, when it is created, so that
// the author of the column decides how an erasure treats it.
type Held struct {
	Table   string // including its draft table, if it has one
	Columns string // separated by spaces
	What    string // description of the data
	Erased  Erased
}

// Erased is how a person's data in columns is erased.
type Erased string

// Ways of erasure. A shop that erases a customer and a person who deletes their account use
// the same statements (blanks); data that belongs only to the account is deleted with it
// (farewells).
const (
	Impersonal Erased = "" // identifies no buyer

	Blanked  Erased = "blanked"                  // the row stays without the data
	RowGoes  Erased = "row deleted"              // deleted when the person is erased from the shop
	Farewell Erased = "deleted with the account" // deleted with the account, or by farewells
	Number   Erased = "id kept"                  // id of an account: meaningless once the account is deleted
	Sealed   Erased = "sealed"                   // encrypted so that only its sender can read it, or a hash, and kept only briefly
	ShopsOwn Erased = "kept by the shop"         // written or done by staff for the shop, stays with the shop
)

// Holdings lists all columns that can hold personal data.
var Holdings = []Held{
	// The account, across the whole platform.
	{"person", "email name phone next_email password_hash", "the person and their credentials", Farewell},
	{"session", "token_hash person_id", "the person's sessions", Farewell},
	{"password_reset", "hash person_id", "a link in a letter", Farewell},
	{"address_code", "email hash", "a code in a letter to an address", Farewell},
	{"platform_letter", "recipient subject text", "a letter about an account", Farewell},
	{"letter_pace", "recipient kind", "count of letters to an address, by hash, for a day", Sealed},
	{"platform_letter", "kind error", "the kind of the letter, why it was not sent", Impersonal},
	{"invitation", "email hash invited_by", "a person invited to the shop's staff", Farewell},
	{"invitation", "role", "the role of the invitation", Impersonal},
	{"api_key", "name hash person_id", "a key of a member of the staff", Farewell},
	{"api_key", "contour scopes", "what the key permits", Impersonal},
	{"member", "person_id", "a member of the staff", Farewell},
	{"member", "role", "their role", Impersonal},
	{"secret", "name value", "secrets of the installation", Impersonal},

	// Data of buyers that a shop keeps.
	{"customer", "email name phone note person_id", "a customer, with the shop's notes", Blanked},
	{"customer_group", "name", "groups of customers", Impersonal},
	{"shop_order", "contact_name contact_phone contact_email address comment", "the recipient of an order and its address; a city of other orders and the beginning of a postcode stay", Blanked},
	{"shop_order", "person_id status_by", "who ordered, who changed the status", Number},
	{"shop_order", "currency status payment_method delivery promotions tax", "the terms of the order; codes in it come from the program or the shop", Impersonal},
	{"order_line", "data key", "personalisation of a product; the chosen variant stays", Blanked},
	{"order_line", "name sku image url combo_items", "what was bought", Impersonal},
	{"order_message", "text file_ids", "messages between buyer and seller", Blanked},
	{"order_message", "person_id", "the author", Number},
	{"order_history", "kind body", "status changes, payments and why they failed, in the program's words", Impersonal},
	{"order_history", "actor_id", "who acted", Number},
	{"payment", "return_url redirect_url", "pages where the buyer paid", Blanked},
	{"payment", "method provider status currency provider_ref key", "the provider's id of the payment, for refunds and bookkeeping", Impersonal},
	{"payment_notice", "body", "the provider's notification, verbatim", RowGoes},
	{"payment_notice", "method ref", "the payment of the notification", RowGoes},
	{"payment_refund", "state key was", "the status of a refund", Impersonal},
	{"sandbox_payment", "return_url", "the page to which the buyer returns", Blanked},
	{"sandbox_payment", "ref key title currency state", "a payment of the sandbox, by the number of its order", Impersonal},
	{"cart", "promo_code contact_email contact_phone typed person_id", "a cart with its checkout input", RowGoes},
	{"cart_line", "key data person_id", "lines of a cart, with personalisation", RowGoes},
	{"cart_merge", "merge_id person_id", "a merge that was made", RowGoes},
	{"wishlist_item", "person_id", "the products of a wishlist", RowGoes},
	{"person_address", "name phone country region city street postcode comment person_id", "an address book", RowGoes},
	{"personal_code", "code person_id", "a buyer's personal code", RowGoes},
	{"redemption", "code", "a used code; anonymous once its buyer is erased", Impersonal},
	{"redemption", "person_id", "who used it", Number},
	{"remark", "author text pros cons answer file_ids person_id", "a review or question and the shop's answer; the rating stays", Blanked},
	{"remark", "kind status", "a review or a question, and its status", Impersonal},
	{"remark", "moderated_by", "the moderator", ShopsOwn},
	{"remark_vote", "person_id", "who found a review helpful", RowGoes},
	{"form_lead", "answers page_url utm email note consents print token", "a form sent by a visitor, with consents and the shop's notes", RowGoes},
	{"form_lead", "status why", "its status, and why it was marked as spam", Impersonal},
	{"form_file", "name sha256", "a file that was sent with a form", RowGoes},
	{"form_file", "id field mime", "technical data of the file", Impersonal},
	{"letter", "recipient subject text html facts person_id", "a letter of the shop about a person", RowGoes},
	{"letter", "name object state error", "the kind and status of the letter, the mail server's answer", RowGoes},
	{"letter_bounce", "recipient reason", "an address that bounces", RowGoes},
	{"event", "body", "the body of an event; leads and codes of a buyer are personal", Blanked},
	{"event", "name event_id", "the kind of the event", Impersonal},
	{"webhook_delivery", "state reason log", "the status of a delivery and its attempts, in the program's words", Impersonal},
	{"media_file", "original_name alt path colour sha256 original_sha256 prepared person_id", "files; those that buyers uploaded for reviews are deleted with their bytes", RowGoes},
	{"media_file", "created_by", "who uploaded it", Number},
	{"media_file", "id upload_id upload_hash section file_type status mime replaces", "technical data of the file", Impersonal},
	{"blob", "sha256", "bytes that the shop has", RowGoes},
	{"blob_reservation", "sha256", "bytes being stored or deleted", RowGoes},
	{"idempotency_key", "answer", "an answer, sealed under the server's key, for a day", Blanked},
	{"idempotency_key", "credential key fingerprint attempt content_type", "who sent which call, for a day", Sealed},
	{"audit_log", "method path entities request_id contour", "which API endpoint the staff called, with ids", ShopsOwn},
	{"audit_log", "person_id", "who called", Number},

	// The shop's own data.
	{"company", "slug name currency pin_hash limits settings", "the shop, with its settings", ShopsOwn},
	{"company_domain", "domain seen fault", "its address", ShopsOwn},
	{"company_change", "kinds ids", "what changed, by numbers", Impersonal},
	{"category", "type name slug description seo sidebar_config page_template preview_id comments_enabled questions_enabled", "sections", ShopsOwn},
	{"category", "created_by updated_by", "who made them", Number},
	{"product", "kind name slug sku gtin brand description seo tags gallery ad_mode catalog_hidden combo_items preview_id comments_enabled questions_enabled", "products", ShopsOwn},
	{"product", "created_by updated_by", "who made them", Number},
	{"product_attribute", "text", "attributes of products", ShopsOwn},
	{"product_group", "name products", "products that belong together", ShopsOwn},
	{"variant_set", "title sku options swatch image_id", "variants of products", ShopsOwn},
	{"attribute", "kind name unit", "attributes of products", ShopsOwn},
	{"attribute_option", "label value", "options of attributes", ShopsOwn},
	{"article", "title slug announce author badge seo cover_id related", "articles, with the author that the shop names", ShopsOwn},
	{"article", "created_by updated_by", "who made them", Number},
	{"content_block", "name group_type sections", "blocks of pages", ShopsOwn},
	{"design_binding", "resource_type slot", "the slots of blocks", ShopsOwn},
	{"collection", "name mode", "folders of the library", ShopsOwn},
	{"collection", "created_by", "who made them", Number},
	{"collection_file", "file_id", "the files in them", ShopsOwn},
	{"gallery", "name source", "galleries", ShopsOwn},
	{"gallery_item", "item_key kind caption html file_id poster_id", "items of galleries", ShopsOwn},
	{"document", "kind name description", "html documents", ShopsOwn},
	{"document", "created_by", "who made them", Number},
	{"release", "note report seo_title seo_text", "releases of documents", ShopsOwn},
	{"release", "created_by", "who made them", Number},
	{"release_file", "path mime sha256 upload_hash", "their files", ShopsOwn},
	{"packed_file", "sha256 bundle_sha256 coding", "their files, packed", ShopsOwn},
	{"form", "name fields submit_text success", "forms, with their fields and texts", ShopsOwn},
	{"form", "created_by", "who made it", Number},
	{"access_policy", "name kind group_ids title text salt", "policies, with the texts of their pages", ShopsOwn},
	{"access_resource", "type", "the resources of a policy", ShopsOwn},
	{"access_grant", "label hash", "passwords of policies, with the label of the recipient", ShopsOwn},
	{"promotion", "name kind stacking code conditions value issue", "promotions", ShopsOwn},
	{"pricing_rule", "name count product_ids category_ids tiers", "prices by quantity", ShopsOwn},
	{"delivery_option", "name description", "delivery options", ShopsOwn},
	{"payment_method", "method title sealed instructions", "payment methods", ShopsOwn},
	{"letter_template", "name subject text html error", "the shop's templates of letters", ShopsOwn},
	{"letter_domain", "domain selector sealed public", "the key that signs the shop's letters", ShopsOwn},
	{"webhook", "url host events last_error", "receivers of events", ShopsOwn},
	{"webhook_secret", "sealed", "the key that signs deliveries", ShopsOwn},
	{"visit_day", "lists", "sums of a day: paths of pages, hosts, campaigns, searches without results; addresses and ids of people are left out", Impersonal},
	{"visit_salt", "salt", "salt for the hashes of a day's visitors; deleted after the day", Impersonal},
	{"visit_batch", "run", "the counting process", Impersonal},
	{"sale_day", "currency", "sales of a day", Impersonal},
	{"sale_product", "currency", "sales of a day by product", Impersonal},
	{"stock_movement", "reason comment", "stock movements and reasons, in the shop's words", ShopsOwn},
	{"stock_movement", "actor_id", "who moved the stock", Number},
	{"redirect_rule", "kind from_path to_target query_match note dup_key", "redirect rules", ShopsOwn},
	{"redirect_miss", "path", "addresses that answered 404, without the requesters", Impersonal},
	{"redirect_version", "kind edits", "changes of rules", ShopsOwn},
	{"redirect_version", "person_id", "who changed them", Number},
	{"slug_journal", "slug", "former addresses of pages", ShopsOwn},
	{"site_file", "name body", "site files", ShopsOwn},
	{"site_file", "created_by updated_by", "who made them", Number},
	{"site_file_build", "state errors warnings", "results of builds of site files", ShopsOwn},
	{"site_file_copy", "body", "rendered site files", ShopsOwn},
	{"rate_count", "node", "counts of API calls", Impersonal},
}
