package sales

import (
	"cmp"
	"context"
	"encoding/json"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"vitrine/internal/shop"
	"vitrine/internal/store"
	"vitrine/internal/store/catalog"
)

// Refusals of orders.
var (
	ErrOrderNotFound = shop.Refuse(shop.NotFound, "ORDER_NOT_FOUND").When("no order has this id, or it belongs to somebody else")
	ErrOrderDenied   = shop.Refuse(shop.PermissionDenied, "DENIED").When("the order is not yours, or the session was created on the host of another shop")
)

// Order is the agreement made when a cart was checked out. Its sums, lines and promotions
// never change.
type Order struct {
	ID              shop.OrderID
	Company         shop.CompanyID
	Number          int64
	Person          shop.UserID
	Source          OrderSource
	Assistant       *OrderAssistant // nil: not made through one
	Cart            shop.UserID     // whose cart it was, if not the person's. Set only for PlaceOrder
	EnteredBy       shop.UserID     // of the shop, for its history; 0: the buyer made it. Set only for PlaceOrder
	Status          shop.OrderStatus
	StatusChangedAt time.Time
	StatusBy        shop.UserID
	ItemsTotal      int64
	DiscountTotal   int64
	Currency        string
	Promotions      json.RawMessage
	Delivery        *OrderDelivery
	GrandTotal      int64
	Contact         Contact
	Address         json.RawMessage
	Comment         string
	PaymentMethod   string
	Tax             *OrderTax // nil: the shop had no single rate
	Taxes           []shop.Tax
	Papers          map[shop.PaperKind]IssuedPaper
	ShipmentStatus  shop.ShipmentStatus
	Note            string   // of the shop's members, for themselves
	Tags            []string // likewise
	BuyerSeenAt     time.Time
	SellerSeenAt    time.Time
	CreatedAt       time.Time
	UpdatedAt       time.Time
	Lines           []OrderLine
}

// IssuedPaper is the number of an invoice or a credit note.
type IssuedPaper struct {
	Number   string    `json:"number"`
	IssuedAt time.Time `json:"issued_at"`
}

// OrderSource is how an order came to the shop.
type OrderSource string

// The sources.
const (
	FromStorefront OrderSource = "storefront"
	Manual         OrderSource = "manual"    // entered by the shop
	FromAssistant  OrderSource = "assistant" // made or begun by a program for the buyer
)

// Values lists the sources as texts.
func (OrderSource) Values() []string {
	return shop.Texts([]OrderSource{FromStorefront, Manual, FromAssistant})
}

// OrderAssistant is the program through which an order was made.
type OrderAssistant struct {
	Protocol    string            `json:"protocol"` // ucp or acp
	Platform    string            `json:"platform"` // the address of its profile, or what the shop calls its token
	PlatformID  int64             `json:"platform_id"`
	Session     string            `json:"session"`
	Consent     json.RawMessage   `json:"consent,omitempty"` // what the buyer agreed to, as the program says
	Attribution map[string]string `json:"attribution,omitempty"`
	Barred      bool              `json:"barred,omitempty"` // the shop blocked it, or revoked its token, while it ordered
}

// OrderTax is the tax that an order of a shop with one rate contains.
type OrderTax struct {
	shop.TaxRate
	Amount int64 `json:"amount"` // of grand_total
}

// OrderDelivery is the delivery option as it was chosen.
type OrderDelivery struct {
	ID    shop.DeliveryID     `json:"id"`
	Name  string              `json:"name"`
	Kind  shop.DeliveryKind   `json:"kind"`
	Price int64               `json:"price"`
	Days  *int                `json:"days"`  // until the goods arrive at the latest; null: not stated
	Point *shop.DeliveryPoint `json:"point"` // of a pickup
}

// Contact is the recipient of an order.
type Contact struct {
	Name      string `json:"name"`
	Phone     string `json:"phone"`
	Email     string `json:"email"`
	VATNumber string `json:"vat_number"` // of a business, see shop.ParseVATNumber; empty: none
}

