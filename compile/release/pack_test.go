package release

import (
	"bytes"
	"io"
	"sort"
	"strings"
	"testing"

	"vitrine/internal/corpus"
)

// honest packs a valid archive of "path=text" words.
func honest(t testing.TB, words ...string) []byte {
	var members []corpus.Entry
	for _, word := range words {
		name, text, ok := strings.Cut(word, "=")
		if !ok && !strings.HasSuffix(name, "/") {
			text = "x"
		}
		members = append(members, corpus.Entry{Name: name, Text: text})
	}
	return corpus.Zip(t, members...)
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// unzip unpacks into "path=text" words, sorted.
func unzip(archive []byte, l Limits) (files string, skipped Skipped, err error) {
	var words []string
	skipped, err = Unzip(bytes.NewReader(archive), int64(len(archive)), l, func(path string, r io.Reader) error {
		text, err := io.ReadAll(r)
		words = append(words, path+"="+string(text))
		return err
	})
	sort.Strings(words)
	return strings.Join(words, " "), skipped, err
}
