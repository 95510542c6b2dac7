package picture

import (
	"bytes"
	"image"
	"maps"
	"slices"
	"testing"
)

// one is a still of one model on the lightest set.
func one(name string) Still {
	return Still{Items: []Item{{Model: name}}, Set: "cream", Pitch: 20, Width: 64, Height: 64, Fill: .6}
}

// thing is the smallest rectangle around all pixels that see a part, glass too.
func thing(f *frame) (r image.Rectangle) {
	for y := range f.h {
		for x := range f.w {
			at := y*f.w + x
			seen := f.solid.seen[at]
			if f.glass != nil && f.glass.seen[at][0] != nothing {
				seen = f.glass.seen[at]
			}
			if seen != [4]int32{nothing, nothing, nothing, nothing} {
				r = r.Union(image.Rect(x, y, x+1, y+1))
			}
		}
	}
	return r
}

func TestEveryModelStandsInTheMiddleOfItsPicture(t *testing.T) {
	t.Parallel()
	var p Painter
	for _, name := range slices.Sorted(maps.Keys(models)) {
		s := one(name)
		parts := s.placed()
		cam := fitted(parts, s.Pitch, s.Width, s.Height, s.Fill, s.Fill, 0)
		f := newFrame(&p, s.Width, s.Height, newStudio(backdrops[s.Set], cam, parts), parts)
		r := thing(f)
		if side := max(r.Dx(), r.Dy()); side < 36 || side > 42 {
			t.Errorf("%s is %d pixels large, expected 60%% of 64", name, side)
		}
		if x, y := r.Min.X+r.Max.X, r.Min.Y+r.Max.Y; x < 58 || x > 70 || y < 58 || y > 70 {
			t.Errorf("%s stands at %v", name, r)
		}
	}
}

func TestModelsStandOnTheTable(t *testing.T) {
	t.Parallel()
	for _, name := range slices.Sorted(maps.Keys(models)) {
		low, high := one(name).placed().box()
		if low.y < -.12 || low.y > .12 || high.y-low.y < .05 {
			t.Errorf("%s reaches from %.2f to %.2f", name, low.y, high.y)
		}
	}
}

func TestTheSameStillIsTheSamePicture(t *testing.T) {
	t.Parallel()
	var used, fresh Painter
	still := Still{Items: []Item{{Model: "carafe"}, {Model: "cup", Finish: "dipped", X: 1.2}}, Set: "kitchen", Pitch: 16, Width: 90, Height: 60}
	for _, other := range []Still{one("teapot"), one("glass"), one("candle")} { // buffers of other sizes and with glass
		if _, err := used.JPEG(other); err != nil {
			t.Fatal(err)
		}
	}
	first, err := used.JPEG(still)
	if err != nil {
		t.Fatal(err)
	}
	second, err := fresh.JPEG(still)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(first, second) {
		t.Error("a painter that has drawn before draws another picture")
	}
}

func TestNamesThatNothingGoesByAreErrors(t *testing.T) {
	t.Parallel()
	for fault, spoil := range map[string]func(*Still){
		"model":  func(s *Still) { s.Items[0].Model = "samovar" },
		"colour": func(s *Still) { s.Items[0].Colour = "octarine" },
		"accent": func(s *Still) { s.Items[0].Accent = "#fff" },
		"finish": func(s *Still) { s.Items[0].Finish = "gilded" },
		"set":    func(s *Still) { s.Set = "moon" },
		"items":  func(s *Still) { s.Items = nil },
		"size":   func(s *Still) { s.Width = 0 },
	} {
		s := one("cup")
		spoil(&s)
		if _, err := new(Painter).Draw(s); err == nil {
			t.Errorf("a wrong %s was drawn", fault)
		}
	}
}

func TestThingsThrowShadowsToTheRight(t *testing.T) {
	t.Parallel()
	parts := one("candle").placed()
	shade := newFloor(parts)
	if right, left := shade.at(.7, -.3), shade.at(-.9, .3); right < .1 || left > right/3 {
		t.Errorf("shade at the right is %.2f, at the left %.2f", right, left)
	}
	s := newSun(parts)
	up := vec{0, 1, 0}
	if lit := s.lit(vec{.5, .02, -.25}, up, 0); lit > .2 {
		t.Errorf("behind the candle %.2f of the lamp is seen", lit)
	}
	if lit := s.lit(vec{-.6, .02, .3}, up, 0); lit < 1 {
		t.Errorf("before the candle %.2f of the lamp is seen", lit)
	}
}

func TestOutlinesGoThroughTheirKnots(t *testing.T) {
	t.Parallel()
	rings := smoothed(outline("0 0, .5 0!, .7 .4, .6 1!, 0 1"))
	if len(rings) != 4*(latheSteps+1) {
		t.Fatalf("%d rings", len(rings))
	}
	for i, want := range []knot{{r: 0, y: 0}, {r: .5, y: 0}, {r: .7, y: .4}, {r: .6, y: 1}} {
		if g := rings[i*(latheSteps+1)]; g.r != want.r || g.y != want.y {
			t.Errorf("knot %d is at %v %v, expected %v %v", i, g.r, g.y, want.r, want.y)
		}
	}
}

func TestNoiseStaysBetweenItsBounds(t *testing.T) {
	t.Parallel()
	for i := range 2000 {
		p := vec{float64(i%37)*.31 - 5, float64(i%53)*.17 - 4, float64(i%29)*.23 - 3}
		if n := noise(p); n < 0 || n > 1 {
			t.Fatalf("noise at %v is %v", p, n)
		}
		if s := specks(p, .3); s < 0 || s > 1 {
			t.Fatalf("specks at %v are %v", p, s)
		}
	}
}

func BenchmarkPicture(b *testing.B) {
	var p Painter
	still := Still{Items: []Item{{Model: "teapot", Finish: "speckled"}}, Set: "sand", Pitch: 16, Width: 880, Height: 880}
	for b.Loop() {
		if _, err := p.JPEG(still); err != nil {
			b.Fatal(err)
		}
	}
}
