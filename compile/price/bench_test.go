package price

import "testing"

// BenchmarkPrice is a cart of 100 lines, a third of them sets.
func BenchmarkPrice(b *testing.B) {
	set := &Product{ID: 3, Percent: 1250, Set: []Component{{Product: tea(), Variant: 50, Quantity: 2}, {Product: &Product{ID: 2, Price: 9}, Quantity: 1}}}
	c := &Cart{}
	for i := range MaxLines {
		line := Line{Product: tea(), Quantity: int64(i + 1), Choice: Choice{Variant: 50}}
		if i%3 == 0 {
			line = Line{Product: set, Quantity: 2}
		}
		c.Lines = append(c.Lines, line)
	}
	b.ReportAllocs()
	for b.Loop() {
		if Price(c).Subtotal == 0 {
			b.Fatal("free")
		}
	}
}
