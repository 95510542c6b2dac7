package shop

// OrderStatus is the status of an order. Any status may follow any other (document 2,
// section 3).
type OrderStatus string

// The statuses.
const (
	OrderNew        OrderStatus = "new"
	OrderProcessing OrderStatus = "processing"
	OrderCompleted  OrderStatus = "completed"
	OrderCancelled  OrderStatus = "cancelled"
)

// OrderStatuses lists all of them in their usual sequence.
var OrderStatuses = []OrderStatus{OrderNew, OrderProcessing, OrderCompleted, OrderCancelled}
