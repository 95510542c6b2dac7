package picture

import "math"

// labelled is a tin or pouch with a paper label on its front: a frame, a leaf
// and two lines of what reads as text. The front is where x is small and z is
// large; the label lies between two heights.
func labelled(under *material, paper, print string, low, high, half float64) *material {
	sheet, dye := colour(paper), colour(print)
	return &material{base: under.base, gloss: under.gloss, metal: under.metal, paint: func(_ *material, v *vertex) vec {
		c := under.colourAt(v)
		angle := math.Atan2(v.tex.x, v.tex.z) / half // -1 to 1 across the label
		rise := (v.tex.y-low)/(high-low)*2 - 1
		inside := smooth(1, .985, math.Abs(angle)) * smooth(1, .985, math.Abs(rise))
		if inside == 0 {
			return c
		}
		return c.mix(sheet.mix(dye, printed(angle, rise)), inside)
	}}
}

// printed is how much ink there is at a place of the label, both -1 to 1.
func printed(a, b float64) float64 {
	frame := smooth(.02, .008, math.Abs(math.Max(math.Abs(a)*.97, math.Abs(b))-.88))
	ink := math.Max(frame, leafMark(a, b-.22))
	line := func(at, width, thick float64) float64 {
		return smooth(width, width-.02, math.Abs(a)) * smooth(thick, thick-.012, math.Abs(b-at))
	}
	ink = math.Max(ink, line(-.38, .56, .05))
	ink = math.Max(ink, line(-.56, .38, .022))
	return math.Max(ink, line(-.66, .3, .018))
}

// leafMark is the shop's emblem: two leaves on a stem.
func leafMark(a, b float64) float64 {
	leaf := func(cx, cy, lean float64) float64 {
		s, c := math.Sincos(lean)
		x, y := (a-cx)*c-(b-cy)*s, (a-cx)*s+(b-cy)*c
		body := smooth(0, .02, .16*(1-(y/.34)*(y/.34))-math.Abs(x))
		if math.Abs(y) > .34 {
			body = 0
		}
		vein := smooth(.02, .008, math.Abs(x)) * smooth(.3, .26, math.Abs(y))
		return body * (1 - .8*vein)
	}
	stem := smooth(.022, .01, math.Abs(a)) * smooth(.3, .28, math.Abs(b+.1))
	return math.Max(stem, math.Max(leaf(-.2, .16, .62), leaf(.2, .16, -.62)))
}
