package store

import (
	"context"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5"
)

// Facet asks for products by one attribute: those with any of the option values,
// or with a number in the range (document 1, 4.2). Without values and bounds it
// asks for any value at all.
type Facet struct {
	Attribute AttributeID
	Values    []string
	Min, Max  *float64
}

// FacetCount is how many products of a list have an option, or any number of
// an attribute, and the least and largest of those numbers. Option is 0 for
// numbers.
type FacetCount struct {
	Attribute AttributeID
	Option    OptionID
	Count     int
	Min, Max  *float64
}

// matched selects (product, attribute) for every facet that a product satisfies.
// Its six parameters begin at $n, see facetArguments.
func matched(n int) string {
	return numbered(`
		SELECT DISTINCT pa.product_id, pa.attribute_id
		FROM unnest($a::integer[], $b::boolean[], $c::float8[], $d::float8[]) AS f(attribute, by_value, low, high)
		JOIN product_attribute pa ON pa.company_id = $1 AND pa.attribute_id = f.attribute
		JOIN attribute a ON a.company_id = $1 AND a.id = pa.attribute_id AND a.deleted_at IS NULL
		WHERE (f.low IS NULL OR pa.number >= f.low) AND (f.high IS NULL OR pa.number <= f.high)
		AND (NOT f.by_value OR pa.option_id IN (
			SELECT o.id FROM attribute_option o JOIN unnest($e::integer[], $f::text[]) AS v(attribute, value)
			ON o.company_id = $1 AND o.attribute_id = v.attribute AND o.value = v.value))`, n)
}

// numbered gives the parameters $a, $b ... the numbers from n on.
func numbered(sql string, n int) string {
	for i := range 6 {
		sql = strings.ReplaceAll(sql, "$"+string(rune('a'+i)), "$"+strconv.Itoa(n+i))
	}
	return sql
}

func facetArguments(facets []Facet) []any {
	attributes, byValue := make([]AttributeID, len(facets)), make([]bool, len(facets))
	of, values := []AttributeID{}, []string{}
	low, high := make([]*float64, len(facets)), make([]*float64, len(facets))
	for i, f := range facets {
		attributes[i], byValue[i], low[i], high[i] = f.Attribute, len(f.Values) > 0, f.Min, f.Max
		for _, v := range f.Values {
			of, values = append(of, f.Attribute), append(values, v)
		}
	}
	return []any{attributes, byValue, low, high, of, values}
}

// FacetCounts counts the values of the filterable attributes over a list, in one
// query whatever the number of facets. Within an attribute values are
// alternatives, so an attribute does not narrow its own counts: a product is
// counted for all attributes when it satisfies every facet, and for the
// attribute of the one facet that it fails when it fails one.
func (r Reader) FacetCounts(ctx context.Context, f ProductFilter) ([]FacetCount, error) {
	sum := int64(0)
	for _, facet := range f.Facets {
		sum += int64(facet.Attribute)
	}
	args := append(f.arguments(r.Company), len(f.Facets), sum)
	from, condition := `(SELECT p.id, 0::bigint AS hits, 0::bigint AS hit FROM base p) s`, ``
	if len(f.Facets) > 0 {
		args = append(args, facetArguments(f.Facets)...)
		from = `(SELECT b.id, count(m.attribute_id) AS hits, coalesce(sum(m.attribute_id), 0) AS hit
			FROM base b LEFT JOIN (` + matched(12) + `) m ON m.product_id = b.id
			GROUP BY b.id HAVING count(m.attribute_id) >= $10::bigint - 1) s`
		condition = ` AND (s.hits = $10::bigint OR pa.attribute_id = $11::bigint - s.hit)`
	}
	rows, err := r.q.Query(ctx, subtree+`, base AS (SELECT p.id FROM product p WHERE`+f.where()+`)
		SELECT pa.attribute_id, pa.option_id, count(*), min(pa.number), max(pa.number)
		FROM `+from+`
		JOIN product_attribute pa ON pa.company_id = $1 AND pa.product_id = s.id
		JOIN attribute a ON a.company_id = $1 AND a.id = pa.attribute_id AND a.deleted_at IS NULL AND a.filterable AND a.kind <> 'text'
		WHERE $10::bigint >= 0 AND $11::bigint >= 0`+condition+`
		GROUP BY pa.attribute_id, pa.option_id`, args...)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowToStructByPos[FacetCount])
}
