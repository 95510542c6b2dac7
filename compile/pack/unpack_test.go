package pack_test

import (
	"bytes"
	"errors"
	"io"
	"testing"

	"pgregory.net/rapid"

	"vitrine/compile/pack"
)

func TestFormUnpacksToItsBodyAndDamageIsDetected(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		body := bytes.Repeat(rapid.SliceOf(rapid.Byte()).Draw(t, "body"), rapid.IntRange(1, 4000).Draw(t, "times"))
		form, err := pack.New(pack.Page).Form(body, pack.Gzip)
		if err != nil {
			t.Fatal(err)
		}
		var out bytes.Buffer
		if err := pack.Copy(&out, form, int64(len(body))); err != nil || !bytes.Equal(out.Bytes(), body) {
			t.Fatalf("%d of %d bytes, %v", out.Len(), len(body), err)
		}
		damaged := bytes.Clone(form)
		switch rapid.IntRange(0, 2).Draw(t, "damage") {
		case 0:
			damaged = damaged[:rapid.IntRange(0, len(form)-1).Draw(t, "kept")]
		case 1:
			damaged[len(form)-1-rapid.IntRange(0, 7).Draw(t, "of the checksum and size")] ^= 1
		case 2:
			damaged = append(damaged, "more"...)
		}
		if err := pack.Copy(io.Discard, damaged, int64(len(body))); !errors.Is(err, pack.ErrDamaged) {
			t.Fatalf("a damaged form: %v", err)
		}
	})
}

func TestBodyOfEachCodingComesBackAndDamageIsDetected(t *testing.T) {
	t.Parallel()
	body := bytes.Repeat([]byte("One of many lines.\n"), 5000)
	for _, c := range []pack.Coding{pack.Gzip, pack.Brotli} {
		form, err := pack.Encode(body, c, pack.Page)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := pack.Body(form, c, len(body)); err != nil || !bytes.Equal(got, body) {
			t.Errorf("%s: %d bytes of %d, %v", c, len(got), len(body), err)
		}
		for what, bad := range map[string]func() ([]byte, error){
			"a shorter body": func() ([]byte, error) { return pack.Body(form, c, len(body)-1) },
			"a longer body":  func() ([]byte, error) { return pack.Body(form, c, len(body)+1) },
			"a cut form":     func() ([]byte, error) { return pack.Body(form[:len(form)/2], c, len(body)) },
		} {
			if got, err := bad(); err == nil || len(got) > len(body)+1 {
				t.Errorf("%s: %s: %d bytes, %v", c, what, len(got), err)
			}
		}
	}
}

// Unpacking a form that expands to a thousand times its size stops where the body should end.
func TestUnpackingStopsAtTheExpectedSize(t *testing.T) {
	t.Parallel()
	form, err := pack.New(pack.Page).Form(make([]byte, 10<<20), pack.Gzip)
	if err != nil {
		t.Fatal(err)
	}
	for _, size := range []int64{0, 1, 1000, 10<<20 - 1, 10<<20 + 1} {
		var out bytes.Buffer
		if err := pack.Copy(&out, form, size); !errors.Is(err, pack.ErrDamaged) || int64(out.Len()) > size+1 {
			t.Errorf("%d bytes of a body that should have %d: %v", out.Len(), size, err)
		}
	}
}
