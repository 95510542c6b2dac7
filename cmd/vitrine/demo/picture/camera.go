package picture

import "math"

// camera looks at the table from a distance, with a long lens, and shifts its
// picture so that the things stand in the middle.
type camera struct {
	eye, right, up, ahead vec
	focal, cx, cy         float64 // pixels
}

// fitted is the camera that sees the parts within the given shares of a w by h
// picture, sunk below its middle by a share of the height.
func fitted(parts model, pitch float64, w, h int, wide, high, sink float64) camera {
	low, top := parts.box()
	centre, size := low.add(top).mul(.5), top.sub(low).len()
	s, c := math.Sincos(pitch * math.Pi / 180)
	back := vec{0, s, c}
	cam := camera{eye: centre.add(back.mul(4.2 * size)), ahead: back.mul(-1), focal: 1}
	cam.right = cam.ahead.cross(vec{0, 1, 0}).unit()
	cam.up = cam.right.cross(cam.ahead)
	left, right, bottom, up := math.Inf(1), math.Inf(-1), math.Inf(1), math.Inf(-1)
	for _, part := range parts {
		for i := range part.verts {
			x, y, _ := cam.project(part.verts[i].pos)
			left, right, bottom, up = min(left, x), max(right, x), min(bottom, y), max(up, y)
		}
	}
	cam.focal = min(wide*float64(w)/(right-left), high*float64(h)/(up-bottom))
	cam.cx = float64(w)/2 - cam.focal*(left+right)/2
	cam.cy = float64(h)*(.5+sink) - cam.focal*(bottom+up)/2
	return cam
}

// project is where a point lands in the picture and the inverse of how far it
// is away.
func (c *camera) project(p vec) (x, y, inverse float64) {
	d := p.sub(c.eye)
	inverse = 1 / d.dot(c.ahead)
	return c.cx + c.focal*d.dot(c.right)*inverse, c.cy - c.focal*d.dot(c.up)*inverse, inverse
}

// ray is the direction in which a pixel looks.
func (c *camera) ray(x, y float64) vec {
	return c.ahead.add(c.right.mul((x - c.cx) / c.focal)).add(c.up.mul((c.cy - y) / c.focal)).unit()
}
