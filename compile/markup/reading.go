package markup

// Limits of the files read for a document. It may reference one file a thousand times, and sheets
// that import each other twice multiply to powers of two.
const (
	maxReads     = 8        // reads of one file
	maxReadBytes = 64 << 20 // total bytes
)

// bounded returns the source with limited reads; further files are treated as too large.
func (s Source) bounded() Source {
	read := s.Read
	if read == nil {
		return s
	}
	reads, left := map[string]int{}, maxReadBytes
	s.Read = func(path string) ([]byte, bool) {
		if reads[path]++; reads[path] > maxReads || left <= 0 {
			return nil, false
		}
		text, ok := read(path)
		left -= len(text)
		return text, ok
	}
	return s
}
