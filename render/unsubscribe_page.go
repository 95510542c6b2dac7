package render

import "vitrine/internal/shop"

// UnsubscribePage asks a visitor whether the shop shall send no more reminders to their address, or
// says that it does not.
type UnsubscribePage struct {
	Frame
	Key  string // of the address
	Done bool
}

// Action is where the page's form posts to.
func (p *UnsubscribePage) Action() string { return shop.UnsubscribePrefix + p.Key }

func (p *UnsubscribePage) frame() *Frame        { return &p.Frame }
func (p *UnsubscribePage) template() string     { return "unsubscribe" }
func (p *UnsubscribePage) name(t *words) string { return t.NoReminders }
