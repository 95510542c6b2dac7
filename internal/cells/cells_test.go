package cells_test

import (
	"encoding/csv"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"vitrine/internal/cells"
	"vitrine/internal/race"
)

func read(text string) (said []string) {
	r := cells.New(text)
	for {
		cells, line, ok, err := r.Next()
		switch {
		case !ok:
			return said
		case err != nil:
			said = append(said, fmt.Sprintf("%d: %v", line, err))
		default:
			said = append(said, fmt.Sprintf("%d: %s", line, strings.Join(cells, "|")))
		}
	}
}

func TestVariantsOfCSV(t *testing.T) {
	for text, want := range map[string][]string{
		"a,b\nc,d\n":                        {"1: a|b", "2: c|d"},
		"a;b\r\n\r\nc;d":                    {"1: a|b", "3: c|d"},
		"a\tb\rc\td\r":                      {"1: a|b", "2: c|d"},
		"sep=;\na,x;b\nc;d":                 {"2: a,x|b", "3: c|d"},
		"SEP=|\r\na,x|b":                    {"2: a,x|b"},
		"\ufeff\ufeff\u200bname,b":          {"1: name|b"},
		"\ufeffsep=;\nname;b":               {"2: name|b"},
		"a,\"x\r\ny\",c\nd":                 {"1: a|x\r\ny|c", "3: d"},
		`a,"say ""hi""",""` + "\n":          {`1: a|say "hi"|`},
		`a"b,c`:                             {`1: a"b|c`},
		"a,\"b\"x,c\nd,e":                   {"1: " + cells.ErrStrayText.Error(), "2: d|e"},
		"a,\"b\nc,d\n":                      {"1: " + cells.ErrOpenQuote.Error()},
		strings.Repeat(",", 20_000) + "\nx": {"1: " + cells.ErrTooManyCells.Error(), "2: x"},
		strings.Repeat("a", 2<<20) + "\nx":  {"1: " + cells.ErrTooLong.Error(), "2: x"},
		`"` + strings.Repeat("a", 2<<20) + "\"\"\nx\"\ny": {
			"1: " + cells.ErrTooLong.Error(), "3: y"},
		`"` + strings.Repeat("a", 2<<20) + "\"\"\nx": {"1: " + cells.ErrOpenQuote.Error()},
		"":     nil,
		"\n\n": nil,
	} {
		if got := read(text); !slices.Equal(got, want) {
			t.Errorf("%.40q: %.200q, want %.200q", text, got, want)
		}
	}
	quoted := `"` + strings.Repeat(`a""`, 1<<20) + `",b` + "\nx"
	if got := read(quoted); got[0] != "1: "+cells.ErrTooLong.Error() || got[len(got)-1] != "2: x" {
		t.Errorf("%.200q", got)
	}
}

// Records written by encoding/csv with any separator and line end are read back unchanged.
func TestRecordsRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		cell := rapid.OneOf(rapid.String(), rapid.StringMatching(`[ ,;"\r\n\t'=a]*`))
		records := rapid.SliceOfN(rapid.SliceOfN(cell, 2, 5), 1, 5).Draw(t, "records")
		var text strings.Builder
		w := csv.NewWriter(&text)
		w.Comma = rapid.SampledFrom([]rune{',', ';', '\t'}).Draw(t, "separator")
		end := rapid.SampledFrom([]string{"\n", "\r\n", "\r"}).Draw(t, "end")
		header := []string{"sku", "name"}
		var lines []string
		for _, record := range append([][]string{header}, records...) {
			text.Reset()
			if err := w.Write(record); err != nil {
				t.Fatal(err)
			}
			w.Flush()
			lines = append(lines, strings.TrimSuffix(text.String(), "\n"))
		}
		r := cells.New(strings.Join(lines, end))
		for _, want := range append([][]string{header}, records...) {
			got, _, ok, err := r.Next()
			if !ok || err != nil || !slices.Equal(got, want) {
				t.Fatalf("%q is %q, %v", want, got, err)
			}
		}
		if _, _, ok, _ := r.Next(); ok {
			t.Fatal("a record too many")
		}
	})
}

func TestSeparatorOfTheHeader(t *testing.T) {
	for header, want := range map[string]byte{
		"a,b": ',', "a;b": ';', "a\tb": '\t', "a;b,c": ',', `"a,b";c`: ';', "a": ',', "": ',', "a;b\n,,,": ';', "a\r;;": ',', `"x";"y"`: ';',
	} {
		if got := cells.Separator(header); got != want {
			t.Errorf("%q: %q, want %q", header, got, want)
		}
	}
}

// Reading any text needs no more memory than the limit of a record.
func TestHostileTextsNeedLittleMemory(t *testing.T) {
	const size = 8 << 20
	worst, of := uint64(0), ""
	for name, text := range map[string]string{
		"commas":         strings.Repeat(",", size),
		"semicolons":     "a;b\n" + strings.Repeat(";", size),
		"quotes":         `"` + strings.Repeat(`""`, size/2),
		"closed quotes":  `"` + strings.Repeat(`""`, size/2) + `"`,
		"empty cells":    strings.Repeat(`"",`, size/3),
		"many lines":     strings.Repeat("a,b\n", size/4),
		"one long cell":  strings.Repeat("a", size),
		"open":           `a,"` + strings.Repeat("b\n", size/2),
		"carriage ends":  strings.Repeat("\r", size),
		"quoted records": strings.Repeat("\"a\nb\",\"c\"\"d\"\n", size/14),
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		r, lines := cells.New(text), 0
		for {
			_, _, ok, err := r.Next()
			if !ok {
				break
			}
			if lines++; err != nil && errors.Is(err, cells.ErrOpenQuote) {
				continue
			}
		}
		runtime.ReadMemStats(&after)
		if took := after.TotalAlloc - before.TotalAlloc; took > worst {
			worst, of = took, name
		}
	}
	t.Logf("the worst is %s: %d KB in all for a text of %d KB", of, worst>>10, size>>10)
	if worst > race.MemoryFactor*8*cells.MaxRecord {
		t.Errorf("%s: %d bytes", of, worst)
	}
}

func FuzzNext(f *testing.F) {
	f.Add("a,b\n\"c\nd\",e")
	f.Fuzz(func(t *testing.T, text string) {
		r, last := cells.New(text), 0
		for range len(text) + 2 {
			got, line, ok, _ := r.Next()
			if line < last || len(got) > cells.MaxCells {
				t.Fatalf("line %d after %d, %d cells", line, last, len(got))
			}
			last = line
			if !ok {
				return
			}
		}
		t.Fatal("no end")
	})
}