// OrderLine is one line of an order, as it was shown in the cart.
type OrderLine struct {
	ID       int64           `json:"id"`
	Product  shop.ProductID  `json:"product_id"`
	Variant  shop.VariantID  `json:"variant_id"`
	Key      string          `json:"key"`
	Name     string          `json:"name"`
	SKU      string          `json:"sku"`
	Image    string          `json:"image"`
	URL      string          `json:"url"`
	Quantity int64           `json:"quantity"`
	Unit     int64           `json:"unit_price"`
	Base     int64           `json:"base_unit_price"`
	Agreed   bool            `json:"agreed"` // Unit was agreed with the buyer
	Gift     bool            `json:"is_gift"`
	Data     json.RawMessage `json:"data"`
	Taxes    []shop.TaxRate  `json:"taxes"`
	Set      json.RawMessage `json:"combo_items"` // of SetPart
}

// SetPart is a component of an ordered set: the item that leaves the stock.
type SetPart struct {
	catalog.SetComponent
	Name string `json:"name"`
}

// StockUnits returns how many of each item the lines take from stock: a combo counts as its
// components (document 2, 4.3).
func StockUnits(lines []OrderLine) (map[catalog.StockItem]int64, error) {
	units := map[catalog.StockItem]int64{}
	for _, l := range lines {
		var parts []SetPart
		if len(l.Set) > 0 {
			if err := json.Unmarshal(l.Set, &parts); err != nil {
				return nil, err
			}
		}
		for _, part := range parts {
			units[catalog.StockItem{Product: part.Product, Variant: part.Variant}] += part.Quantity * l.Quantity
		}
		if len(parts) == 0 {
			units[catalog.StockItem{Product: l.Product, Variant: l.Variant}] += l.Quantity
		}
	}
	return units, nil
}

// GiftUnits returns how many of StockUnits are gifts.
func GiftUnits(lines []OrderLine) (map[catalog.StockItem]int64, error) {
	var gifts []OrderLine
	for _, l := range lines {
		if l.Gift {
			gifts = append(gifts, l)
		}
	}
	return StockUnits(gifts)
}

// PlaceOrder writes an order with its lines, its first history entry, its letters and
// order.created, takes the next order number of the shop, and adds the order to the sales
// of the day, in one round trip, after one that reads its id and the day. All checkouts of
// the shop wait for the row with the number, so PlaceOrder comes after everything that may
// take time; only Redeem and MoveStock follow it.
func PlaceOrder(ctx context.Context, tx *store.Tx, o *Order) error {
	lines, err := json.Marshal(o.Lines)
	if err != nil {
		return err
	}
	id, day, assistant, err := nextOrder(ctx, tx, cmp.Or(o.Cart, o.Person))
	if err != nil {
		return err
	}
	if assistant != nil && o.Source == "" {
		o.Source, o.Assistant = FromAssistant, assistant
	}
	o.Company, o.ID, o.Status, o.Source = tx.Company, id, shop.OrderNew, cmp.Or(o.Source, FromStorefront)
	b := &pgx.Batch{}
	tx.QueueEvent(b, "order.created", map[string]any{
		"order_id": o.ID, "company_id": tx.Company, "status": o.Status, "items_total": o.ItemsTotal, "currency": o.Currency,
	})
	tx.QueueLetters(b, toBoth(o, store.NewLetter{Name: "order_made", Object: o.ID.String()})...)
	// Other checkouts of the shop wait from this statement to the commit.
	b.Queue(`
		WITH numbered AS (
			INSERT INTO order_counter AS c (company_id, last) VALUES ($1, 1001)
			ON CONFLICT (company_id) DO UPDATE SET last = c.last + 1 RETURNING last)
		INSERT INTO shop_order (company_id, id, number, status, person_id, items_total, discount_total, currency, promotions, delivery, grand_total,
			contact_name, contact_phone, contact_email, contact_vat_number, address, comment, payment_method, day, tax, taxes, source, assistant) OVERRIDING SYSTEM VALUE
		SELECT $1, $2, last, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22 FROM numbered
		RETURNING number, status_changed_at, created_at, updated_at`,
		tx.Company, o.ID, o.Status, o.Person, o.ItemsTotal, o.DiscountTotal, o.Currency, jsonOr(o.Promotions, "[]"), o.Delivery, o.GrandTotal,
		o.Contact.Name, o.Contact.Phone, o.Contact.Email, o.Contact.VATNumber, nullJSON(o.Address), o.Comment, o.PaymentMethod, day.Date(), o.Tax, o.Taxes, o.Source, o.Assistant).
		QueryRow(func(row pgx.Row) error { return row.Scan(&o.Number, &o.StatusChangedAt, &o.CreatedAt, &o.UpdatedAt) })
	b.Queue(`
		INSERT INTO order_line (company_id, order_id, product_id, variant_id, key, name, sku, image, url, quantity, unit_price,
			base_unit_price, agreed, is_gift, data, combo_items, taxes)
		SELECT $1, $2, l.product_id, l.variant_id, l.key, l.name, l.sku, l.image, l.url, l.quantity, l.unit_price,
			l.base_unit_price, l.agreed, l.is_gift, nullif(l.data::text, 'null')::json, coalesce(nullif(l.combo_items, 'null'), '[]'), coalesce(nullif(l.taxes, 'null'), '[]')
		FROM ROWS FROM (json_to_recordset($3::json) AS (product_id integer, variant_id bigint, key text, name text, sku text,
			image text, url text, quantity integer, unit_price bigint, base_unit_price bigint, agreed boolean, is_gift boolean, data json,
			combo_items jsonb, taxes jsonb)) WITH ORDINALITY AS l(product_id, variant_id, key, name, sku, image, url, quantity, unit_price,
			base_unit_price, agreed, is_gift, data, combo_items, taxes, n)
		ORDER BY l.n`, tx.Company, o.ID, lines)
	queueRecovered(b, tx, o)
	if o.Assistant != nil {
		b.Queue(`UPDATE assist_session SET state = 'completed', order_id = $3, updated_at = now() WHERE company_id = $1 AND id = $2`, tx.Company, o.Assistant.Session, o.ID)
	}
	if o.Assistant != nil {
		tx.QueueOrderChange(b, o.ID, "created")
	}
	queueHistory(b, tx, o.ID, "created", map[string]any{"status": o.Status, "source": o.Source}, cmp.Or(o.EnteredBy, o.Person))
	queueSale(b, `o.id = $3`, 1, tx.Company, o.ID)
	return tx.DB.SendBatch(ctx, b).Close()
}

