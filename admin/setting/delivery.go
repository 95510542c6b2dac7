package setting

import (
	"context"
	"encoding/json"
	"math"
	"strings"
	"time"

	"vitrine/admin/api"
	"vitrine/internal/shop"
	"vitrine/internal/store"
	"vitrine/internal/store/sales"
)

// errDelivery refuses an invalid delivery option.
var errDelivery = shop.Refuse(shop.InvalidArgument, "DELIVERY_INVALID").
	When("a field of the delivery option is invalid; the detail begins with its name")

const maxMoney = 2_000_000_000 // of an order (document 2, 4.1)

type deliveryView struct {
	ID           shop.DeliveryID      `json:"id"`
	Name         string               `json:"name"`
	Description  string               `json:"description"`
	Kind         shop.DeliveryKind    `json:"kind"`
	Price        int64                `json:"price"`     // without rates
	FreeFrom     *int64               `json:"free_from"` // null: never free
	Rates        []shop.DeliveryRate  `json:"rates"`     // the first that matches applies
	Points       []shop.DeliveryPoint `json:"points"`    // of a pickup
	IsActive     bool                 `json:"is_active"`
	NeedsAddress bool                 `json:"needs_address"`
	SortOrder    int                  `json:"sort_order"`
	UpdatedAt    time.Time            `json:"updated_at"`
}

func viewDelivery(d sales.DeliveryOption) deliveryView {
	d.UpdatedAt = d.UpdatedAt.UTC()
	d.Rates, d.Points = append([]shop.DeliveryRate{}, d.Rates...), append([]shop.DeliveryPoint{}, d.Points...)
	return deliveryView(d)
}

// deliveryItem is a delivery option as sent by the client; absent fields stay unchanged.
type deliveryItem struct {
	Name         *string            `json:"name" required:"POST" len:"255" refuse:"DELIVERY_INVALID"`
	Description  *string            `json:"description" len:"1000" refuse:"DELIVERY_INVALID"`
	Kind         *shop.DeliveryKind `json:"kind" len:"16" refuse:"DELIVERY_INVALID"`
	Price        *int64             `json:"price" doc:"without rates"`
	FreeFrom     optionalSum        `json:"free_from"`
	Rates        *[]rateItem        `json:"rates" max:"200" refuse:"DELIVERY_INVALID" doc:"the first that matches applies; if none does, delivery is not possible"`
	Points       *[]pointItem       `json:"points" max:"100" refuse:"DELIVERY_INVALID" doc:"of a pickup: where buyers collect their goods"`
	IsActive     *bool              `json:"is_active"`
	NeedsAddress *bool              `json:"needs_address"`
	SortOrder    *int               `json:"sort_order"`
}

// optionalSum is an amount that can be cleared: absent leaves it unchanged, null clears it.
type optionalSum struct {
	Set bool   `json:"-"`
	Sum *int64 `json:"-"`
}

// UnmarshalJSON accepts whole units or null.
func (o *optionalSum) UnmarshalJSON(b []byte) error {
	o.Set = true
	if json.Unmarshal(b, &o.Sum) != nil {
		return errDelivery.With("expected a whole number of the smallest units, or null")
	}
	return nil
}

// apply applies the sent fields to a delivery option.
func (i deliveryItem) apply(d *sales.DeliveryOption) error {
	api.Set(&d.Name, i.Name)
	api.Set(&d.Description, i.Description)
	if i.Kind != nil {
		d.Kind = *i.Kind
	}
	api.Set(&d.Price, i.Price)
	api.Set(&d.IsActive, i.IsActive)
	api.Set(&d.NeedsAddress, i.NeedsAddress)
	api.Set(&d.SortOrder, i.SortOrder)
	if i.FreeFrom.Set {
		d.FreeFrom = i.FreeFrom.Sum
	}
	d.Name, d.Description = strings.TrimSpace(d.Name), strings.TrimSpace(d.Description)
	if err := checkDelivery(d); err != nil {
		return err
	}
	if i.Rates != nil {
		rates, err := readRates(*i.Rates)
		if err != nil {
			return err
		}
		d.Rates = rates
	}
	if i.Points != nil {
		points, err := readPoints(*i.Points)
		if err != nil {
			return err
		}
		d.Points = points
	}
	if d.Kind != shop.DeliveryPickup && len(d.Points) > 0 {
		return errDelivery.At("points").With("only an option of the kind pickup has points")
	}
	return nil
}

