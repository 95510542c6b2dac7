package picture

import (
	"math"
	"strconv"
	"strings"
)

// knot is a point of an outline: distance from the axis and height. The outline
// runs smoothly through it unless it is a corner.
type knot struct {
	r, y   float64
	corner bool
}

// outline reads "0 0, .4 0!, .5 .3": knots from the middle of the foot, up the
// outside, over the rim and down the inside; ! marks a corner. The text is
// ours, so a mistake in it is a panic that every test of the models meets.
func outline(text string) []knot {
	var list []knot
	for _, part := range strings.Split(text, ",") {
		part, corner := strings.CutSuffix(strings.TrimSpace(part), "!")
		r, y, _ := strings.Cut(part, " ")
		list = append(list, knot{number(r), number(y), corner})
	}
	return list
}

func number(text string) float64 {
	n, err := strconv.ParseFloat(strings.TrimSpace(text), 64)
	if err != nil {
		panic("outline: " + err.Error())
	}
	return n
}

const (
	latheSides = 72
	latheSteps = 5 // between two knots
)

// ring is one point of the outline after smoothing, with its direction.
type ring struct{ r, y, dr, dy float64 }

// turnedOn is the surface that an outline draws around the y axis. What lies
// inside, below the highest point, sees less of the sky the deeper it lies.
func turnedOn(list []knot, mat *material) mesh {
	s := mesh{mat: mat, closed: true}
	rings, rim := smoothed(list), 0
	for i, g := range rings {
		if g.y >= rings[rim].y {
			rim = i
		}
	}
	top := rings[rim]
	for i, g := range rings {
		ao := 1.0
		if i > rim && top.r > 0 {
			ao = 1 - .62*smooth(0, 1.7*top.r, top.y-g.y)
		}
		n := vec{g.dy, -g.dr, 0}.unit()
		for k := range latheSides + 1 {
			u := float64(k) / latheSides
			p, nn := vec{g.r, g.y, 0}.turned(360*u), n.turned(360*u)
			s.verts = append(s.verts, vertex{pos: p, tex: p, nrm: nn, u: u, v: float64(i) / float64(len(rings)-1), ao: ao})
		}
	}
	s.stitch(latheSides+1, len(rings))
	return s
}

// smoothed runs a curve through the knots (Catmull-Rom, straight at corners).
func smoothed(list []knot) (rings []ring) {
	for i := range len(list) - 1 {
		a, b := list[i], list[i+1]
		chord := knot{r: b.r - a.r, y: b.y - a.y}
		from, to := chord, chord
		if i > 0 && !a.corner {
			from = knot{r: (b.r - list[i-1].r) / 2, y: (b.y - list[i-1].y) / 2}
		}
		if i+2 < len(list) && !b.corner {
			to = knot{r: (list[i+2].r - a.r) / 2, y: (list[i+2].y - a.y) / 2}
		}
		for k := range latheSteps + 1 {
			rings = append(rings, hermite(a, b, from, to, float64(k)/latheSteps))
		}
	}
	return rings
}

func hermite(a, b, from, to knot, t float64) ring {
	curve := func(p, q, m, n float64) (value, slope float64) {
		t2, t3 := t*t, t*t*t
		value = (2*t3-3*t2+1)*p + (t3-2*t2+t)*m + (3*t2-2*t3)*q + (t3-t2)*n
		slope = (6*t2-6*t)*p + (3*t2-4*t+1)*m + (6*t-6*t2)*q + (3*t2-2*t)*n
		return value, slope
	}
	var g ring
	g.r, g.dr = curve(a.r, b.r, from.r, to.r)
	g.y, g.dy = curve(a.y, b.y, from.y, to.y)
	g.r = math.Max(g.r, 0)
	return g
}
