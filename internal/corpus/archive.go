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

// Archive is one file of testdata/release: a ZIP and what must come of it as a
// release (document 3, 4.6 and 8).
type Archive struct {
	ID      string
	Of      string // document or folder: the release it is meant for; empty: either
	Zip     []byte
	Error   string   // the code with which it is refused; empty: it is taken
	Says    string   // a piece of the refusal's detail
	Files   []string // "path=text" of what is taken, sorted
	Skipped []string // "path:reason" of what is left out and told
}

// Archives reads the cases of release archives that are meant for a kind of
// release, by name.
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
		if a.Of == "" || a.Of == of {
			cases = append(cases, a)
		}
	}
	return cases
}

// read packs the entries first and then changes the archive line by line.
func (a *Archive) read(t testing.TB, text string) {
	t.Helper()
	var entries []Entry
	var changes [][]string
	for line := range strings.Lines(text) {
		key, value, _ := strings.Cut(strings.TrimSuffix(line, "\n"), ": ")
		switch words := words(t, value); key {
		case "of":
			a.Of = value
		case "error":
			a.Error, a.Says, _ = strings.Cut(value, " ")
		case "files":
			a.Files = words
		case "skipped":
			a.Skipped = words
		case "entry":
			entries = append(entries, entriesOf(t, words)...)
		case "raw", "front", "behind", "cut", "patch":
			changes = append(changes, append([]string{key}, words...))
		case "why": // for the reader
		default:
			t.Fatalf("%s: unknown line %q", a.ID, line)
		}
	}
	a.Zip = Zip(t, entries...)
	for _, change := range changes {
		a.change(t, change[0], change[1:])
	}
}

// signatures begin the parts of an archive.
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

// modes are the kinds of files that an archive may hold.
var modes = map[string]fs.FileMode{
	"link": fs.ModeSymlink | 0o777, "device": fs.ModeDevice | 0o666, "pipe": fs.ModeNamedPipe | 0o666,
	"folder": fs.ModeDir | 0o777,
}

// entriesOf is what a line of an entry stands for: a name, its text, and
// key=value for what is not honest.
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
	e.Lie = func(h *zip.FileHeader) {
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

// lie is a field of an entry's headers that is not the truth.
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

// words cuts a value at its blanks; what stands in quotes is one word, written
// as a Go string.
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