// nextOrder returns an id for a new order, the day of orders made in this transaction, and the program
// whose session the cart belongs to; nil: none.
func nextOrder(ctx context.Context, tx *store.Tx, cart shop.UserID) (id shop.OrderID, day shop.Day, by *OrderAssistant, err error) {
	var zone string
	var now time.Time
	err = tx.DB.QueryRow(ctx, `
		SELECT nextval(pg_get_serial_sequence('shop_order', 'id')), coalesce(settings->>'timezone', ''), now(), (
			SELECT jsonb_strip_nulls(jsonb_build_object('protocol', p.protocol, 'platform', p.name, 'platform_id', p.id, 'session', s.id,
				'consent', s.input -> 'consent', 'attribution', s.input -> 'attribution',
				'barred', nullif(s.state = 'completing' AND (p.blocked OR p.protocol = 'acp' AND p.token_hash IS NULL), false)))
			FROM assist_session s JOIN assist_platform p ON p.company_id = s.company_id AND p.id = s.platform_id
			WHERE s.company_id = $1 AND s.person_id = $2 AND s.kind = 'purchase' AND s.state IN ('completing', 'handed_off')
			ORDER BY s.updated_at DESC LIMIT 1)
		FROM company WHERE id = $1`, tx.Company, cart).Scan(&id, &zone, &now, &by)
	if store.NoRow(err) {
		err = store.ErrShopNotFound
	}
	return id, shop.DayOf(now, shop.Clock(zone)), by, err
}

func jsonOr(data json.RawMessage, fallback string) string {
	if len(data) == 0 {
		return fallback
	}
	return string(data)
}

const orderColumns = `o.id, o.company_id, o.number, o.person_id, o.source, o.assistant, o.status, o.status_changed_at, o.status_by, o.items_total,
	o.discount_total, o.currency, o.promotions, o.delivery, o.grand_total, o.contact_name, o.contact_phone, o.contact_email, o.contact_vat_number, o.address,
	o.comment, o.payment_method, o.tax, o.taxes,
	(SELECT jsonb_object_agg(d.kind, jsonb_build_object('number', d.number, 'issued_at', d.issued_at)) FROM order_paper d
		WHERE d.company_id = o.company_id AND d.order_id = o.id), o.shipment_status, o.note, o.tags, o.buyer_seen_at, o.seller_seen_at, o.created_at, o.updated_at,
	coalesce((SELECT json_agg(json_build_object('id', l.id, 'product_id', l.product_id, 'variant_id', l.variant_id, 'key', l.key,
		'name', l.name, 'sku', l.sku, 'image', l.image, 'url', l.url, 'quantity', l.quantity, 'unit_price', l.unit_price,
		'base_unit_price', l.base_unit_price, 'agreed', l.agreed, 'is_gift', l.is_gift, 'data', l.data, 'combo_items', l.combo_items, 'taxes', l.taxes) ORDER BY l.id)
		FROM order_line l WHERE l.company_id = o.company_id AND l.order_id = o.id), '[]')`

