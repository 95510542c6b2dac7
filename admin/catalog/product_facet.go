package catalog

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"vitrine/admin/api"
	"vitrine/internal/shop"
	"vitrine/internal/store/catalog"
)

const (
	maxFacets = 20
	// facetSlots is the number of supported indexes: attribute_filters[99] is the last one,
	// higher ones are unknown parameters.
	facetSlots     = 100
	maxFacetValues = 100
)

// facetParameters documents the parameters of facets: i counts from 0, values may be repeated.
// facetsOf reads them.
type facetParameters struct {
	Attribute string   `query:"attribute_filters[i].attribute_id" json:"-" doc:"the attribute of filter i"`
	Values    []string `query:"attribute_filters[i].values" json:"-" doc:"for an option attribute: values of options; products with any of them match"`
	Min       string   `query:"attribute_filters[i].min" json:"-" doc:"for a number attribute: the lowest value"`
	Max       string   `query:"attribute_filters[i].max" json:"-" doc:"for a number attribute: the highest value"`
}

// facetsOf reads attribute_filters. Filters of the same attribute are combined with or, like
// their values.
func facetsOf(call *api.Call) (facets []catalog.Facet, err error) {
	sent := 0
	for i := range facetSlots {
		prefix := "attribute_filters[" + strconv.Itoa(i) + "]."
		f, given, err := facetOf(call, prefix)
		if err != nil {
			return nil, err
		}
		if !given {
			continue
		}
		if sent++; sent > maxFacets {
			return nil, shop.ErrInvalidRequest.At("attribute_filters").With("at most 20 filters")
		}
		same := slices.IndexFunc(facets, func(other catalog.Facet) bool { return other.Attribute == f.Attribute })
		if same < 0 {
			facets = append(facets, f)
			continue
		}
		if f.Min != nil || f.Max != nil || facets[same].Min != nil || facets[same].Max != nil {
			return nil, shop.ErrInvalidRequest.At(prefix + "attribute_id").With("an attribute may have only one range")
		}
		facets[same].Values = append(facets[same].Values, f.Values...)
	}
	return facets, nil
}

func facetOf(call *api.Call, prefix string) (f catalog.Facet, given bool, err error) {
	id, values := call.Query(prefix+"attribute_id"), call.QueryAll(prefix+"values")
	low, high := call.Query(prefix+"min"), call.Query(prefix+"max")
	if id == "" {
		if len(values) > 0 || low != "" || high != "" {
			return f, false, shop.ErrInvalidRequest.With(prefix + "attribute_id is required").About(prefix + "attribute_id")
		}
		return f, false, nil
	}
	if err := f.Attribute.UnmarshalText([]byte(id)); err != nil {
		return f, false, shop.ErrInvalidRequest.At(prefix + "attribute_id").With(err.Error())
	}
	if len(values) > maxFacetValues {
		return f, false, shop.ErrInvalidRequest.At(prefix + "values").With("at most 100 values")
	}
	for _, v := range values {
		if strings.Contains(v, ",") {
			return f, false, shop.ErrInvalidRequest.At(prefix + "values").With("repeat the parameter instead of a comma list")
		}
		if v != "" && optionValue.MatchString(v) {
			f.Values = append(f.Values, v)
		} else if v != "" {
			return f, false, shop.ErrInvalidRequest.At(prefix + "values").With("a value must be the code of an option")
		}
	}
	if f.Min, err = bound(prefix+"min", low); err != nil {
		return f, false, err
	}
	f.Max, err = bound(prefix+"max", high)
	return f, true, err
}

func bound(name, text string) (*float64, error) {
	if text == "" {
		return nil, nil
	}
	n, err := strconv.ParseFloat(text, 64)
	if err != nil || math.IsNaN(n) || math.IsInf(n, 0) {
		return nil, shop.ErrInvalidRequest.At(name).With("expected a number")
	}
	return &n, nil
}

// facetView is an attribute that a list can be filtered by. Its counts respect the other
// filters of the list but not the attribute's own filter: they tell how many products another
// value would match.
type facetView struct {
	AttributeID catalog.AttributeID `json:"attribute_id"`
	Name        string              `json:"name"`
	Kind        attributeKind       `json:"kind"`
	Unit        string              `json:"unit"`
	Options     []facetOption       `json:"options"` // for kind option: the options that any product has
	Count       int                 `json:"count"`   // for kind number: how many products have a value
	Min         *float64            `json:"min"`
	Max         *float64            `json:"max"`
}

type facetOption struct {
	ID       catalog.OptionID `json:"id"`
	Value    string           `json:"value"`
	Label    string           `json:"label"`
	Count    int              `json:"count"`
	Selected bool             `json:"selected"`
}

// viewFacets returns the attributes that a list can be filtered by.
func viewFacets(l catalog.Listing, chosen []catalog.Facet) []facetView {
	type place struct {
		attribute catalog.AttributeID
		option    catalog.OptionID
	}
	at := map[place]catalog.FacetCount{}
	for _, c := range l.Counts {
		at[place{c.Attribute, c.Option}] = c
	}
	views := []facetView{}
	for _, a := range l.Attributes {
		if !a.Filterable || a.Kind == catalog.AttributeText {
			continue
		}
		v := facetView{AttributeID: a.ID, Name: a.Name, Kind: attributeKind(a.Kind), Unit: a.Unit, Options: []facetOption{}}
		number := at[place{a.ID, 0}]
		v.Count, v.Min, v.Max = number.Count, number.Min, number.Max
		of := slices.IndexFunc(chosen, func(f catalog.Facet) bool { return f.Attribute == a.ID })
		for _, o := range a.Options {
			selected := of >= 0 && slices.Contains(chosen[of].Values, o.Value)
			if n := at[place{a.ID, o.ID}].Count; n > 0 || selected {
				v.Options = append(v.Options, facetOption{o.ID, o.Value, o.Label, n, selected})
			}
		}
		if v.Count > 0 || len(v.Options) > 0 {
			views = append(views, v)
		}
	}
	return views
}
