package api

// Order is the direction of a list's sort; empty: the list's own.
type Order string

// The directions.
const (
	Ascending  Order = "asc"
	Descending Order = "desc"
)

// Values lists the directions.
func (Order) Values() []string { return []string{string(Ascending), string(Descending)} }

// Known reports whether the direction is one of them, or empty.
func (o Order) Known() bool { return o == "" || o == Ascending || o == Descending }
