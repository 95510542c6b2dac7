package shop

import "testing"

func TestAChoiceHasItsOwnPricesElseThoseOfItsProduct(t *testing.T) {
	for name, x := range map[string]struct {
		own, old *int64
		want     Choice
	}{
		"neither":                             {nil, nil, Choice{100, 130}},
		"another price":                       {new(int64(90)), nil, Choice{90, 0}},
		"the same price":                      {new(int64(100)), nil, Choice{100, 130}},
		"an old price":                        {nil, new(int64(150)), Choice{100, 150}},
		"both":                                {new(int64(90)), new(int64(95)), Choice{90, 95}},
		"none, though the product has one":    {nil, new(int64(0)), Choice{100, 0}},
		"an old price that is not the higher": {nil, new(int64(80)), Choice{100, 80}},
	} {
		if got := ChoiceOf(100, 130, x.own, x.old); got != x.want {
			t.Errorf("%s: %v, want %v", name, got, x.want)
		}
	}
}
