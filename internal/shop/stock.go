package shop

// StockBy tells how the stock of a product is counted.
type StockBy string

// The ways to count.
const (
	StockByProduct StockBy = "product" // as a whole; its variants share the number
	StockByVariant StockBy = "variant" // each variant set has its own number
)

// Values lists the ways to count as texts.
func (StockBy) Values() []string { return Texts([]StockBy{StockByProduct, StockByVariant}) }
