package picture

import "image"

// frame is a picture in the making: what the samples see, first of the solid
// things, then of the glass in front of them.
type frame struct {
	w, h         int
	studio       *studio
	parts        model
	tris         []triangle
	solid, glass *view // glass is nil where there is none
	back         *behind
	place        vertex // of the sample at hand
}

func newFrame(p *Painter, w, h int, s *studio, parts model) *frame {
	p.solid = p.solid.cleared(w, h)
	f := &frame{w: w, h: h, studio: s, parts: parts, tris: cast(parts, &s.cam), solid: p.solid}
	see := func(clear bool, into, hidden *view) {
		for i := range f.tris {
			if parts[f.tris[i].part].mat.clear == clear {
				into.draw(int32(i), &f.tris[i], hidden)
			}
		}
	}
	see(false, f.solid, nil)
	for _, part := range parts {
		if part.mat.clear && f.glass == nil {
			p.glass = p.glass.cleared(w, h)
			f.glass = p.glass
			see(true, f.glass, f.solid)
		}
	}
	f.back = newBehind(f)
	return f
}

func (f *frame) paint() *image.RGBA {
	img := image.NewRGBA(image.Rect(0, 0, f.w, f.h))
	for y := range f.h {
		row := img.Pix[y*img.Stride:]
		for x := range f.w {
			c := f.pixel(x, y)
			grain := float32(hash(x, y, 5)-.5)*1.2 + .5 // keeps the soft gradients from banding
			row[4*x], row[4*x+1], row[4*x+2], row[4*x+3] = whole(c.r+grain), whole(c.g+grain), whole(c.b+grain), 255
		}
	}
	return img
}

func whole(c float32) uint8 { return uint8(min(max(c, 0), 255)) }

// pixel is the mean of the four samples, after the curve of the screen: a mean
// of light would make bright edges ragged. What several samples see is shaded
// once.
func (f *frame) pixel(x, y int) (out rgb) {
	at := y*f.w + x
	seen, over := f.solid.seen[at], [4]int32{nothing, nothing, nothing, nothing}
	if f.glass != nil {
		over = f.glass.seen[at]
	}
	if seen[0] == seen[1] && seen[0] == seen[2] && seen[0] == seen[3] && over[0] == over[1] && over[0] == over[2] && over[0] == over[3] {
		return f.sample(x, y, seen[0], over[0])
	}
	var known [4]rgb
	for i := range seen {
		known[i] = rgb{-1, 0, 0}
		for k := range i {
			if seen[k] == seen[i] && over[k] == over[i] {
				known[i] = known[k]
			}
		}
		if known[i].r < 0 {
			known[i] = f.sample(x, y, seen[i], over[i])
		}
		out = rgb{out.r + known[i].r/4, out.g + known[i].g/4, out.b + known[i].b/4}
	}
	return out
}

func (f *frame) sample(x, y int, seen, over int32) rgb {
	var light vec
	if seen == nothing {
		back := f.back.pixel(x, y)
		if over == nothing {
			return back
		}
		light = vec{linear(uint64(back.r)), linear(uint64(back.g)), linear(uint64(back.b))}
	} else {
		t := &f.tris[seen]
		part := &f.parts[t.part]
		t.surface(part, x, y, &f.place)
		light = f.studio.shade(&f.place, part.mat, hash(x, y, 11))
	}
	if over != nothing {
		t := &f.tris[over]
		part := &f.parts[t.part]
		t.surface(part, x, y, &f.place)
		light = f.studio.glass(light, &f.place, part.mat)
	}
	return shown(light)
}
