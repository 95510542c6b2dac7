package movein

import "testing"

// A short row may name hundreds of values, so what combines from all rows is bounded too.
func TestCombinedVariantsAreBounded(t *testing.T) {
	e := newEngine(&Plan{}, Shop{}, nil, nil)
	e.format = &etsy
	e.plan.variants = maxHeld - 1
	d := &draft{Product: &Product{Name: "Mug"}}
	d.addAxis("Size", axisValue{text: "S"}, axisValue{text: "M"}, axisValue{text: "L"})
	e.variants(d)
	if len(d.Variants) != 1 || len(e.losses) == 0 || e.losses[0].What != "VARIANTS_TOO_MANY" || e.losses[0].Count != 2 {
		t.Errorf("%d variants, lost %+v", len(d.Variants), e.losses)
	}
}
