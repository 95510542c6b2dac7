package render

import (
	"net/url"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestResized(t *testing.T) {
	cases := [][2]string{
		{"/files/a/b.webp", "/w/640/webp/a/b.webp"},
		{"/files/a b,c.webp", "/w/640/webp/a%20b%2Cc.webp"},
		{"/files/%D1%8F.jpg", "/w/640/webp/%D1%8F.jpg"},
		{"/files/я.jpg", "/w/640/webp/%D1%8F.jpg"},
		{"/files/logo.SVG", "/files/logo.SVG"},
		{"/files/spin.gif", "/files/spin.gif"},
		{"https://cdn.example/a.jpg", "https://cdn.example/a.jpg"},
		{"javascript:alert(1)", ""},
		{"", ""},
	}
	for _, c := range cases {
		if got := (Image{Path: c[0]}).Resized(640); got != c[1] {
			t.Errorf("%q is %q, not %q", c[0], got, c[1])
		}
	}
}

func TestSrcset(t *testing.T) {
	widths := func(i Image, max int) string {
		var out []string
		for candidate := range strings.SplitSeq(i.srcset(max), ", ") {
			_, width, _ := strings.Cut(candidate, " ")
			out = append(out, width)
		}
		return strings.Join(out, " ")
	}
	cases := []struct {
		width, max int
		expect     string
	}{
		{0, 1024, "128w 320w 640w 1024w"},
		{4000, 2560, "128w 320w 640w 1024w 1600w 2048w 2560w"},
		{1000, 2560, "128w 320w 640w 1024w"}, // the last step is the first that covers the original
		{640, 2560, "128w 320w 640w"},
		{50, 2560, "128w 320w"},
		{0, 128, "128w 320w"},
	}
	for _, c := range cases {
		if got := widths(Image{Path: "/files/a.jpg", Width: c.width}, c.max); got != c.expect {
			t.Errorf("%d wide, at most %d: %s, not %s", c.width, c.max, got, c.expect)
		}
	}
}

func TestPicturesHaveSizeAndAltText(t *testing.T) {
	got := string(img("hero", Image{Path: "/files/a.jpg", Alt: `"A" & <b>`, Width: 30, Height: 40}, false))
	for _, part := range []string{`alt="&#34;A&#34; &amp; &lt;b&gt;"`, `width="30" height="40"`, `loading="lazy"`, `class="v-hero__img"`, `sizes="`} {
		if !strings.Contains(got, part) {
			t.Errorf("no %s in %s", part, got)
		}
	}
	if svg := string(img("card", Image{Path: "/files/a.svg"}, true)); strings.Contains(svg, "srcset") || strings.Contains(svg, "lazy") {
		t.Error(svg)
	}
}

func TestEscapedPathsAreValidAddresses(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		escaped := escapePath("/" + rapid.String().Draw(t, "path"))
		if strings.ContainsAny(escaped, " ,\"'<>\\\x00\n") {
			t.Fatal(escaped)
		}
		if escapePath(escaped) != escaped {
			t.Fatalf("%q is escaped twice", escaped)
		}
		if _, err := url.Parse(strings.ReplaceAll(escaped, "%", "%25")); err != nil && !strings.HasPrefix(escaped, "//") {
			t.Fatal(err)
		}
	})
}

func TestCroppedWidePictureIsWiderThanItsPlace(t *testing.T) {
	for _, c := range []struct {
		place         string
		width, height int
		want          string
	}{
		{"card", 0, 0, slots["card"].sizes},
		{"card", 800, 1000, slots["card"].sizes},
		{"card", 500, 1000, slots["card"].sizes},
		{"card", 1600, 1000, "(min-width: 1024px) 580px, (min-width: 640px) 62vw, 92vw"},
		{"gallery", 1500, 1000, "(min-width: 1024px) 930px, (min-width: 768px) 75vw, 138vw"},
		{"cover", 1500, 1000, slots["cover"].sizes},
		{"note", 1500, 1000, slots["note"].sizes},
		{"note 3/4", 1500, 1000, "(min-width: 1024px) 780px, (min-width: 640px) 92vw, 184vw"},
	} {
		if got := (Image{Path: "/files/a.jpg", Width: c.width, Height: c.height}).sizes(c.place); got != c.want {
			t.Errorf("%s, %d x %d: %s, want %s", c.place, c.width, c.height, got, c.want)
		}
	}
	for place := range fitted {
		if slotOf(place).class == "" {
			t.Errorf("%s is not a place", place)
		}
	}
}

