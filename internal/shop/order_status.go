package shop

// OrderStatus is where an order stands. Moves are free in all directions
// (document 2, section 3).
type OrderStatus string

// The statuses.
const (
	OrderNew        OrderStatus = "new"
	OrderProcessing OrderStatus = "processing"
	OrderCompleted  OrderStatus = "completed"
	OrderCancelled  OrderStatus = "cancelled"
)

// OrderStatuses is all of them in the order in which an order usually goes.
var OrderStatuses = []OrderStatus{OrderNew, OrderProcessing, OrderCompleted, OrderCancelled}
