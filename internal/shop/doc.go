// Package shop holds the nouns of a shop: ids, refusals, scopes, roles,
// contours, slugs. It is the vocabulary that every other package speaks and
// imports nothing but the standard library.
//
// It does no I/O and knows neither HTTP nor SQL. Where a noun needs a rule that
// is more than its spelling (the order of addresses, the grammar of redirects),
// the rule lives in a package of its own under compile.
//
// # Glossary
//
// One word for one thing, the specification's where it has one. Words in
// brackets are what others call it, and what this code does not.
//
//	shop        what an owner has and a visitor sees; company is its id and row, as the API spells it
//	tenant      a shop as one process of the edge holds it: compiled, with its counters
//	person      somebody with an account; member: a person with a role in a shop; visitor: anybody at the edge
//	key         what a program signs in with; session: what a person does
//	contour     prod or dev: the published rows, or the draft that lies over them [environment, stage]
//	category    a node of the tree of a shop, of a type: product, page, news, site. Texts for people say section
//	section     in code: a part of a content block, with its type and payload
//	rubric      a category of type news, with articles in it [blog, channel]
//	product     what is sold; variant: one choice of it; offer: what a feed says of either
//	article     a text with a date
//	block       a piece of content with sections; group: an ordered list of blocks, of a kind [template]
//	widget      a section that is drawn: kind, props, section data
//	slot        a place of a page for a group: header, footer, body; binding: which group stands there
//	layout      the group whose head, foot and class every page gets; the API spells it theme
//	document    an uploaded website of html, kept in releases [bundle]
//	release     one version of a document: uploading, then published, then kept for rollback [version, deploy]
//	mount       to show a document inside a page
//	folder      a document that is served as it is, below a category of type site
//	site file   a small text at an address of its own: a feed, ads.txt; rendered from a template
//	program     a compiled site file
//	guarded     of zones where no script of an author runs: cart, checkout, account
//	rule        one redirect; set: all of a shop's in their order; override: a rule that wins over a page
//	journal     which slug a thing once had; old addresses lead on by it [slug history, former slugs]
//	miss        an address that led nowhere, counted
//	policy      closes things to who has not opened it; grant: a password of one
//	opened      the policies that a visitor has opened; hidden: what he does not see of the shop
//	pin         the numbers that open a closed shop
//	gallery     an ordered list of pictures and videos; item: one of them
//	file        a file of the media library; blob: bytes by their hash, whatever they belong to
//	variant     of a picture: one width and form of it
//	lead        a filled form
//	refusal     an error that tells the caller what was wrong, with class and code [exception]
//	endpoint    a row of the table of the API
//	answer      what is sent back; entry: an answer in the cache of the edge
//	version     a number that every change of a shop raises; what is cached names the one it was built from
//	key kinds   what a change names, so that only that is read again [tag, surrogate key]
//	budget      how often somebody may try in a time [quota]; limit: how much a plan allows
//	bound       how much of an input is read at all
package shop
