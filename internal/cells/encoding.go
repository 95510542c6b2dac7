package cells

import (
	"bytes"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/unicode"
)

// Legacy are the encodings that spreadsheets use beside Unicode, by name. The bytes of a text do
// not distinguish them.
var Legacy = map[string]encoding.Encoding{
	"windows-1250": charmap.Windows1250, "windows-1251": charmap.Windows1251, "windows-1252": charmap.Windows1252,
}

// Marked returns the encoding of a text that begins with a byte order mark of UTF-16, else nil.
func Marked(start []byte) encoding.Encoding {
	if bytes.HasPrefix(start, []byte("\xff\xfe")) || bytes.HasPrefix(start, []byte("\xfe\xff")) {
		return unicode.UTF16(unicode.LittleEndian, unicode.UseBOM)
	}
	return nil
}
