package markup

// What a document can make the compiler read. It may name one file a thousand
// times, and sheets that import each other twice are as many as the powers of two.
const (
	maxReads     = 8        // of one file
	maxReadBytes = 64 << 20 // of all
)

// bounded is the source whose files are read no more than that; what is asked for
// beyond is as if it were too large.
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
