package picture

import "math"

// toLamp is the direction of the main light: from the left, above and in front.
var toLamp = vec{-.62, .92, .5}.unit()

// sun is what the lamp sees: the nearest surface along each of its rays.
type sun struct {
	across, up vec
	depth      *field
	width      float64
}

const sunCells = 512

func newSun(parts model) *sun {
	s := &sun{across: toLamp.cross(vec{0, 1, 0}).unit()}
	s.up = s.across.cross(toLamp)
	low, high := parts.box()
	centre, size := low.add(high).mul(.5), high.sub(low).len()*1.04
	s.width = size
	s.depth = newField(sunCells, centre.dot(s.across)-size/2, centre.dot(s.up)-size/2, size)
	for i := range s.depth.cell {
		s.depth.cell[i] = float32(math.Inf(-1))
	}
	for _, part := range parts {
		if part.mat.clear {
			continue
		}
		for _, t := range part.tris {
			var x, y, d [3]float64
			for k, c := range t {
				p := part.verts[c].pos
				x[k], y[k], d[k] = p.dot(s.across), p.dot(s.up), p.dot(toLamp)
			}
			s.depth.each(x, y, func(cell *float32, a, b, c float64) {
				*cell = max(*cell, float32(a*d[0]+b*d[1]+c*d[2]))
			})
		}
	}
	return s
}

// taps are places in a disc that are looked at for a soft shadow, in sixteen
// turns; the first four of each lie around the rim.
var taps = func() (list [16][10][2]float64) {
	for turn := range list {
		for i := range list[turn] {
			s, c := math.Sincos(float64(i)*2.39996 + float64(turn)*math.Pi/8)
			r := math.Sqrt((float64(len(list[turn])-1-i) + .5) / float64(len(list[turn])))
			list[turn][i] = [2]float64{c * r, s * r}
		}
	}
	return list
}()

// lit is the share of the lamp that a place sees. spin turns the taps from
// pixel to pixel, so that their pattern becomes grain.
func (s *sun) lit(p, n vec, spin float64) float64 {
	p = p.add(n.mul(.006 * s.width))
	x, y, d := p.dot(s.across), p.dot(s.up), p.dot(toLamp)+.004*s.width
	turned := &taps[int(spin*16)&15]
	reach := .012 * s.width
	free := 0
	for k, t := range turned {
		if k == 4 && free%4 == 0 {
			return float64(free / 4) // far from the edge of a shadow
		}
		i := int((x + reach*t[0] - s.depth.x0) / s.depth.dx)
		j := int((y + reach*t[1] - s.depth.y0) / s.depth.dx)
		if i < 0 || j < 0 || i >= sunCells || j >= sunCells || float64(s.depth.cell[j*sunCells+i]) <= d {
			free++
		}
	}
	return float64(free) / float64(len(turned))
}

// newFloor is the shade on the table, 0 to 1: sharp near what stands on it,
// softer from what is high above, and a dark seam where things touch it.
func newFloor(parts model) *field {
	low, high := parts.box()
	size := high.sub(low).len()
	reach := high.y * 1.3
	x0, z0 := low.x-.4*size, low.z-.4*size-reach
	width := max(high.x-low.x+.8*size+reach, high.z-low.z+.8*size+2*reach)
	var layers [4]*field // near, middle, far, seam
	for i := range layers {
		layers[i] = newField(220, x0, z0, width)
	}
	for _, part := range parts {
		dark := float32(1)
		if part.mat.clear {
			dark = .3
		}
		for _, t := range part.tris {
			flatten(layers, &part, t, size, dark)
		}
	}
	for i, softness := range [4]float64{.03, .09, .2, .1} {
		layers[i].blur(softness * size)
	}
	for i := range layers[0].cell {
		free := (1 - layers[0].cell[i]) * (1 - .92*layers[1].cell[i]) * (1 - .8*layers[2].cell[i])
		layers[0].cell[i] = 1 - (.46+.54*free)*(1-.42*layers[3].cell[i])
	}
	return layers[0]
}

// flatten throws one triangle's shadow onto the layer of its height.
func flatten(layers [4]*field, part *mesh, t [3]int32, size float64, dark float32) {
	var x, z, under, behind [3]float64
	top := 0.0
	for k, c := range t {
		p := part.verts[c].pos
		top = max(top, p.y)
		x[k], z[k] = p.x-toLamp.x/toLamp.y*p.y, p.z-toLamp.z/toLamp.y*p.y
		under[k], behind[k] = p.x, p.z
	}
	darken := func(cell *float32, _, _, _ float64) { *cell = max(*cell, dark) }
	layer := layers[2]
	switch {
	case top < .1*size:
		layer = layers[0]
	case top < .35*size:
		layer = layers[1]
	}
	layer.each(x, z, darken)
	if top < .22*size {
		layers[3].each(under, behind, darken)
	}
}
