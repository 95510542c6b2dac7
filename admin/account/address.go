package account

import (
	"context"
	"strings"
	"time"

	"vitrine/admin/api"
	"vitrine/internal/shop"
	"vitrine/internal/store"
	"vitrine/internal/store/people"
)

// errAddressEmpty refuses an address without street and city.
var errAddressEmpty = shop.ErrInvalidRequest.With("an address requires a street or a city")

type addressView struct {
	ID        shop.AddressID `json:"id"`
	Name      string         `json:"name"`
	Phone     string         `json:"phone"`
	Country   string         `json:"country"`
	Region    string         `json:"region"`
	City      string         `json:"city"`
	Street    string         `json:"street"`
	Postcode  string         `json:"postcode"`
	Comment   string         `json:"comment"`
	IsDefault bool           `json:"is_default"`
	UpdatedAt time.Time      `json:"updated_at"`
}

func viewOf(a people.Address) addressView {
	a.UpdatedAt = a.UpdatedAt.UTC()
	return addressView(a)
}

// addressFields are the fields of an address in a request; absent ones keep their values.
type addressFields struct {
	CompanyID shop.CompanyID `json:"company_id"`
	Name      *string        `json:"name" len:"255"`
	Phone     *string        `json:"phone" len:"64"`
	Country   *string        `json:"country" len:"255"`
	Region    *string        `json:"region" len:"255"`
	City      *string        `json:"city" len:"255"`
	Street    *string        `json:"street" len:"500"`
	Postcode  *string        `json:"postcode" len:"32"`
	Comment   *string        `json:"comment" len:"1000"`
	IsDefault *bool          `json:"is_default"`
}

// onto applies the sent fields to an address.
func (f addressFields) onto(a *people.Address) error {
	for to, sent := range map[*string]*string{
		&a.Name: f.Name, &a.Phone: f.Phone, &a.Country: f.Country, &a.Region: f.Region, &a.City: f.City, &a.Street: f.Street,
		&a.Postcode: f.Postcode, &a.Comment: f.Comment,
	} {
		if sent != nil {
			*to = strings.TrimSpace(*sent)
		}
	}
	if f.IsDefault != nil {
		a.IsDefault = *f.IsDefault
	}
	if a.Street == "" && a.City == "" {
		return errAddressEmpty
	}
	return nil
}

func (as *Accounts) addresses(ctx context.Context, c *api.Call, in ofShop) (out api.Result[[]addressView], err error) {
	at, err := company(c, in.CompanyID)
	if err != nil {
		return out, err
	}
	list, err := people.Addresses(ctx, as.Store.Shop(at), c.Person)
	out.Result = []addressView{}
	for _, a := range list {
		out.Result = append(out.Result, viewOf(a))
	}
	return out, err
}

func (as *Accounts) addAddress(ctx context.Context, c *api.Call, in addressFields) (api.Result[addressView], error) {
	return as.saveAddress(ctx, c, 0, in)
}

type oneAddress struct {
	ID        shop.AddressID `path:"id" json:"-"`
	CompanyID shop.CompanyID `query:"company_id" json:"-" doc:"the shop; by default that of the address"`
}

func (as *Accounts) address(ctx context.Context, c *api.Call, in oneAddress) (out api.Result[addressView], err error) {
	at, err := c.BuyerShop(in.CompanyID)
	if err == nil && at == 0 {
		at, err = people.ShopOfAddress(ctx, as.Store, c.Person, in.ID)
	}
	if err != nil {
		return out, err
	}
	a, err := people.GetAddress(ctx, as.Store.Shop(at), c.Person, in.ID)
	return api.Wrap(viewOf(a)), err
}

type changeAddress struct {
	ID shop.AddressID `path:"id" json:"-"`
	api.Basis
	addressFields
}

func (as *Accounts) changeAddress(ctx context.Context, c *api.Call, in changeAddress) (api.Result[addressView], error) {
	return as.saveAddress(ctx, c, in.ID, in.addressFields)
}

// saveAddress adds an address, or changes the one with an id.
func (as *Accounts) saveAddress(ctx context.Context, c *api.Call, id shop.AddressID, in addressFields) (out api.Result[addressView], err error) {
	at, err := company(c, in.CompanyID)
	if err != nil {
		return out, err
	}
	var saved people.Address
	err = as.Store.Write(ctx, at, func(tx *store.Tx) error {
		a, err := people.LockAddress(ctx, tx, c.Person, id)
		if err == nil && id != 0 {
			err = tx.CheckBasis(a.UpdatedAt)
		}
		if err != nil {
			return err
		}
		if err := in.onto(&a); err != nil {
			return err
		}
		saved, err = people.SaveAddress(ctx, tx, c.Person, a)
		return err
	})
	return api.Wrap(viewOf(saved)), err
}

type dropAddress struct {
	ID shop.AddressID `path:"id" json:"-"`
	ofShop
}

func (as *Accounts) dropAddress(ctx context.Context, c *api.Call, in dropAddress) (none api.None, err error) {
	at, err := company(c, in.CompanyID)
	if err != nil {
		return none, err
	}
	return none, as.Store.Write(ctx, at, func(tx *store.Tx) error {
		there, err := people.DeleteAddress(ctx, tx, c.Person, in.ID)
		if err == nil && !there {
			err = people.ErrAddressNotFound
		}
		return err
	})
}
