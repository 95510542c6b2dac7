package shop

// Assistants is what programs that buy for people may do in a shop.
type Assistants string

// The values; empty is AssistantsCheckout.
const (
	AssistantsOff      Assistants = "off"
	AssistantsCatalog  Assistants = "catalog"  // find products
	AssistantsCheckout Assistants = "checkout" // and buy them
)

// Values lists them as texts.
func (Assistants) Values() []string {
	return Texts([]Assistants{AssistantsOff, AssistantsCatalog, AssistantsCheckout})
}

// Or returns the value that an empty one stands for.
func (a Assistants) Or() Assistants {
	if a == "" {
		return AssistantsCheckout
	}
	return a
}
