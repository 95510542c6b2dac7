package store

// Held is what columns of a table hold, as far as people go. Every column that can hold
// words, bytes, JSON or the number of a person stands in Holdings once, the day it is
// made: what an erasure has to take out is decided there and not forgotten.
type Held struct {
	Table   string // with its draft, if it has one
	Columns string // between spaces
	What    string // that they hold
	Erased  Erased
}

// Erased is how a person goes out of columns.
type Erased string

// How columns are erased. A shop that erases a customer and a person who removes the
// account go the same way (blanks); what belongs to the account alone goes with it
// (farewells).
const (
	Impersonal Erased = "" // no buyer can be told from it

	Blanked  Erased = "blanked"       // the row stays, without it
	RowGoes  Erased = "row goes"      // when the person is erased from the shop
	Farewell Erased = "account goes"  // with the account, or by farewells
	Number   Erased = "number stays"  // of an account: it leads to nobody once that is gone
	Sealed   Erased = "nobody's"      // kept so that only who sent it can read it, or as a hash, and not for long
	ShopsOwn Erased = "shop's people" // what they wrote or did for the shop, which stays with the shop
)

// Holdings are all columns that can hold something of a person.
var Holdings = []Held{
	// Who somebody is, on the whole platform.
	{"person", "email name phone next_email password_hash", "who somebody is and how they sign in", Farewell},
	{"session", "token_hash person_id", "where somebody is signed in", Farewell},
	{"password_reset", "hash person_id", "a link in a letter", Farewell},
	{"address_code", "email hash", "a code in a letter to an address", Farewell},
	{"platform_letter", "recipient subject text", "a letter about an account", Farewell},
	{"letter_pace", "recipient kind", "that an address was written to, as a hash, for a day", Sealed},
	{"platform_letter", "kind error", "what kind of letter it is, why it did not go", Impersonal},
	{"invitation", "email hash invited_by", "whom somebody invites to the shop's people", Farewell},
	{"invitation", "role", "what they would be", Impersonal},
	{"api_key", "name hash person_id", "a key of one of the shop's people", Farewell},
	{"api_key", "contour scopes", "what it opens", Impersonal},
	{"member", "person_id", "one of the shop's people", Farewell},
	{"member", "role", "what they are", Impersonal},
	{"secret", "name value", "secrets of the installation", Impersonal},

	// What a shop keeps of buyers.
	{"customer", "email name phone note person_id", "a customer, with what the shop noted", Blanked},
	{"customer_group", "name", "groups of customers", Impersonal},
	{"shop_order", "contact_name contact_phone contact_email address comment", "whom an order is for and where it went; a city of other orders and the beginning of a postcode stay", Blanked},
	{"shop_order", "person_id status_by", "who ordered, who moved it", Number},
	{"shop_order", "currency status payment_method delivery promotions tax", "what was agreed; codes in it are made by the program or the shop", Impersonal},
	{"order_line", "data key", "what was to be written on a thing; the chosen variant stays", Blanked},
	{"order_line", "name sku image url combo_items", "what was bought", Impersonal},
	{"order_message", "text file_ids", "what buyer and seller wrote to each other", Blanked},
	{"order_message", "person_id", "who wrote", Number},
	{"order_history", "kind body", "moves, payments and why they failed, in words of the program", Impersonal},
	{"order_history", "actor_id", "who moved it", Number},
	{"payment", "return_url redirect_url", "pages where the buyer paid", Blanked},
	{"payment", "method provider status currency provider_ref key", "what the provider calls the payment, for refunds and the books", Impersonal},
	{"payment_notice", "body", "what the provider told, as it told it", RowGoes},
	{"payment_notice", "method ref", "which payment that is about", RowGoes},
	{"payment_refund", "state key was", "where a refund stands", Impersonal},
	{"sandbox_payment", "return_url", "where the buyer goes back to", Blanked},
	{"sandbox_payment", "ref key title currency state", "a payment of the sandbox, by the number of its order", Impersonal},
	{"cart", "promo_code contact_email contact_phone typed person_id", "a cart, and what was typed at its checkout", RowGoes},
	{"cart_line", "key data person_id", "what is in it, and what is to be written on it", RowGoes},
	{"cart_merge", "merge_id person_id", "a merge that was made", RowGoes},
	{"wishlist_item", "person_id", "what somebody wants", RowGoes},
	{"person_address", "name phone country region city street postcode comment person_id", "where somebody lives", RowGoes},
	{"personal_code", "code person_id", "a code that one buyer has", RowGoes},
	{"redemption", "code", "a code that was used; it is nobody's when its buyer is gone", Impersonal},
	{"redemption", "person_id", "who used it", Number},
	{"remark", "author text pros cons answer file_ids person_id", "what somebody said of a product and what the shop answered; the stars stay", Blanked},
	{"remark", "kind status", "a review or a question, and where it stands", Impersonal},
	{"remark", "moderated_by", "who of the shop looked at it", ShopsOwn},
	{"remark_vote", "person_id", "whom a review helped", RowGoes},
	{"form_lead", "answers page_url utm email note consents print token", "what a visitor sent with a form, what was agreed to, and what the shop noted", RowGoes},
	{"form_lead", "status why", "where it stands, and why it was taken for spam", Impersonal},
	{"form_file", "name sha256", "a file that was sent with a form", RowGoes},
	{"form_file", "id field mime", "what it is to the program", Impersonal},
	{"letter", "recipient subject text html facts person_id", "a letter of the shop about somebody", RowGoes},
	{"letter", "name object state error", "which letter it is, where it stands, what the mail server said", RowGoes},
	{"letter_bounce", "recipient reason", "an address that no letter reaches", RowGoes},
	{"event", "body", "what happened; leads and codes of one buyer are personal", Blanked},
	{"event", "name event_id", "which event that is", Impersonal},
	{"webhook_delivery", "state reason log", "where a delivery stands and how attempts ended, in words of the program", Impersonal},
	{"media_file", "original_name alt path colour sha256 original_sha256 prepared person_id", "files: those that buyers uploaded for reviews go with their bytes", RowGoes},
	{"media_file", "created_by", "who uploaded it", Number},
	{"media_file", "id upload_id upload_hash section file_type status mime replaces", "what it is to the program", Impersonal},
	{"blob", "sha256", "bytes that the shop has", RowGoes},
	{"blob_reservation", "sha256", "bytes on their way in or out", RowGoes},
	{"idempotency_key", "answer", "an answer, sealed under the server's key, for a day", Blanked},
	{"idempotency_key", "credential key fingerprint attempt content_type", "who sent which call, for a day", Sealed},
	{"audit_log", "method path entities request_id contour", "which row of the API the shop's people called, with ids", ShopsOwn},
	{"audit_log", "person_id", "who called", Number},

	// What belongs to the shop.
	{"company", "slug name currency pin_hash limits settings", "the shop, with what it says of itself", ShopsOwn},
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
	{"attribute_option", "label value", "the same", ShopsOwn},
	{"article", "title slug announce author badge seo cover_id related", "articles, with the author that the shop names", ShopsOwn},
	{"article", "created_by updated_by", "who made them", Number},
	{"content_block", "name group_type sections", "blocks of pages", ShopsOwn},
	{"design_binding", "resource_type slot", "where they stand", ShopsOwn},
	{"collection", "name mode", "folders of the library", ShopsOwn},
	{"collection", "created_by", "who made them", Number},
	{"collection_file", "file_id", "what is in them", ShopsOwn},
	{"gallery", "name source", "galleries", ShopsOwn},
	{"gallery_item", "item_key kind caption html file_id poster_id", "what is in them", ShopsOwn},
	{"document", "kind name description", "html documents", ShopsOwn},
	{"document", "created_by", "who made them", Number},
	{"release", "note report seo_title seo_text", "releases of documents", ShopsOwn},
	{"release", "created_by", "who made them", Number},
	{"release_file", "path mime sha256 upload_hash", "their files", ShopsOwn},
	{"packed_file", "sha256 bundle_sha256 coding", "their files, packed", ShopsOwn},
	{"form", "name fields submit_text success", "what visitors are asked and told", ShopsOwn},
	{"form", "created_by", "who made it", Number},
	{"access_policy", "name kind group_ids title text salt", "what is closed, and the page that says so", ShopsOwn},
	{"access_resource", "type", "what it closes", ShopsOwn},
	{"access_grant", "label hash", "passwords of what is closed, with whom the shop gave them to", ShopsOwn},
	{"promotion", "name kind stacking code conditions value issue", "promotions", ShopsOwn},
	{"pricing_rule", "name count product_ids category_ids tiers", "prices by quantity", ShopsOwn},
	{"delivery_option", "name description", "ways of delivery", ShopsOwn},
	{"payment_method", "method title sealed instructions", "how the shop takes money", ShopsOwn},
	{"letter_template", "name subject text html error", "the shop's words for letters", ShopsOwn},
	{"letter_domain", "domain selector sealed public", "what its letters are signed with", ShopsOwn},
	{"webhook", "url host events last_error", "who hears of events", ShopsOwn},
	{"webhook_secret", "sealed", "what deliveries are signed with", ShopsOwn},
	{"visit_day", "lists", "sums of a day: paths of pages, hosts, campaigns, words that found nothing; addresses and numbers of people are left out", Impersonal},
	{"visit_salt", "salt", "what visitors of a day are hashed with; it goes with the day", Impersonal},
	{"visit_batch", "run", "which process counted", Impersonal},
	{"sale_day", "currency", "what was sold on a day", Impersonal},
	{"sale_product", "currency", "the same by product", Impersonal},
	{"stock_movement", "reason comment", "what left the shelf and why, in words of the shop", ShopsOwn},
	{"stock_movement", "actor_id", "who moved it", Number},
	{"redirect_rule", "kind from_path to_target query_match note dup_key", "where old addresses lead", ShopsOwn},
	{"redirect_miss", "path", "addresses that nobody found, without who asked", Impersonal},
	{"redirect_version", "kind edits", "how rules changed", ShopsOwn},
	{"redirect_version", "person_id", "who changed them", Number},
	{"slug_journal", "slug", "addresses that pages had", ShopsOwn},
	{"site_file", "name body", "files for programs", ShopsOwn},
	{"site_file", "created_by updated_by", "who made them", Number},
	{"site_file_build", "state errors warnings", "how they were built", ShopsOwn},
	{"site_file_copy", "body", "what they say", ShopsOwn},
	{"rate_count", "node", "how much was called", Impersonal},
}
