// Package widget defines the widget kinds of the storefront as one table (document 3, 2.2), and
// derives from the table the reference at /docs/widgets and the answer of POST /docs/validate.
//
// A content block is a list of sections, each of which names a kind:
//
//	sections[i]          = {type, payload, items?}
//	sections[i].payload  = {v: 2, kind, props}
//	props                = the widget's own settings at their write path,
//	                       the wrapper axes at the root,
//	                       the axes again below tablet and mobile
//
// The write path of most kinds is props itself. Some nest: the settings of productListing are
// below props.listing, and a limit written at props.limit is stored, answered with 200, and never
// read. The write itself does not reveal this; [Validate] does. It reports for every path of a
// list of sections
//
//	applied   it is read, possibly clamped: Drawn is the resulting value
//	ignored   its name is known, but it has no effect in this position
//	unknown   the name or the value does not exist: Allowed lists the valid values
//
// The table is data: [Kind] and [Prop] hold no functions. Whatever the specification does not
// show was designed here and carries Own, so that a reader can tell the two apart.
//
// The package does not draw: package render does, from the [Values] that [Kind.Read] extracts
// from a section by the same rules that [Validate] reports. A kind that the storefront does not
// draw yet has Drawn unset.
package widget