func scanOrder(row pgx.Row) (o Order, err error) {
	var lines []byte
	err = row.Scan(&o.ID, &o.Company, &o.Number, &o.Person, &o.Source, &o.Assistant, &o.Status, &o.StatusChangedAt, &o.StatusBy, &o.ItemsTotal,
		&o.DiscountTotal, &o.Currency, &o.Promotions, &o.Delivery, &o.GrandTotal, &o.Contact.Name, &o.Contact.Phone, &o.Contact.Email,
		&o.Contact.VATNumber, (*[]byte)(&o.Address), &o.Comment, &o.PaymentMethod, &o.Tax, &o.Taxes, &o.Papers, &o.ShipmentStatus, &o.Note, &o.Tags, &o.BuyerSeenAt, &o.SellerSeenAt, &o.CreatedAt, &o.UpdatedAt, &lines)
	if store.NoRow(err) {
		return o, ErrOrderNotFound
	}
	if err != nil {
		return o, err
	}
	if o.Delivery != nil && o.Delivery.Kind == "" { // of an order made before options had kinds
		o.Delivery.Kind = shop.DeliveryToAddress
	}
	if err := json.Unmarshal(lines, &o.Lines); err != nil {
		return o, err
	}
	o.completeTaxes()
	return o, nil
}

// completeTaxes sets the taxes of an order from before they were stored, which follow from its
// single rate.
func (o *Order) completeTaxes() {
	if o.Taxes != nil || o.Tax == nil {
		return
	}
	o.Taxes = []shop.Tax{{TaxRate: o.Tax.TaxRate, Base: o.GrandTotal - o.Tax.Amount, Amount: o.Tax.Amount}}
	for i := range o.Lines {
		if !o.Lines[i].Gift {
			o.Lines[i].Taxes = []shop.TaxRate{o.Tax.TaxRate}
		}
	}
}

// TaxTotal returns the sum of the taxes.
func (o *Order) TaxTotal() (sum int64) {
	for _, t := range o.Taxes {
		sum += t.Amount
	}
	return sum
}

// TaxAdded reports whether the taxes were added to the prices.
func (o *Order) TaxAdded() bool {
	net := o.ItemsTotal
	if o.Delivery != nil {
		net += o.Delivery.Price
	}
	return o.GrandTotal > net
}

// GetOrder reads an order of the shop with its lines.
func GetOrder(ctx context.Context, r store.Reader, id shop.OrderID) (Order, error) {
	return scanOrder(r.DB.QueryRow(ctx, `SELECT `+orderColumns+` FROM shop_order o WHERE o.company_id = $1 AND o.id = $2`, r.Company, id))
}

// OrderCompany returns the shop in which a person made an order, of several with orders of that id the
// one that is visited. It returns ErrOrderDenied for an order of somebody else, and ErrOrderNotFound
// when there is none.
func OrderCompany(ctx context.Context, s *store.Store, person shop.UserID, id shop.OrderID, visited shop.CompanyID) (company shop.CompanyID, err error) {
	var own bool
	err = s.Pool.QueryRow(ctx, `
		SELECT company_id, person_id = $2 FROM shop_order WHERE id = $1 AND `+store.LiveShop("company_id")+`
		ORDER BY person_id = $2 DESC, company_id = $3 DESC, created_at DESC LIMIT 1`, id, person, visited).Scan(&company, &own)
	switch {
	case store.NoRow(err):
		return 0, ErrOrderNotFound
	case err == nil && !own:
		return 0, ErrOrderDenied
	}
	return company, err
}

// ShopsWithOrder returns the shops that have an order with this id.
func ShopsWithOrder(ctx context.Context, s *store.Store, id shop.OrderID) ([]shop.CompanyID, error) {
	rows, err := s.Pool.Query(ctx, `SELECT company_id FROM shop_order WHERE id = $1 AND `+store.LiveShop("company_id")+` ORDER BY company_id LIMIT 100`, id)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowTo[shop.CompanyID])
}

