package cells_test

import (
	"errors"
	"io"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"pgregory.net/rapid"

	"vitrine/internal/cells"
	"vitrine/internal/race"
)

// A stream has the same records as the text that it consists of. The records are compared one by
// one, because some texts are longer than the window and consist of millions of them.
func TestAStreamHasTheRecordsOfItsText(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringMatching(`(sep=;\n)?a[,;]b\n[a,;"\r\n\t']*`).Draw(t, "text")
		piece := rapid.SampledFrom([]string{"x", "x", `""`, "\r\n", "x\r\n"}).Draw(t, "piece")
		filler := strings.Repeat(piece, rapid.SampledFrom([]int{0, 1, 1, 1, 1, 1, 1, 1, 1, 3 << 20, 7 << 20}).Draw(t, "filler")/len(piece))
		text += filler + rapid.StringMatching(`[a,"\n]*`).Draw(t, "end")
		whole, stream := cells.New(text), cells.NewStream(iotest.HalfReader(strings.NewReader(text)))
		for more := true; more; {
			want, wantLine, wantOK, wantErr := whole.Next()
			got, line, ok, err := stream.Next()
			if !slices.Equal(got, want) || line != wantLine || ok != wantOK || !errors.Is(err, wantErr) {
				t.Fatalf("%d: %.300q %v %v, want %d: %.300q %v %v", line, got, ok, err, wantLine, want, wantOK, wantErr)
			}
			more = ok
		}
	})
}

func TestAnErrorEndsAStream(t *testing.T) {
	broken := errors.New("the disk is gone")
	r := cells.NewStream(io.MultiReader(strings.NewReader("a,b\nc,d\n"), iotest.ErrReader(broken)))
	for range 2 {
		if _, _, ok, err := r.Next(); !ok || err != nil {
			t.Fatalf("%v, %v", ok, err)
		}
	}
	if _, _, ok, err := r.Next(); ok || !errors.Is(err, broken) {
		t.Errorf("%v, %v", ok, err)
	}
}

// repeated is a text of this length that repeats a piece, without holding it.
type repeated struct {
	piece    string
	at, size int
}

func (r *repeated) Read(p []byte) (int, error) {
	if r.at >= r.size {
		return 0, io.EOF
	}
	for i := range p {
		p[i] = r.piece[(r.at+i)%len(r.piece)]
	}
	r.at += len(p)
	return len(p), nil
}

// However long a stream is, only a window of it is held.
func TestALongStreamNeedsLittleMemory(t *testing.T) {
	for _, piece := range []string{"a,b\n", "\n", "a", `"`, "\"a\nb", `""`} {
		r := cells.NewStream(&repeated{piece: piece, size: 24 << 20})
		for ok := true; ok; {
			_, _, ok, _ = r.Next()
		}
		var m runtime.MemStats
		runtime.GC()
		if runtime.ReadMemStats(&m); m.HeapAlloc > race.MemoryFactor*40<<20 {
			t.Errorf("%q: %d MB are held", piece, m.HeapAlloc>>20)
		}
		runtime.KeepAlive(r)
	}
}
