package compose

import (
	"reflect"
	"strings"
	"testing"

	"vitrine/internal/store/catalog"
)

// variants parses variants from lines such as "Colour=Sea Size=M #4a7aa8 pic.jpg".
func variants(lines ...string) (list []catalog.Variant) {
	for _, line := range lines {
		v := catalog.Variant{Options: map[string]string{}}
		for _, word := range strings.Fields(line) {
			name, value, option := strings.Cut(word, "=")
			switch {
			case option:
				v.Options[name] = value
			case word[0] == '#':
				v.Swatch = word
			default:
				v.ImagePath = word
			}
		}
		list = append(list, v)
	}
	return list
}

// drawn formats pickers as "Colour: Sea#4a7aa8 Sand | Size: S M".
func drawn(list []catalog.Variant) string {
	pickers, _ := options(list)
	var out []string
	for _, p := range pickers {
		text := p.Name + ":"
		for _, v := range p.Values {
			text += " " + v.Name + v.Swatch + v.Image.Path
		}
		out = append(out, text)
	}
	return strings.Join(out, " | ")
}

func TestVariantsArePickedByTheirOptions(t *testing.T) {
	for _, c := range []struct {
		name     string
		variants []catalog.Variant
		want     string
	}{
		{"the option that changes last comes first", variants("Size=S Colour=Sea", "Size=M Colour=Sea", "Size=S Colour=Sand"), "Colour: Sea Sand | Size: S M"},
		{"the reverse order", variants("Size=S Colour=Sea", "Size=S Colour=Sand", "Size=M Colour=Sea"), "Size: S M | Colour: Sea Sand"},
		{"ties by name", variants("B=1 A=1", "B=2 A=2"), "A: 1 2 | B: 1 2"},
		{"one picker", variants("Weight=50", "Weight=100"), "Weight: 50 100"},
		{"an option that is the same for all", variants("Size=S Cloth=Linen", "Size=M Cloth=Linen"), "Size: S M"},
		{"an option that one variant lacks", variants("Size=S Cut=Wide", "Size=M"), "Size: S M"},
		{"an empty value", variants("Size=S Cut=Wide", "Size=M Cut="), "Size: S M"},
		{"two equal variants", variants("Size=S", "Size=M", "Size=S"), ""},
		{"without options", variants("a.jpg", "b.jpg"), ""},
		{"one variant", variants("Size=S"), ""},
		{"no variants", nil, ""},
		{"swatches", variants("Size=S Colour=Sea #00f", "Size=M Colour=Sea #00f", "Size=S Colour=Sand #aa0"), "Colour: Sea#00f Sand#aa0 | Size: S M"},
		{"swatches of the second option", variants("Size=S Colour=Sea #00f", "Size=S Colour=Sand #aa0", "Size=M Colour=Sea #00f"), "Size: S M | Colour: Sea#00f Sand#aa0"},
		{"one variant without a swatch", variants("Colour=Sea #00f", "Colour=Sand"), "Colour: Sea Sand"},
		{"pictures instead of swatches", variants("Colour=Sea a.jpg", "Colour=Sand b.jpg"), "Colour: Sea/files/a.jpg Sand/files/b.jpg"},
	} {
		if got := drawn(c.variants); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
	_, at := options(variants("Size=S Colour=Sea", "Size=M Colour=Sea", "Size=S Colour=Sand"))
	if want := [][]int{{0, 0}, {0, 1}, {1, 0}}; !reflect.DeepEqual(at, want) {
		t.Errorf("places %v, want %v", at, want)
	}
}
