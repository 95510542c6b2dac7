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

// Values lists the statuses as texts.
func (OrderStatus) Values() []string { return Texts(OrderStatuses) }

// ShipmentStatus is how much of an order is on its way.
type ShipmentStatus string

// The shipment statuses.
const (
	ShipmentNone      ShipmentStatus = "none"
	ShipmentPartial   ShipmentStatus = "partial"   // some units are left to ship
	ShipmentShipped   ShipmentStatus = "shipped"   // every unit is in a shipment
	ShipmentDelivered ShipmentStatus = "delivered" // and every shipment has arrived
)

// ShipmentStatuses lists all of them in their usual sequence.
var ShipmentStatuses = []ShipmentStatus{ShipmentNone, ShipmentPartial, ShipmentShipped, ShipmentDelivered}

// Values lists the statuses as texts.
func (ShipmentStatus) Values() []string { return Texts(ShipmentStatuses) }
