package picture

import "math"

// slab is a box with rounded edges, standing on y = 0.
func slab(w, h, d, round float64, mat *material) mesh {
	s := mesh{mat: mat, closed: true}
	round = min(round, w/2, h/2, d/2)
	core := vec{w/2 - round, h/2 - round, d/2 - round}
	const n = 10
	faces := [6][2]vec{ // two directions that span a face; the third is their cross product
		{{1, 0, 0}, {0, 1, 0}}, {{0, 1, 0}, {1, 0, 0}}, {{0, 1, 0}, {0, 0, 1}},
		{{0, 0, 1}, {0, 1, 0}}, {{0, 0, 1}, {1, 0, 0}}, {{1, 0, 0}, {0, 0, 1}},
	}
	half := vec{w / 2, h / 2, d / 2}
	for _, f := range faces {
		side := mesh{}
		out := f[0].cross(f[1])
		for j := range n + 1 {
			for i := range n + 1 {
				a, b := spread(float64(i)/n), spread(float64(j)/n)
				p := out.add(f[0].mul(a)).add(f[1].mul(b)).times(half)
				inner := vec{clamp(p.x, -core.x, core.x), clamp(p.y, -core.y, core.y), clamp(p.z, -core.z, core.z)}
				normal := p.sub(inner).unit()
				if round < 1e-6 {
					normal = out
				}
				at := inner.add(normal.mul(round)).add(vec{0, h / 2, 0})
				side.verts = append(side.verts, vertex{pos: at, tex: at, nrm: normal, u: float64(i) / n, v: float64(j) / n, ao: 1})
			}
		}
		side.stitch(n+1, n+1)
		s.join(side)
	}
	return s
}

// spread puts more cells near the edges of a face, where it bends.
func spread(t float64) float64 { return math.Sin((t - .5) * math.Pi) }

func (s *mesh) join(other mesh) {
	base := int32(len(s.verts))
	s.verts = append(s.verts, other.verts...)
	for _, t := range other.tris {
		s.tris = append(s.tris, [3]int32{t[0] + base, t[1] + base, t[2] + base})
	}
}

// pillow is a stuffed square of cloth, lying, with its corners drawn out.
func pillow(w, d, thick float64, mat *material) mesh {
	half := func(sign float64) mesh {
		return grid(40, 40, mat, func(u, v float64) vec {
			a, b := 2*u-1, 2*v-1
			puff := math.Pow(max((1-a*a)*(1-b*b), 0), .38)
			wrinkle := .012 * math.Sin(9*a+4*b) * math.Sin(7*b-3*a) * puff
			x := a * w / 2 * (1 - .09*(1-b*b))
			z := b * d / 2 * (1 - .09*(1-a*a))
			return vec{sign * x, thick/2 + sign*(thick/2*puff+wrinkle), -z}
		})
	}
	s := half(1)
	s.join(half(-1))
	for i := range s.verts {
		// The function may run either way round; a pillow looks outward.
		v := &s.verts[i]
		if v.nrm.y*(v.pos.y-thick/2) < 0 {
			v.nrm = v.nrm.mul(-1)
		}
	}
	return s
}

// blade is a leaf along a curve, folded a little at its middle.
func blade(points []vec, width float64, side vec, mat *material) mesh {
	return grid(4, 14, mat, func(u, v float64) vec {
		p, along := on(points, v)
		s := side.sub(along.mul(side.dot(along))).unit()
		up := s.cross(along)
		a := 2*u - 1
		w := width * math.Pow(math.Sin(math.Pi*clamp(.04+.96*v, 0, 1)), .8) * (1 - .35*v)
		return p.add(s.mul(a * w)).add(up.mul(.25 * w * a * a))
	})
}
