package lead

import (
	"path"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/gabriel-vasile/mimetype"
)

// Sniffed is the number of bytes of a file used to detect its type.
const Sniffed = 4096

const maxFileName = 150 // characters

// fileKind is a type of file that forms accept: the content type of its bytes, and the name
// extensions that programs open as no more than that.
type fileKind struct {
	mime string
	ends []string
}

// fileKinds lists all types that forms accept: pictures, documents, spreadsheets, audio, video
// and plain archives. It has nothing that a browser or a system would run: no markup, no scripts,
// no SVG, no programs, no documents with macros.
var fileKinds = []fileKind{
	{"image/jpeg", []string{"jpg", "jpeg"}}, {"image/png", []string{"png"}}, {"image/gif", []string{"gif"}}, {"image/webp", []string{"webp"}},
	{"image/bmp", []string{"bmp"}}, {"image/tiff", []string{"tiff", "tif"}}, {"image/heic", []string{"heic"}}, {"image/heif", []string{"heif"}},
	{"image/avif", []string{"avif"}}, {"application/pdf", []string{"pdf"}}, {"text/plain", []string{"txt", "md", "log"}}, {"text/csv", []string{"csv", "txt"}},
	{"text/tab-separated-values", []string{"tsv", "txt"}}, {"text/rtf", []string{"rtf"}},
	{"application/vnd.openxmlformats-officedocument.wordprocessingml.document", []string{"docx"}},
	{"application/vnd.openxmlformats-officedocument.spreadsheetml.sheet", []string{"xlsx"}},
	{"application/vnd.openxmlformats-officedocument.presentationml.presentation", []string{"pptx"}},
	{"application/vnd.oasis.opendocument.text", []string{"odt"}}, {"application/vnd.oasis.opendocument.spreadsheet", []string{"ods"}},
	{"application/vnd.oasis.opendocument.presentation", []string{"odp"}},
	{"application/zip", []string{"zip"}}, {"audio/mpeg", []string{"mp3"}}, {"audio/wav", []string{"wav"}}, {"audio/ogg", []string{"ogg"}},
	{"audio/x-m4a", []string{"m4a"}}, {"audio/mp4", []string{"m4a"}}, {"video/mp4", []string{"mp4"}}, {"video/quicktime", []string{"mov"}}, {"video/webm", []string{"webm"}},
}

// FileNames lists the name extensions that forms accept, in the format of an input element.
func FileNames() string {
	var all []string
	for _, k := range fileKinds {
		for _, end := range k.ends {
			if !slices.Contains(all, "."+end) {
				all = append(all, "."+end)
			}
		}
	}
	return strings.Join(all, ",")
}

// ReadFile detects the type of a file from its first bytes, and appends the extension of that
// type to its name if needed. ok is false for a file that forms do not accept.
func ReadFile(head []byte, name string) (mime, clean string, ok bool) {
	mime, _, _ = strings.Cut(mimetype.Detect(head).String(), ";")
	at := slices.IndexFunc(fileKinds, func(k fileKind) bool { return k.mime == mime })
	if at < 0 || strings.HasPrefix(mime, "text/") && scripted(head) {
		return "", "", false
	}
	name = FileName(name)
	end := strings.ToLower(strings.TrimPrefix(path.Ext(name), "."))
	if !slices.Contains(fileKinds[at].ends, end) {
		name += "." + fileKinds[at].ends[0]
	}
	return mime, name, true
}

// scripted reports whether a text begins like something that is run or rendered, which type
// detection may miss.
func scripted(head []byte) bool {
	text := strings.ToLower(strings.TrimLeft(strings.TrimPrefix(string(head), "\ufeff"), " \t\r\n"))
	if strings.HasPrefix(text, "#!") || strings.HasPrefix(text, "<") {
		return true
	}
	return strings.Contains(text, "<script") || strings.Contains(text, "<svg") || strings.Contains(text, "<html")
}

// FileName returns a file name without folders, control characters and bidirectional control
// characters, which can hide the extension.
func FileName(name string) string {
	name = strings.Map(func(r rune) rune {
		switch {
		case unicode.IsControl(r), unicode.Is(unicode.Cf, r), r == utf8.RuneError, r == '\u2028', r == '\u2029':
			return -1
		case strings.ContainsRune(`"*:<>?|`, r):
			return '_'
		}
		return r
	}, name)
	name = strings.Trim(name[strings.LastIndexAny(name, `/\`)+1:], " .")
	if runes := []rune(name); len(runes) > maxFileName {
		end := path.Ext(name)
		if len(end) > 10 {
			end = ""
		}
		name = string(runes[:maxFileName-len(end)]) + end
	}
	if name == "" {
		return "file"
	}
	return name
}
