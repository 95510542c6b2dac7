package lead

import (
	"path"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/gabriel-vasile/mimetype"
)

// Sniffed is how many bytes of a file are looked at to tell what it is.
const Sniffed = 4096

const maxFileName = 150 // characters

// fileKind is a kind of file that forms take: what its bytes are, and the ends of
// names that programs open as no more than that.
type fileKind struct {
	mime string
	ends []string
}

// fileKinds are all that forms take: pictures, documents, sheets, sound, films and
// plain archives. What a browser or a system would run is none of them: no markup, no
// scripts, no SVG, no programs, no documents that are made to hold macros.
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

// FileNames are the ends of names that forms take, as an input element lists them.
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

// ReadFile tells what a file is from its first bytes, and gives its name the end of
// that kind where it has another. ok is false for a file that forms do not take.
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

// scripted reports whether a text begins as something that is run or drawn, which
// the table of types may not know.
func scripted(head []byte) bool {
	text := strings.ToLower(strings.TrimLeft(strings.TrimPrefix(string(head), "\ufeff"), " \t\r\n"))
	if strings.HasPrefix(text, "#!") || strings.HasPrefix(text, "<") {
		return true
	}
	return strings.Contains(text, "<script") || strings.Contains(text, "<svg") || strings.Contains(text, "<html")
}

// FileName is the name of a file without folders, control characters and characters
// that turn the direction of a text, such as hide the end of a name.
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
