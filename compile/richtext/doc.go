// Package richtext draws the small HTML that owners may use in texts: in descriptions of
// products and sections, leads and texts of articles, text widgets, and the text of a
// widget's items.
//
//	paragraphs   p br hr blockquote pre, div as p
//	headings     h1 to h6, drawn below the headings of the page
//	lists        ul ol li
//	tables       table thead tbody tfoot tr th td, colspan and rowspan
//	emphasis     strong em b i u s sub sup code
//	links        a href: paths of the shop, #, http, https, mailto, tel, form:<id>, svc:page/<id>
//	pictures     img src alt width height, from the shop's media library only
//
// A text is HTML when it contains one of these tags, complete and with attributes of the
// form name=value only ([Is]). Every other text is plain: "a < b" and "5 <3" keep their
// meaning, and so does a tag that is not in the list.
//
// Texts are stored, returned by the API, exported and compared as they were sent. They are
// sanitized when they are drawn, not when they are written: so one path covers rows of
// earlier versions, imports, backups, drafts and what owners type, and a better rule
// applies to all of them at once. Pages are cached whole, so each is sanitized once.
//
// Sanitizing has two steps. bluemonday removes all that is not in the list, by rules that
// its users have hardened against browsers for years. The rest is parsed into a tree, and
// [Draw] builds another tree from it, of listed elements with attributes that it makes
// itself, which package html renders: each start tag has its end tag, each cell its row and
// each item its list, and nothing can close an element around the text.
//
// [Plain] returns the words of a text for meta descriptions, structured data and search.
package richtext
