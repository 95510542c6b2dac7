// Package richtext is the small HTML that the words of an owner may hold:
// descriptions of products and sections, leads and texts of articles, text
// widgets, and the text of a widget's items.
//
//	paragraphs   p br hr blockquote pre, div as p
//	headings     h1 to h6, drawn below the headings of the page
//	lists        ul ol li
//	tables       table thead tbody tfoot tr th td, colspan and rowspan
//	emphasis     strong em b i u s sub sup code
//	links        a href: paths of the shop, #, http, https, mailto, tel, form:<id>, svc:page/<id>
//	pictures     img src alt width height, of the shop's media library alone
//
// A text is HTML when one of these tags stands in it, complete and with
// attributes only of the form name=value ([Is]). Every other text is plain: "a <
// b" and "5 <3" are what they were, and so is a tag that is none of the list.
//
// A text is kept, answered by the API, exported and compared as it was sent. It is
// cleaned when it is drawn, not when it is written: then what a table holds from
// before, what an import, a backup or a draft brings goes through the same door as
// what an owner types, and a better rule holds for all of it at once. Pages are
// kept as whole answers, so the cleaning costs once for each.
//
// There are two gates. bluemonday throws out of the bytes whatever is not of the
// list, by the rules that its users have hardened against browsers for years. What
// is left is read into a tree, and [Draw] prints from the tree nothing but names of
// its own table with attributes that it writes itself: a start tag has its end tag,
// a cell its row, an item its list, and nothing can close what the text stands in.
//
// [Plain] is the same text for those who read none of it: meta
// descriptions, structured data, search.
package richtext
