package feed

type htmlEscaper struct{ *flaw }

func (htmlEscaper) constant(dst []byte, c *constant) []byte { return append(dst, c.text...) }
func (htmlEscaper) text(dst []byte, s string) []byte        { return appendXML(dst, s, false) }
func (htmlEscaper) number(dst, digits []byte) []byte        { return append(dst, digits...) }
func (htmlEscaper) list(dst []byte, l list) []byte          { return append(dst, spelled(l)...) }
func (htmlEscaper) none(dst []byte) []byte                  { return append(dst, absent...) }
func (htmlEscaper) end(dst []byte) []byte                   { return dst }
func (htmlEscaper) mark() (mark, int, bool)                 { return 0, 0, true }
func (htmlEscaper) watch()                                  {}
func (htmlEscaper) lowest() int                             { return 0 }
func (htmlEscaper) resume(mark)                             {}
