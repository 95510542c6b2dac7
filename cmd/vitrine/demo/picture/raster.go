package picture

import "math"

// triangle is one in the picture: corners in pixels, inverse distance, and
// where it comes from.
type triangle struct {
	x, y, w [3]float64
	part    int32
	corner  [3]int32
}

// samples are the four places of a pixel that are looked at; none shares a row
// or a column with another, so slanted and straight edges both come out smooth.
var samples = [4][2]float64{{.375, .125}, {.875, .375}, {.125, .625}, {.625, .875}}

// nothing is the triangle of a sample that sees the backdrop.
const nothing = int32(-1)

// view is what every sample sees: the nearest triangle and its inverse distance.
type view struct {
	w, h  int
	seen  [][4]int32
	depth [][4]float32
}

// cleared is the view again, or a new one where it has another size, with
// nothing in it.
func (v *view) cleared(w, h int) *view {
	if v == nil || v.w != w || v.h != h {
		v = &view{w: w, h: h, seen: make([][4]int32, w*h), depth: make([][4]float32, w*h)}
	}
	for i := range v.seen {
		v.seen[i] = [4]int32{nothing, nothing, nothing, nothing}
	}
	clear(v.depth)
	return v
}

// cast are all triangles of the parts as the camera sees them.
func cast(parts model, cam *camera) (list []triangle) {
	count := 0
	for _, part := range parts {
		count += len(part.tris)
	}
	list = make([]triangle, 0, count)
	for i, part := range parts {
		type place struct {
			x, y, w float64
			away    bool
		}
		at := make([]place, len(part.verts))
		for j := range part.verts {
			v := &part.verts[j]
			at[j].x, at[j].y, at[j].w = cam.project(v.pos)
			at[j].away = part.closed && v.nrm.dot(cam.eye.sub(v.pos)) < 0
		}
		for _, t := range part.tris {
			if at[t[0]].away && at[t[1]].away && at[t[2]].away {
				continue
			}
			tri := triangle{part: int32(i), corner: t}
			for k, c := range t {
				tri.x[k], tri.y[k], tri.w[k] = at[c].x, at[c].y, at[c].w
			}
			list = append(list, tri)
		}
	}
	return list
}

// draw enters the triangle into the samples where it is nearest. behind, when
// it is not nil, hides what lies farther away than it.
func (v *view) draw(id int32, t *triangle, behind *view) {
	area := (t.x[1]-t.x[0])*(t.y[2]-t.y[0]) - (t.x[2]-t.x[0])*(t.y[1]-t.y[0])
	if math.Abs(area) < 1e-9 {
		return
	}
	x0 := max(int(min(t.x[0], t.x[1], t.x[2])), 0)
	x1 := min(int(max(t.x[0], t.x[1], t.x[2])), v.w-1)
	y0 := max(int(min(t.y[0], t.y[1], t.y[2])), 0)
	y1 := min(int(max(t.y[0], t.y[1], t.y[2])), v.h-1)
	// The weights are linear in the picture: a step to the right adds ax.
	ax, bx := (t.y[1]-t.y[2])/area, (t.y[2]-t.y[0])/area
	dw, ew := t.w[0]-t.w[2], t.w[1]-t.w[2]
	for y := y0; y <= y1; y++ {
		for s, offset := range samples {
			a, b, _ := t.weights(float64(x0)+offset[0], float64(y)+offset[1], area)
			for at := y*v.w + x0; at <= y*v.w+x1; at++ {
				if a >= 0 && b >= 0 && a+b <= 1 {
					depth := float32(t.w[2] + a*dw + b*ew)
					if depth > v.depth[at][s] && (behind == nil || depth > behind.depth[at][s]) {
						v.depth[at][s], v.seen[at][s] = depth, id
					}
				}
				a, b = a+ax, b+bx
			}
		}
	}
}

// weights say how near a place is to each corner; they sum up to 1.
func (t *triangle) weights(x, y, area float64) (a, b, c float64) {
	a = ((t.x[1]-x)*(t.y[2]-y) - (t.x[2]-x)*(t.y[1]-y)) / area
	b = ((t.x[2]-x)*(t.y[0]-y) - (t.x[0]-x)*(t.y[2]-y)) / area
	return a, b, 1 - a - b
}

// surface finds the place on the triangle that the middle of a pixel sees. At an
// edge that may lie outside, so it is drawn back onto the triangle.
func (t *triangle) surface(part *mesh, x, y int, at *vertex) {
	area := (t.x[1]-t.x[0])*(t.y[2]-t.y[0]) - (t.x[2]-t.x[0])*(t.y[1]-t.y[0])
	a, b, c := t.weights(float64(x)+.5, float64(y)+.5, area)
	a, b, c = max(a, 0)*t.w[0], max(b, 0)*t.w[1], max(c, 0)*t.w[2]
	sum := a + b + c
	a, b, c = a/sum, b/sum, c/sum
	p, q, r := &part.verts[t.corner[0]], &part.verts[t.corner[1]], &part.verts[t.corner[2]]
	blend := func(i, j, k vec) vec {
		return vec{a*i.x + b*j.x + c*k.x, a*i.y + b*j.y + c*k.y, a*i.z + b*j.z + c*k.z}
	}
	at.pos, at.nrm, at.tex = blend(p.pos, q.pos, r.pos), blend(p.nrm, q.nrm, r.nrm).unit(), blend(p.tex, q.tex, r.tex)
	at.u, at.v, at.ao = a*p.u+b*q.u+c*r.u, a*p.v+b*q.v+c*r.v, a*p.ao+b*q.ao+c*r.ao
}
