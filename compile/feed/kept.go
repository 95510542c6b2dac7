package feed

// Kept is a former output of a template, with where each product's fragment
// stands in it. It is given to the next render of the same template, which
// copies the fragments of products whose version is the same.
type Kept struct{ out []byte }

// Keep pairs the result of a traced render with what it wrote, all of it. The
// bytes are not copied: they must not change while the Kept is in use. It is
// nil when nothing of this template can be kept.
func (r *Result) Keep(out []byte) *Kept { return nil }

// Line is the line of the template that wrote the byte at offset, 0 when the
// render was not traced.
func (r *Result) Line(offset int64) int { return 0 }

// Product is the product of whose range iteration the byte at offset is, 0 for
// none.
func (r *Result) Product(offset int64) int64 { return 0 }
