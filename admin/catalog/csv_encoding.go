package catalog

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding"

	"vitrine/internal/cells"
	"vitrine/internal/shop"
)

// errImportEncoding refuses bytes that are not text in the encoding.
var errImportEncoding = shop.Refuse(shop.InvalidArgument, "IMPORT_ENCODING_INVALID").When("the bytes are not text in a supported encoding")

// decodeText decodes the bytes of a file: in the named encoding, which is never guessed, else as
// UTF-16 if it begins with its mark, else as UTF-8.
func decodeText(file []byte, name string) (string, error) {
	name = strings.ToLower(name)
	known, ok := cells.Legacy[name]
	if ok {
		return decodeBy(known, file, name)
	}
	if name != "" && name != "utf-8" {
		return "", errImportEncoding.With("encoding must be utf-8, windows-1250, windows-1251 or windows-1252")
	}
	if marked := cells.Marked(file); marked != nil {
		return decodeBy(marked, file, "utf-16")
	}
	return checkText(string(file), "utf-8")
}

func decodeBy(e encoding.Encoding, file []byte, name string) (string, error) {
	text, err := e.NewDecoder().Bytes(file)
	if err != nil {
		return "", errImportEncoding.With("the file is not " + name)
	}
	return checkText(string(text), name)
}

// checkText refuses invalid text, with the first invalid line.
func checkText(text, name string) (string, error) {
	bad := strings.IndexByte(text, 0)
	if !utf8.ValidString(text) {
		bad = 0
		for bad < len(text) {
			r, size := utf8.DecodeRuneInString(text[bad:])
			if r == utf8.RuneError && size == 1 {
				break
			}
			bad += size
		}
	}
	if bad >= 0 {
		return "", errImportEncoding.With(fmt.Sprintf(
			"line %d is not %s text: save the file as UTF-8, or name its encoding, such as windows-1251", cells.LineEnds(text[:bad])+1, name))
	}
	return text, nil
}
