package pack_test

import (
	"bytes"
	"io"
	"testing"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/gzip"
	"pgregory.net/rapid"

	"vitrine/compile/pack"
)

func unpacked(t interface{ Fatal(...any) }, form []byte, c pack.Coding) []byte {
	var r io.Reader = brotli.NewReader(bytes.NewReader(form))
	if c == pack.Gzip {
		var err error
		if r, err = gzip.NewReader(bytes.NewReader(form)); err != nil {
			t.Fatal(err)
		}
	}
	body, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return body
}

func TestEncodedFormIsSmallerAndUnpacksToItsBody(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		body := bytes.Repeat(rapid.SliceOf(rapid.Byte()).Draw(t, "body"), rapid.IntRange(1, 40).Draw(t, "times"))
		c := rapid.SampledFrom([]pack.Coding{pack.Gzip, pack.Brotli}).Draw(t, "coding")
		level := rapid.SampledFrom([]pack.Level{pack.Page, pack.File}).Draw(t, "level")
		form, err := pack.Encode(body, c, level)
		switch {
		case err != nil:
			t.Fatal(err)
		case form == nil:
		case len(form) >= len(body):
			t.Fatalf("%d bytes became %d", len(body), len(form))
		case !bytes.Equal(unpacked(t, form, c), body):
			t.Fatal("the form does not unpack to its body")
		}
	})
}

func TestIncompressibleBodiesHaveNoForm(t *testing.T) {
	t.Parallel()
	for _, body := range [][]byte{nil, []byte("a"), []byte("\x00\x9f\x13\x77\xee")} {
		for _, c := range []pack.Coding{pack.Gzip, pack.Brotli} {
			if form, err := pack.Encode(body, c, pack.File); form != nil || err != nil {
				t.Errorf("%q in %s: %d bytes, %v", body, c, len(form), err)
			}
		}
	}
}

// A Packer keeps no state between bodies.
func TestPackerIsReusable(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		p := pack.New(pack.File)
		for range rapid.IntRange(2, 5).Draw(t, "bodies") {
			body := bytes.Repeat(rapid.SliceOfN(rapid.Byte(), 1, 50).Draw(t, "body"), rapid.SampledFrom([]int{1, 30, 3000, 60_000}).Draw(t, "times"))
			c := rapid.SampledFrom([]pack.Coding{pack.Gzip, pack.Brotli}).Draw(t, "coding")
			form, err := p.Encode(body, c)
			if err != nil || form != nil && !bytes.Equal(unpacked(t, form, c), body) {
				t.Fatalf("%d bytes in %s: %v", len(body), c, err)
			}
		}
	})
}