// LockOrder reads and locks an order for update.
func LockOrder(ctx context.Context, tx *store.Tx, id shop.OrderID) (Order, error) {
	return scanOrder(tx.DB.QueryRow(ctx, `
		SELECT `+orderColumns+` FROM shop_order o WHERE o.company_id = $1 AND o.id = $2 FOR UPDATE OF o`, tx.Company, id))
}

// SetOrderStatus sets the status of an order, which may be the one it has, and records
// order.status_changed. It updates the sales sums; the caller moves the stock afterwards.
func SetOrderStatus(ctx context.Context, tx *store.Tx, o *Order, to shop.OrderStatus, by shop.UserID) error {
	from := o.Status
	b := &pgx.Batch{}
	b.Queue(`
		UPDATE shop_order SET status = $3, status_changed_at = now(), status_by = $4, updated_at = now(),
			completed_once = completed_once OR $3 = 'completed'
		WHERE company_id = $1 AND id = $2 RETURNING status, status_changed_at, status_by, updated_at`, tx.Company, o.ID, to, by).
		QueryRow(func(row pgx.Row) error { return row.Scan(&o.Status, &o.StatusChangedAt, &o.StatusBy, &o.UpdatedAt) })
	queueHistory(b, tx, o.ID, "status", map[string]any{"from": from, "to": to}, by)
	if from != to {
		tx.QueueOrderChange(b, o.ID, "status")
	}
	tx.QueueEvent(b, "order.status_changed", map[string]any{
		"order_id": o.ID, "company_id": tx.Company, "old_status": from, "new_status": to,
	})
	if from != to {
		tx.QueueLetters(b, toBoth(o, store.NewLetter{
			Name: "order_status", Object: uuid.NewString(), Actor: by, Facts: store.LetterData{From: from, Status: to}, Most: store.StatusesAnHour,
		})...)
	}
	switch cancelled := to == shop.OrderCancelled; {
	case cancelled == (from == shop.OrderCancelled):
	case cancelled:
		queueSale(b, `o.id = $3`, -1, tx.Company, o.ID)
	default:
		queueSale(b, `o.id = $3`, 1, tx.Company, o.ID)
	}
	return tx.DB.SendBatch(ctx, b).Close()
}

// BackdateOrder backdates an order, with everything recorded about it since: for orders
// imported from elsewhere.
func BackdateOrder(ctx context.Context, tx *store.Tx, id shop.OrderID, at time.Time) error {
	zone, err := timezone(ctx, tx.Reader)
	if err != nil {
		return err
	}
	b := &pgx.Batch{}
	// The customer is locked before the sales sums, as when orders are made and moved.
	b.Queue(`
		SELECT FROM customer c JOIN shop_order o ON o.company_id = c.company_id AND o.customer_id = c.id
		WHERE o.company_id = $1 AND o.id = $2 FOR NO KEY UPDATE OF c`, tx.Company, id)
	queueSale(b, `o.id = $3 AND o.status <> 'cancelled'`, -1, tx.Company, id)
	b.Queue(`
		WITH told AS (UPDATE order_history SET created_at = $3 WHERE company_id = $1 AND order_id = $2),
		said AS (UPDATE order_message SET created_at = $3 WHERE company_id = $1 AND order_id = $2),
		moved AS (UPDATE stock_movement SET created_at = $3 WHERE company_id = $1 AND order_id = $2),
		paid AS (UPDATE payment SET created_at = $3, paid_at = CASE WHEN paid_at IS NOT NULL THEN $3::timestamptz END,
			refunded_at = CASE WHEN refunded_at IS NOT NULL THEN $3::timestamptz END
			WHERE company_id = $1 AND order_id = $2),
		shipped AS (UPDATE shipment SET shipped_at = $3, delivered_at = CASE WHEN delivered_at IS NOT NULL THEN $3::timestamptz END
			WHERE company_id = $1 AND order_id = $2),
		letters AS (UPDATE letter SET created_at = $3 WHERE company_id = $1 AND order_id = $2)
		UPDATE shop_order SET created_at = $3, updated_at = $3, status_changed_at = $3, day = $4,
			seller_seen_at = CASE WHEN seller_seen_at > created_at THEN $3 ELSE $3::timestamptz - interval '1 second' END
		WHERE company_id = $1 AND id = $2`, tx.Company, id, at, shop.DayOf(at, zone).Date())
	queueSale(b, `o.id = $3 AND o.status <> 'cancelled'`, 1, tx.Company, id)
	return tx.DB.SendBatch(ctx, b).Close()
}
