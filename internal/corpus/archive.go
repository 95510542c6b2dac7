package corpus

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"io/fs"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// Archive is one file of testdata/release: a ZIP and the expected result of publishing it
// (document 3, 4.6 and 8).
type Archive struct {
	ID      string
	Kind    string // document or folder: the kind of release it is for; empty: both
	Zip     []byte
	Error   string   // code of the expected refusal; empty: it is accepted
	Detail  string   // a part of the refusal's detail
	Files   []string // "path=text" of the accepted files, sorted
	Skipped []string // "path:reason" of the files that are skipped and reported
}

// Archives reads the test archives for a kind of release, sorted by name.
func Archives(t testing.TB, of string) (cases []Archive) {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(root(t), "release", "*.txt"))
	if err != nil || len(paths) == 0 {
		t.Fatalf("testdata/release has no case: %v", err)
	}
	for _, path := range paths {
		name := filepath.Base(path)
		a := Archive{ID: strings.TrimSuffix(name, ".txt")}
		a.read(t, string(read(t, filepath.Join("release", name))))
		if a.Kind == "" || a.Kind == of {
			cases = append(cases, a)
		}
	}
	return cases
}

// read packs the entries first and then applies the changes in order.
func (a *Archive) read(t testing.TB, text string) {
	t.Helper()
	var entries []Entry
	var changes [][]string
	for line := range strings.Lines(text) {
		key, value, _ := strings.Cut(strings.TrimSuffix(line, "\n"), ": ")
		switch words := words(t, value); key {
		case "of":
			a.Kind = value
		case "error":
			a.Error, a.Detail, _ = strings.Cut(value, " ")
		case "files":
			a.Files = words
		case "skipped":
			a.Skipped = words
		case "entry":
			entries = append(entries, entriesOf(t, words)...)
		case "raw", "front", "behind", "cut", "patch":
			changes = append(changes, append([]string{key}, words...))
		case "why": // documentation
		default:
			t.Fatalf("%s: unknown line %q", a.ID, line)
		}
	}
	a.Zip = Zip(t, entries...)
	for _, change := range changes {
		a.change(t, change[0], change[1:])
	}
}

// signatures are the first bytes of the parts of an archive.
var signatures = map[string]string{"end": "PK\x05\x06", "directory": "PK\x01\x02", "local": "PK\x03\x04"}

// change damages a packed archive.
func (a *Archive) change(t testing.TB, how string, args []string) {
	t.Helper()
	honest := bytes.Clone(a.Zip)
	piece := func() []byte {
		switch args[0] {
		case "itself":
			return honest
		case "cut":
			return honest[:len(honest)-1]
		}
		return []byte(args[0])
	}
	switch how {
	case "raw":
		a.Zip = []byte(strings.Repeat(args[0], max(1, number(t, strings.Join(args[1:], "")))))
	case "front":
		a.Zip = append(bytes.Clone(piece()), honest...)
	case "behind":
		a.Zip = append(honest, piece()...)
	case "cut":
		a.Zip = honest[:len(honest)/2]
		if args[0] != "half" {
			a.Zip = honest[:len(honest)-number(t, args[0])]
		}
	case "patch": // the last part of a kind, at an offset, four bytes
		at := bytes.LastIndex(honest, []byte(signatures[args[0]])) + number(t, args[1])
		binary.LittleEndian.PutUint32(honest[at:], uint32(claimed(t, args[2])))
		a.Zip = honest
	}
}

// modes are the special kinds of files in an archive.
var modes = map[string]fs.FileMode{
	"link": fs.ModeSymlink | 0o777, "device": fs.ModeDevice | 0o666, "pipe": fs.ModeNamedPipe | 0o666,
	"folder": fs.ModeDir | 0o777,
}

// entriesOf reads an entry line: a name, its text, and key=value for false header fields.
func entriesOf(t testing.TB, words []string) []Entry {
	t.Helper()
	e, copies := Entry{Name: words[0]}, 1
	var lies []func(h *zip.FileHeader)
	for i, word := range words[1:] {
		key, value, isFlag := strings.Cut(word, "=")
		switch {
		case i == 0:
			e.Text = word
		case !isFlag:
			t.Fatalf("%q is not key=value", word)
		case key == "times":
			e.Text = strings.Repeat(e.Text, number(t, value))
		case key == "copies":
			copies = number(t, value)
		case key == "mode":
			e.Mode = modes[value]
		default:
			lies = append(lies, lie(t, key, value))
		}
	}
	e.Forge = func(h *zip.FileHeader) {
		for _, tell := range lies {
			tell(h)
		}
	}
	list := []Entry{e}
	for i := 1; i < copies; i++ {
		next := e
		next.Name += strconv.Itoa(i)
		list = append(list, next)
	}
	return list
}

// lie returns a change of a header field of an entry to a false value.
func lie(t testing.TB, key, value string) func(h *zip.FileHeader) {
	t.Helper()
	if key == "crc" && value == "wrong" {
		return func(h *zip.FileHeader) { h.CRC32++ }
	}
	n := claimed(t, value)
	switch key {
	case "crc":
		return func(h *zip.FileHeader) { h.CRC32 = uint32(n) }
	case "size":
		return func(h *zip.FileHeader) { h.UncompressedSize64 = n }
	case "packed":
		return func(h *zip.FileHeader) { h.CompressedSize64 = n }
	case "method":
		return func(h *zip.FileHeader) { h.Method = uint16(n) }
	case "flags":
		return func(h *zip.FileHeader) { h.Flags = uint16(n) }
	}
	t.Fatalf("no field %q", key)
	return nil
}

func claimed(t testing.TB, text string) uint64 {
	t.Helper()
	n, err := strconv.ParseUint(text, 0, 64)
	must(t, err)
	return n
}

// words splits a value at spaces; a word in quotes is written as a Go string.
func words(t testing.TB, value string) (list []string) {
	t.Helper()
	for value = strings.TrimLeft(value, " "); value != ""; value = strings.TrimLeft(value, " ") {
		if value[0] != '"' {
			word, rest, _ := strings.Cut(value, " ")
			list, value = append(list, word), rest
			continue
		}
		quoted, err := strconv.QuotedPrefix(value)
		must(t, err)
		word, err := strconv.Unquote(quoted)
		must(t, err)
		list, value = append(list, word), value[len(quoted):]
	}
	return list
}
