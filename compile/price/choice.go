package price

import (
	"bytes"
	"encoding/json"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"

	"vitrine/internal/shop"
)

// Limits of a line.
const (
	MaxData = 16 << 10 // bytes of its data
	MaxKey  = 64       // characters of its key, and of a code
)

// ValidKey reports whether a key may distinguish lines of one product.
func ValidKey(key string) bool {
	return key != "" && utf8.RuneCountInString(key) <= MaxKey && !strings.Contains(key, "/")
}

// ValidData reports whether the data of a line is empty or an object within its size limit.
func ValidData(data json.RawMessage) bool {
	return len(data) == 0 || string(data) == "null" || len(data) <= MaxData && data[0] == '{'
}

// KeyVariant returns the variant that the key of a line names, as the shop's pages make keys: v and
// the id. It is 0 for any other key. Keys are free, so it counts only if the product has this
// variant.
func KeyVariant(key string) shop.VariantID {
	digits, ok := strings.CutPrefix(key, "v")
	if !ok || digits == "" || digits[0] < '1' || digits[0] > '9' {
		return 0
	}
	id, err := strconv.ParseInt(digits, 10, 64)
	if err != nil {
		return 0
	}
	return shop.VariantID(id)
}

// CleanCode normalizes a code for storage. It truncates a code longer than any valid one; the
// result is still invalid.
func CleanCode(code string) string {
	return shop.Clip(strings.ToUpper(strings.TrimSpace(code)), MaxKey)
}

// Choice holds the price-related fields of a line's data (document 2, 2.1).
type Choice struct {
	Variant    shop.VariantID // data.variant_id
	Unresolved bool           // there is a variant_id, but it is not a valid id
	Configured *int64         // data.price.total, rounded and within 0..MaxTotal
}

// priceKeys are the keys of the data that describe a price; Echo removes them when their variant
// does not exist.
var priceKeys = [...]string{"price", "breakdown", "display"}

// ReadChoice parses the data of a line, which is a JSON object or empty. It ignores fields of an
// unexpected type.
func ReadChoice(data json.RawMessage) (c Choice) {
	var sent struct {
		Variant json.RawMessage `json:"variant_id"`
		Price   json.RawMessage `json:"price"`
	}
	if json.Unmarshal(data, &sent) != nil {
		return c
	}
	if text := string(bytes.Trim(sent.Variant, `"`)); text != "" && text != "null" {
		id, err := strconv.ParseInt(text, 10, 64)
		c.Variant, c.Unresolved = shop.VariantID(id), err != nil || id <= 0
	}
	var price struct {
		Total *json.Number `json:"total"`
	}
	if len(sent.Price) > 0 && sent.Price[0] == '{' && json.Unmarshal(sent.Price, &price) == nil && price.Total != nil {
		c.Configured = clamp(*price.Total)
	}
	return c
}

// clamp rounds a number sent by a client to a whole price within 0..MaxTotal.
func clamp(n json.Number) *int64 {
	value, err := strconv.ParseFloat(string(n), 64) // out of range gives an infinity, which is clamped too
	if err != nil && !math.IsInf(value, 0) {
		return nil
	}
	whole := int64(min(max(math.Round(value), 0), MaxTotal))
	return &whole
}

// Echo returns the data of a line as the cart shows it: without the price fields when its variant
// does not exist, or when clients may not set prices of the product.
func Echo(p *Priced, data json.RawMessage) json.RawMessage {
	unresolved := p.Source == FromProduct && (p.Choice.Variant != 0 || p.Choice.Unresolved)
	if p.Product.Configurable && !unresolved {
		return data
	}
	var all map[string]json.RawMessage
	if json.Unmarshal(data, &all) != nil {
		return data
	}
	before := len(all)
	for _, key := range priceKeys {
		delete(all, key)
	}
	if len(all) == before {
		return data
	}
	kept, err := json.Marshal(all)
	if err != nil {
		return data
	}
	return kept
}