func checkDelivery(d *sales.DeliveryOption) error {
	switch {
	case d.Name == "":
		return errDelivery.At("name").With("must not be empty")
	case d.Kind != shop.DeliveryToAddress && d.Kind != shop.DeliveryPickup:
		return errDelivery.At("kind").With("delivery or pickup")
	case d.Price < 0 || d.Price > maxMoney:
		return errDelivery.At("price").With("0 to 2000000000")
	case d.FreeFrom != nil && (*d.FreeFrom < 0 || *d.FreeFrom > maxMoney):
		return errDelivery.At("free_from").With("0 to 2000000000, or null")
	case d.SortOrder < math.MinInt32 || d.SortOrder > math.MaxInt32:
		return errDelivery.At("sort_order").With("must fit in 32 bits")
	}
	return nil
}

type deliveryQuery struct {
	CompanyID shop.CompanyID `query:"company_id" json:"-" doc:"the shop, for callers outside a storefront"`
}

// deliveryOptions lists the active delivery options, and all of them to members of the shop.
func (s *Settings) deliveryOptions(ctx context.Context, c *api.Call, in deliveryQuery) (out api.Result[[]deliveryView], err error) {
	company, err := c.Tenant(in.CompanyID, api.ErrNoCompany)
	if err != nil {
		return out, err
	}
	list, err := sales.DeliveryOptions(ctx, s.store.Shop(company))
	out.Result = []deliveryView{}
	for _, d := range list {
		if d.IsActive || !c.Visitor(company) {
			out.Result = append(out.Result, viewDelivery(d))
		}
	}
	return out, err
}

func (s *Settings) addDelivery(ctx context.Context, c *api.Call, in deliveryItem) (out api.Result[deliveryView], err error) {
	d := sales.DeliveryOption{Kind: shop.DeliveryToAddress, IsActive: true}
	if err := in.apply(&d); err != nil {
		return out, err
	}
	err = s.store.Write(ctx, c.Company, func(tx *store.Tx) (err error) {
		if err := sales.LockDelivery(ctx, tx); err != nil {
			return err
		}
		d, err = sales.AddDeliveryOption(ctx, tx, d)
		return err
	})
	return api.Wrap(viewDelivery(d)), err
}

type deliveryPath struct {
	ID shop.DeliveryID `path:"id" json:"-"`
}

type deliveryChange struct {
	deliveryPath
	api.Basis
	deliveryItem
}

func (s *Settings) deliveryOption(ctx context.Context, c *api.Call, in deliveryPath) (api.Result[deliveryView], error) {
	d, err := sales.GetDeliveryOption(ctx, s.store.Shop(c.Company), in.ID)
	return api.Wrap(viewDelivery(d)), err
}

func (s *Settings) changeDelivery(ctx context.Context, c *api.Call, in deliveryChange) (out api.Result[deliveryView], err error) {
	var d sales.DeliveryOption
	err = s.store.Write(ctx, c.Company, func(tx *store.Tx) (err error) {
		if err := sales.LockDelivery(ctx, tx); err != nil {
			return err
		}
		if d, err = sales.GetDeliveryOption(ctx, tx.Reader, in.ID); err != nil {
			return err
		}
		if err := tx.CheckBasis(d.UpdatedAt); err != nil {
			return err
		}
		if err := in.apply(&d); err != nil {
			return err
		}
		d, err = sales.SaveDeliveryOption(ctx, tx, d)
		return err
	})
	return api.Wrap(viewDelivery(d)), err
}

func (s *Settings) dropDelivery(ctx context.Context, c *api.Call, in deliveryPath) (api.None, error) {
	return api.None{}, s.store.Write(ctx, c.Company, func(tx *store.Tx) error { return sales.DeleteDeliveryOption(ctx, tx, in.ID) })
}