func TestPictureHasAPlaceholderColour(t *testing.T) {
	got := string(img("card", Image{Path: "/files/a.jpg", Colour: "#c0ffee"}, false))
	if !strings.Contains(got, `style="background-color:#c0ffee"`) {
		t.Error(got)
	}
	if got = string(img("card", Image{Path: "/files/a.jpg"}, false)); strings.Contains(got, "style") {
		t.Error(got)
	}
}

// On every kind of page the first picture is loaded eagerly and no other one, except the
// first row of a listing.
func TestFirstPictureOfAPageIsEager(t *testing.T) {
	note := ArticleCard{Title: "Glazes", Path: "/news/glazes", Cover: Image{Path: "/files/a.jpg", Width: 30, Height: 20}}
	signed := note
	signed.Author = Author{Name: "Ines", Photo: note.Cover}
	cards := ArticleGrid{Articles: []ArticleCard{note, note}}
	for name, c := range map[string]struct {
		page Page
		want []bool // eager
	}{
		"rubric":  {&Rubric{Articles: cards.Articles}, []bool{true, false}},
		"home":    {&Home{Articles: cards}, []bool{true, false}},
		"article": {&ArticlePage{Article: Article{ArticleCard: signed}}, []bool{false, true}},
		"below an html document": {&TextPage{Frame: Frame{Layout: Layout{Body: []Block{
			{Kind: BlockHTML, Fragment: literal(`<img src="a.jpg">`)}, {Kind: BlockArticleGrid, Articles: cards}}}}}, []bool{false, false}},
		"below a text": {&TextPage{Frame: Frame{Layout: Layout{Body: []Block{
			{Kind: BlockHTML, Fragment: literal(`<p>Hello`)}, {Kind: BlockArticleGrid, Articles: cards}}}}}, []bool{true, false}},
	} {
		body, err := Append(nil, c.page)
		if err != nil {
			t.Fatal(err)
		}
		var got []bool
		for _, part := range strings.Split(string(body), `<img class="v-`)[1:] {
			tag, _, _ := strings.Cut(part, ">")
			first := strings.Contains(tag, `fetchpriority="high"`)
			if first == strings.Contains(tag, `loading="lazy"`) {
				t.Errorf("%s: neither eager nor lazy, or both: %s", name, tag)
			}
			got = append(got, first)
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
}

func TestPicturesFindsAllPictures(t *testing.T) {
	i := func(name string) Image { return Image{Path: "/files/" + name} }
	p := &Listing{
		Frame: Frame{Layout: Layout{Body: []Block{
			{Kind: BlockGroup, Group: []Block{{Kind: BlockArticleGrid, Articles: ArticleGrid{Articles: []ArticleCard{{Cover: i("grid")}}}}}}}}},
		Category: Category{Image: i("section")}, Sections: []CategoryCard{{Image: i("tile")}}, Products: []ProductCard{{Image: i("card")}, {}},
	}
	for _, found := range Pictures(p) {
		found.Colour = "#" + found.Path[len("/files/"):]
	}
	for _, got := range []Image{p.Category.Image, p.Sections[0].Image, p.Products[0].Image, p.Layout.Body[0].Group[0].Articles.Articles[0].Cover} {
		if got.Colour != "#"+got.Path[len("/files/"):] {
			t.Errorf("%s was not found", got.Path)
		}
	}
	if p.Products[1].Image.Colour != "" || Pictures(nil) != nil {
		t.Error("a value that is not a picture was found")
	}
}
