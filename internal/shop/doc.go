// Package shop holds the nouns of a shop: ids, refusals, scopes, roles, contours, slugs. It
// is the vocabulary of all other packages and imports only the standard library and
// golang.org/x/text.
//
// It does no I/O and does not depend on HTTP or SQL. Where a noun needs a rule beyond its
// spelling (the order of addresses, the grammar of redirects), the rule is in a separate
// package below compile.
//
// # Glossary
//
// One word for each thing, the specification's if it has one. Words in brackets are common
// elsewhere but not used in this code.
//
//	shop        the business of an owner that visitors see; company is its id and row, as the API
//	            spells it
//	tenant      a shop loaded by one process of the edge: compiled, with its counters
//	person      somebody with an account; member: a person with a role in a shop; visitor: anybody at
//	            the edge
//	guest       a person without an address; buyer: a person who orders; customer: a shop's record of
//	            a buyer
//	key         the credential of a program; session: the sign-in of a person
//	contour     prod or dev: the published rows, or the draft that overlays them [environment, stage]
//	category    a node of the tree of a shop, of a type: product, page, news, site. Texts for people
//	            say section
//	section     in code: a part of a content block, with its type and payload
//	rubric      a category of type news, with articles in it [blog, channel]
//	product     an item for sale; variant: one choice of it; offer: the entry of either in a feed
//	stock item  what is counted: a product, or a variant of a product that is counted by variant
//	article     a text with a date
//	shipment    a parcel of an order; carrier: the company that delivers it
//	block       a piece of content with sections; group: an ordered list of blocks, of a kind
//	            [template]
//	widget      a rendered section: kind, props, section data
//	slot        a place of a page for a group: header, footer, body; binding: the assignment of a
//	            group to a slot
//	layout      the group that supplies head, foot and class of every page; the API spells it theme
//	document    an uploaded html website, kept in releases [bundle]
//	release     one version of a document: uploading, then published, then kept for rollback
//	            [version, deploy]
//	mount       to show a document inside a page
//	folder      a document that is served unchanged, below a category of type site
//	site file   a small text at its own address: a feed, ads.txt; rendered from a template
//	program     a compiled site file
//	guarded     of zones without scripts of authors: cart, checkout, account
//	rule        one redirect; set: all of a shop's in their order; override: a rule that takes
//	            precedence over a page
//	journal     the former slugs of things; old addresses redirect through it [slug history, former
//	            slugs]
//	miss        a requested address that answered 404, counted
//	policy      closes resources until a visitor unlocks it; grant: a password of one
//	opened      the policies that a visitor has unlocked; hidden: what they do not see of the shop
//	pin         the code that unlocks a closed shop
//	gallery     an ordered list of pictures and videos; item: one of them
//	file        a file of the media library; blob: bytes by their hash, whatever they belong to
//	variant     of a picture: one width and format of it
//	lead        a submitted form
//	refusal     an error that explains to the caller what was wrong, with class and code [exception]
//	endpoint    a row of the table of the API
//	answer      a response; entry: an answer in the cache of the edge
//	version     a number that every change of a shop raises; cached data records the version it was
//	            built from
//	key kinds   the scope of a change, so that only that is read again [tag, surrogate key]
//	budget      how many attempts are allowed in a time [quota]; limit: how much a plan allows
//	bound       how much of an input is read at all
package shop
