package picture

import "math"

// vertex is a corner of a triangle.
type vertex struct {
	pos, nrm vec
	tex      vec     // the place on the model itself, which patterns are drawn by
	u, v     float64 // around and along the surface, 0 to 1
	ao       float64 // how much of the sky the place sees: 1 outside, less in a hollow
}

// mesh is a surface of one material.
type mesh struct {
	verts  []vertex
	tris   [][3]int32
	mat    *material
	closed bool // nothing is seen of its back
}

// model is what a thing consists of, standing on y = 0 around the y axis.
type model []mesh

// grid makes the surface of a function over the unit square, n by m cells.
// Normals come from the surface itself.
func grid(n, m int, mat *material, at func(u, v float64) vec) mesh {
	s := mesh{mat: mat}
	const d = 1e-3
	for j := range m + 1 {
		for i := range n + 1 {
			u, v := float64(i)/float64(n), float64(j)/float64(m)
			p := at(u, v)
			du := at(min(u+d, 1), v).sub(at(max(u-d, 0), v))
			dv := at(u, min(v+d, 1)).sub(at(u, max(v-d, 0)))
			s.verts = append(s.verts, vertex{pos: p, tex: p, nrm: du.cross(dv).unit(), u: u, v: v, ao: 1})
		}
	}
	s.stitch(n+1, m+1)
	return s
}

// stitch connects rows of vertices, each row of the given width.
func (s *mesh) stitch(width, rows int) {
	for j := range rows - 1 {
		for i := range width - 1 {
			a := int32(j*width + i)
			b, c, d := a+1, a+int32(width), a+int32(width)+1
			s.tris = append(s.tris, [3]int32{a, b, d}, [3]int32{a, d, c})
		}
	}
}

// moved is the model somewhere else: turned, then put down.
func (m model) moved(turn float64, by vec) model {
	return m.mapped(func(p vec) vec { return p.turned(turn).add(by) }, func(n vec) vec { return n.turned(turn) })
}

// scaled is the model in another size; patterns keep their place on it.
func (m model) scaled(k float64) model {
	return m.mapped(func(p vec) vec { return p.mul(k) }, func(n vec) vec { return n })
}

// tipped leans the model to the left and lets it rest on the table again.
func (m model) tipped(degrees float64) model {
	out := m.mapped(func(p vec) vec { return p.tipped(degrees) }, func(n vec) vec { return n.tipped(degrees) })
	low, _ := out.box()
	return out.moved(0, vec{0, -low.y, 0})
}

func (m model) mapped(point, direction func(vec) vec) model {
	out := make(model, len(m))
	for i, part := range m {
		out[i] = mesh{tris: part.tris, mat: part.mat, closed: part.closed, verts: make([]vertex, len(part.verts))}
		for j, v := range part.verts {
			v.pos, v.nrm = point(v.pos), direction(v.nrm)
			out[i].verts[j] = v
		}
	}
	return out
}

// box is the smallest upright box around the model.
func (m model) box() (low, high vec) {
	low, high = vec{math.Inf(1), math.Inf(1), math.Inf(1)}, vec{math.Inf(-1), math.Inf(-1), math.Inf(-1)}
	for _, part := range m {
		for _, v := range part.verts {
			low = vec{min(low.x, v.pos.x), min(low.y, v.pos.y), min(low.z, v.pos.z)}
			high = vec{max(high.x, v.pos.x), max(high.y, v.pos.y), max(high.z, v.pos.z)}
		}
	}
	return low, high
}
