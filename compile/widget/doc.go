// Package widget is the widget kinds of the storefront as one table (document
// 3, 2.2), and what follows from a table: the reference at /docs/widgets and
// the answer of POST /docs/validate.
//
// A content block is a list of sections, each of which names a kind:
//
//	sections[i]          = {type, payload, items?}
//	sections[i].payload  = {v: 2, kind, props}
//	props                = the widget's own settings at their write path,
//	                       the wrapper axes at the root,
//	                       the axes again below tablet and mobile
//
// The write path of most kinds is props itself. Some nest: the settings of
// productListing stand below props.listing, and a limit written at props.limit
// is stored, answered with 200, and never read. Nothing in the write tells; that
// is what [Validate] is for. It says of every path of a list of sections
//
//	applied   it is read, maybe clamped: Drawn says to what
//	ignored   its name is known, but it does nothing where it stands
//	unknown   nobody knows the name, or the value: Allowed says which there are
//
// The table is data: [Kind] and [Prop] hold no functions. What the
// specification does not show was designed here and carries Own, so that a
// reader can tell the two apart.
//
// The package does not draw: package render does, from the [Values] that
// [Kind.Read] takes out of a section by the same rules that [Validate] reports. A
// kind that the storefront does not draw yet says so in its Drawn column.
package widget
