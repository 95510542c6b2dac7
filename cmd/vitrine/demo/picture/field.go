package picture

import "math"

// field is a square map of the table or of a lamp's view, with values between
// its cells.
type field struct {
	n          int
	x0, y0, dx float64 // of the first cell, and the width of one
	cell       []float32
}

func newField(n int, x0, y0, width float64) *field {
	return &field{n: n, x0: x0, y0: y0, dx: width / float64(n), cell: make([]float32, n*n)}
}

// each calls back for every cell whose middle lies in the triangle, with its
// weights.
func (f *field) each(x, y [3]float64, visit func(cell *float32, a, b, c float64)) {
	for k := range 3 {
		x[k], y[k] = (x[k]-f.x0)/f.dx, (y[k]-f.y0)/f.dx
	}
	t := triangle{x: x, y: y}
	area := (x[1]-x[0])*(y[2]-y[0]) - (x[2]-x[0])*(y[1]-y[0])
	if math.Abs(area) < 1e-9 {
		return
	}
	x0, x1 := max(int(min(x[0], x[1], x[2])), 0), min(int(max(x[0], x[1], x[2])), f.n-1)
	y0, y1 := max(int(min(y[0], y[1], y[2])), 0), min(int(max(y[0], y[1], y[2])), f.n-1)
	ax, bx := (y[1]-y[2])/area, (y[2]-y[0])/area // what a step to the right adds
	for j := y0; j <= y1; j++ {
		a, b, _ := t.weights(float64(x0)+.5, float64(j)+.5, area)
		for i := j*f.n + x0; i <= j*f.n+x1; i++ {
			if a >= 0 && b >= 0 && a+b <= 1 {
				visit(&f.cell[i], a, b, 1-a-b)
			}
			a, b = a+ax, b+bx
		}
	}
}

// at is the value at a place, 0 outside.
func (f *field) at(x, y float64) float64 {
	x, y = (x-f.x0)/f.dx-.5, (y-f.y0)/f.dx-.5
	i, j := int(math.Floor(x)), int(math.Floor(y))
	if i < 0 || j < 0 || i >= f.n-1 || j >= f.n-1 {
		return 0
	}
	a, b := x-float64(i), y-float64(j)
	row := f.cell[j*f.n+i:]
	below := f.cell[(j+1)*f.n+i:]
	return lerp(lerp(float64(row[0]), float64(row[1]), a), lerp(float64(below[0]), float64(below[1]), a), b)
}

// blur softens the map by about the given length: three running means are
// nearly a bell curve.
func (f *field) blur(length float64) {
	r := int(length / f.dx / 2)
	if r < 1 {
		return
	}
	line := make([]float32, f.n)
	for range 3 {
		for j := range f.n {
			f.mean(line, j*f.n, 1, r)
		}
		for i := range f.n {
			f.mean(line, i, f.n, r)
		}
	}
}

func (f *field) mean(line []float32, start, step, r int) {
	for i := range line {
		line[i] = f.cell[start+i*step]
	}
	sum := float32(0)
	for i := -r; i <= r; i++ {
		sum += line[min(max(i, 0), f.n-1)]
	}
	for i := range line {
		f.cell[start+i*step] = sum / float32(2*r+1)
		sum += line[min(i+r+1, f.n-1)] - line[max(i-r, 0)]
	}
}
