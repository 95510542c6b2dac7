package privacy

// PersonalData describes the personal data in columns of a table. Every column that can hold words,
// bytes, JSON or the id of a person is listed in Holdings once, when it is created, so that
// the author of the column decides how an erasure treats it.
type PersonalData struct {
	Table   string // including its draft table, if it has one
	Columns string // separated by spaces
	What    string // description of the data
	Erased  Erasure
}

// Erasure is how a person's data in columns is erased.
type Erasure string

// Ways of erasure. A shop that erases a customer and a person who deletes their account use
// the same statements (blanks); data that belongs only to the account is deleted with it
// (farewells).
const (
	NotPersonal Erasure = "" // identifies no buyer

	EraseColumns     Erasure = "blanked"                  // the row stays without the data
	EraseRow         Erasure = "row deleted"              // deleted when the person is erased from the shop
	EraseWithAccount Erasure = "deleted with the account" // deleted with the account, or by farewells
	KeepID           Erasure = "id kept"                  // id of an account: meaningless once the account is deleted
	SealedData       Erasure = "sealed"                   // encrypted so that only its sender can read it, or a hash, and kept only briefly
	KeepForShop      Erasure = "kept by the shop"         // written or done by staff for the shop, stays with the shop
)

// PersonalColumns lists all columns that can hold personal data.
var PersonalColumns = []PersonalData{
	// The account, across the whole platform.
	{"person", "email name phone next_email password_hash language", "the person and their credentials", EraseWithAccount},
	{"session", "token_hash person_id network agent", "the person's sessions: the network and browser that opened them", EraseWithAccount},
	{"totp", "person_id sealed", "the sealed secret of an authenticator app", EraseWithAccount},
	{"totp", "used", "steps of 30 seconds whose codes were used", NotPersonal},
	{"recovery_code", "person_id hash", "codes that replace the app", EraseWithAccount},
	{"passkey", "person_id credential_id public_key name", "a passkey, with the name of its device", EraseWithAccount},
	{"passkey_challenge", "person_id hash data", "what a device is asked to sign, for 5 minutes", EraseWithAccount},
	{"person_view", "person_id page value", "how the person has arranged a page of the cabinet", EraseWithAccount},
	{"password_reset", "hash person_id", "a link in a letter", EraseWithAccount},
	{"address_code", "email hash", "a code in a letter to an address", EraseWithAccount},
	{"platform_letter", "recipient subject text", "a letter about an account", EraseWithAccount},
	{"letter_pace", "recipient kind", "count of letters to an address, by hash, for a day", SealedData},
	{"platform_letter", "kind error", "the kind of the letter, why it was not sent", NotPersonal},
	{"invitation", "email hash invited_by", "a person invited to the shop's staff", EraseWithAccount},
	{"invitation", "role", "the role of the invitation", NotPersonal},
	{"api_key", "name hash person_id", "a key of a member of the staff", EraseWithAccount},
	{"api_key", "client_id contour scopes", "what the key permits, and the program that has it by a grant", NotPersonal},
	{"oauth_client", "id name redirect_uris", "a program that may ask people for access, as it describes itself", NotPersonal},
	{"oauth_code", "hash person_id", "what a member of the staff allowed a program, for an hour", EraseWithAccount},
	{"oauth_code", "challenge client_id contour redirect_uri resource scopes", "what the program asked for", NotPersonal},
	{"oauth_token", "hash", "a token of a grant, deleted with its key", EraseWithAccount},
	{"oauth_token", "kind resource", "what the token is for", NotPersonal},
	{"member", "person_id", "a member of the staff", EraseWithAccount},
	{"member", "role", "their role", NotPersonal},
	{"shop_opening", "network", "the network from which a shop was opened, by hash, for a day", SealedData},
	{"secret", "name value", "secrets of the installation", NotPersonal},

	// Data of buyers that a shop keeps.
	{"customer", "email name phone note person_id", "a customer, with the shop's notes", EraseColumns},
	{"customer_group", "name", "groups of customers", NotPersonal},
	{"shop_order", "contact_name contact_phone contact_email contact_vat_number address comment note tags", "the recipient of an order and its address, and what the shop noted; a city of other orders and the beginning of a postcode stay", EraseColumns},
	{"shop_order", "person_id status_by", "who ordered, who changed the status", KeepID},
	{"shop_order", "currency source status shipment_status payment_status payment_method delivery promotions tax taxes", "the terms of the order; codes in it come from the program or the shop", NotPersonal},
	{"order_line", "data key", "personalisation of a product; the chosen variant stays", EraseColumns},
	{"order_line", "name sku image url combo_items taxes", "what was bought", NotPersonal},
	{"order_message", "text file_ids", "messages between buyer and seller", EraseColumns},
	{"order_message", "person_id", "the author", KeepID},
	{"order_history", "kind body", "status changes, payments and why they failed, shipments and their carriers, in the program's words", NotPersonal},
	{"order_history", "actor_id", "who acted", KeepID},
	{"order_paper", "copy", "an invoice or credit note as it was issued; its recipient is erased as that of the order", EraseColumns},
	{"order_paper", "kind number", "the number of an invoice or credit note", NotPersonal},
	{"paper_counter", "kind", "the last number of invoices and credit notes", NotPersonal},
	{"shipment", "number url", "the number of a parcel, and the page that shows where it is", EraseColumns},
	{"shipment", "carrier", "who delivered it", NotPersonal},
	{"payment", "return_url redirect_url", "pages where the buyer paid", EraseColumns},
	{"payment", "method provider status currency provider_ref key", "the provider's id of the payment, for refunds and bookkeeping", NotPersonal},
	{"payment_notice", "body", "the provider's notification, verbatim", EraseRow},
	{"payment_notice", "method ref", "the payment of the notification", EraseRow},
	{"payment_refund", "state key was", "the status of a refund", NotPersonal},
	{"sandbox_payment", "return_url", "the page to which the buyer returns", EraseColumns},
	{"sandbox_payment", "ref key title currency state", "a payment of the sandbox, by the number of its order", NotPersonal},
	{"cart", "promo_code contact_email contact_phone typed person_id reminder_email", "a cart with its checkout input", EraseRow},
	{"cart_reminder", "recipient code", "a reminder of a cart, with the hash of its address", EraseColumns},
	{"reminder_refusal", "recipient", "an address that refused reminders or was erased, by hash: nothing else prevents the next letter to it", KeepForShop},
	{"cart_line", "key data person_id", "lines of a cart, with personalisation", EraseRow},
	{"cart_merge", "merge_id person_id", "a merge that was made", EraseRow},
	{"wishlist_item", "person_id", "the products of a wishlist", EraseRow},
	{"person_address", "name phone country region city street postcode comment person_id", "an address book", EraseRow},
	{"personal_code", "code person_id", "a buyer's personal code", EraseRow},
	{"redemption", "code", "a used code; anonymous once its buyer is erased", NotPersonal},
	{"redemption", "person_id", "who used it", KeepID},
	{"remark", "author text pros cons answer file_ids person_id", "a review or question and the shop's answer; the rating stays", EraseColumns},
	{"remark", "kind status", "a review or a question, and its status", NotPersonal},
	{"remark", "moderated_by", "the moderator", KeepForShop},
	{"remark_vote", "person_id", "who found a review helpful", EraseRow},
	{"form_lead", "answers page_url utm email note consents print token", "a form sent by a visitor, with consents and the shop's notes", EraseRow},
	{"form_lead", "status why", "its status, and why it was marked as spam", NotPersonal},
	{"form_file", "name sha256", "a file that was sent with a form", EraseRow},
	{"form_file", "id field mime", "technical data of the file", NotPersonal},
	{"letter", "recipient subject text html facts person_id", "a letter of the shop about a person", EraseRow},
	{"letter", "name object state error", "the kind and status of the letter, the mail server's answer", EraseRow},
	{"letter_bounce", "recipient reason", "an address that bounces", EraseRow},
	{"event", "body", "the body of an event; leads, codes of a buyer and numbers of parcels are personal", EraseColumns},
	{"event", "name event_id", "the kind of the event", NotPersonal},
	{"webhook_delivery", "state reason log", "the status of a delivery and its attempts, in the program's words", NotPersonal},
	{"media_file", "original_name alt path colour sha256 original_sha256 prepared person_id", "files; those that buyers uploaded for reviews are deleted with their bytes", EraseRow},
	{"media_file", "created_by", "who uploaded it", KeepID},
	{"media_file", "id upload_id upload_hash section file_type status mime replaces", "technical data of the file", NotPersonal},
	{"blob", "sha256", "bytes that the shop has", EraseRow},
	{"blob_reservation", "sha256", "bytes being stored or deleted", EraseRow},
	{"job", "person_id", "who began the job", KeepID},
	{"job", "kind state error claim", "what it does, how far it is, why it failed in the program's words", NotPersonal},
	{"job", "input result sha256", "what it was told, what it has counted, and its file, for a day: an export is the whole shop", KeepForShop},
	{"idempotency_key", "answer", "an answer, sealed under the server's key, for a day", EraseColumns},
	{"idempotency_key", "credential key fingerprint attempt content_type", "who sent which call, for a day", SealedData},
	{"audit_log", "method path entities request_id contour", "which API endpoint the staff called, with ids", KeepForShop},
	{"audit_log", "person_id", "who called", KeepID},

	// The shop's own data.
	{"company", "slug name currency pin_hash limits settings", "the shop, with its settings", KeepForShop},
	{"company_domain", "domain seen fault", "its address", KeepForShop},
	{"company_change", "kinds ids", "what changed, by numbers", NotPersonal},
	{"draft_edit", "kind id", "what was edited in the draft, by numbers", NotPersonal},
	{"category", "type name slug description seo sidebar_config page_template preview_id comments_enabled questions_enabled", "sections", KeepForShop},
	{"category", "created_by updated_by", "who made them", KeepID},
	{"product", "kind tax_class stock_by name slug sku gtin brand country_of_origin description seo tags gallery ad_mode catalog_hidden combo_items preview_id comments_enabled questions_enabled", "products", KeepForShop},
	{"product", "created_by updated_by", "who made them", KeepID},
	{"product_attribute", "text", "attributes of products", KeepForShop},
	{"product_group", "name products", "products that belong together", KeepForShop},
	{"variant_set", "title sku gtin options swatch image_id", "variants of products", KeepForShop},
	{"attribute", "kind name unit", "attributes of products", KeepForShop},
	{"attribute_option", "label value", "options of attributes", KeepForShop},
	{"article", "title slug announce author badge seo cover_id related", "articles, with the author that the shop names", KeepForShop},
	{"article", "created_by updated_by", "who made them", KeepID},
	{"content_block", "name group_type sections", "blocks of pages", KeepForShop},
	{"design_binding", "resource_type slot", "the slots of blocks", KeepForShop},
	{"collection", "name mode", "folders of the library", KeepForShop},
	{"collection", "created_by", "who made them", KeepID},
	{"collection_file", "file_id", "the files in them", KeepForShop},
	{"gallery", "name source", "galleries", KeepForShop},
	{"gallery_item", "item_key kind caption html file_id poster_id", "items of galleries", KeepForShop},
	{"document", "kind name description", "html documents", KeepForShop},
	{"document", "created_by", "who made them", KeepID},
	{"release", "note report seo_title seo_text", "releases of documents", KeepForShop},
	{"release", "created_by", "who made them", KeepID},
	{"release_file", "path mime sha256 upload_hash", "their files", KeepForShop},
	{"packed_file", "sha256 bundle_sha256 coding", "their files, packed", KeepForShop},
	{"form", "name fields submit_text success", "forms, with their fields and texts", KeepForShop},
	{"form", "created_by", "who made it", KeepID},
	{"access_policy", "name kind group_ids title text salt", "policies, with the texts of their pages", KeepForShop},
	{"access_resource", "type", "the resources of a policy", KeepForShop},
	{"access_grant", "label hash", "passwords of policies, with the label of the recipient", KeepForShop},
	{"promotion", "name kind stacking code conditions value issue", "promotions", KeepForShop},
	{"pricing_rule", "name count product_ids category_ids tiers", "prices by quantity", KeepForShop},
	{"delivery_option", "name description kind rates points", "delivery options", KeepForShop},
	{"payment_method", "method title sealed instructions", "payment methods", KeepForShop},
	{"letter_template", "name subject text html error", "the shop's templates of letters", KeepForShop},
	{"letter_domain", "domain selector sealed public", "the key that signs the shop's letters", KeepForShop},
	{"webhook", "url host events last_error", "receivers of events", KeepForShop},
	{"webhook_secret", "sealed", "the key that signs deliveries", KeepForShop},
	{"visit_day", "lists", "sums of a day: paths of pages, hosts, campaigns, searches without results; addresses and ids of people are left out", NotPersonal},
	{"visit_salt", "salt", "salt for the hashes of a day's visitors; deleted after the day", NotPersonal},
	{"visit_batch", "run", "the counting process", NotPersonal},
	{"sale_day", "currency", "sales of a day", NotPersonal},
	{"sale_product", "currency", "sales of a day by product", NotPersonal},
	{"stock_movement", "reason comment variants", "stock movements and reasons, in the shop's words", KeepForShop},
	{"stock_movement", "actor_id", "who moved the stock", KeepID},
	{"redirect_rule", "kind from_path to_target query_match note dup_key", "redirect rules", KeepForShop},
	{"redirect_miss", "path", "addresses that answered 404, without the requesters", NotPersonal},
	{"redirect_version", "kind edits", "changes of rules", KeepForShop},
	{"redirect_version", "person_id", "who changed them", KeepID},
	{"slug_journal", "slug", "former addresses of pages", KeepForShop},
	{"site_file", "name body", "site files", KeepForShop},
	{"site_file", "created_by updated_by", "who made them", KeepID},
	{"site_file_build", "state errors warnings", "results of builds of site files", KeepForShop},
	{"site_file_copy", "body", "rendered site files", KeepForShop},
	{"rate_count", "node", "counts of API calls", NotPersonal},
}
