package customer

import (
	"context"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"vitrine/admin/api"
	"vitrine/internal/shop"
	"vitrine/internal/store"
	"vitrine/internal/store/people"
	"vitrine/internal/store/privacy"
)

const (
	pageSize = 20
	maxEmail = 254  // characters
	maxName  = 255  // characters of names and phones
	maxNote  = 4000 // characters of a note
)

// emailPattern matches addresses that a letter may be sent to, judging by their form.
var emailPattern = regexp.MustCompile(`^[^@\s"<>,;:\\()\[\]]+@[^@\s"<>,;:\\()\[\]]+$`)

// view is a customer as shown to the shop's people.
type view struct {
	ID          shop.CustomerID        `json:"id"`
	UserID      shop.UserID            `json:"user_id" doc:"0: not linked to a person"`
	Name        string                 `json:"name"`
	Email       string                 `json:"email" doc:"in lower case; empty: none"`
	Phone       string                 `json:"phone"`
	Note        string                 `json:"note" doc:"internal note of the shop"`
	Groups      []shop.CustomerGroupID `json:"group_ids" doc:"groups assigned by hand and by rule"`
	Orders      int64                  `json:"orders" doc:"number of orders that are not cancelled"`
	Spent       int64                  `json:"spent" doc:"total of those orders in the shop's current currency, including delivery, minus refunds"`
	SpentBy     map[string]int64       `json:"spent_by_currency" doc:"the same total for each currency of the orders"`
	CreatedAt   time.Time              `json:"created_at"`
	UpdatedAt   time.Time              `json:"updated_at" doc:"orders and spending are counted without an update"`
	LastOrderAt *time.Time             `json:"last_order_at" doc:"null: no order that is not cancelled"`
}

func viewOf(c people.Customer) view {
	v := view{
		ID: c.ID, UserID: c.Person, Name: c.Name, Email: c.Email, Phone: c.Phone, Note: c.Note, Groups: append([]shop.CustomerGroupID{}, c.Groups...),
		Orders: c.Orders, Spent: c.Spent, SpentBy: c.SpentBy, CreatedAt: c.CreatedAt.UTC(), UpdatedAt: c.UpdatedAt.UTC(),
	}
	if c.LastOrderAt != nil {
		at := c.LastOrderAt.UTC()
		v.LastOrderAt = &at
	}
	return v
}

type filter struct {
	Query string               `query:"filter.query" json:"-" len:"200" refuse:"INVALID_REQUEST" doc:"searches name, e-mail and phone"`
	Group shop.CustomerGroupID `query:"filter.group_id" json:"-" doc:"only customers in this group"`
}

func (f filter) of() people.CustomerFilter {
	return people.CustomerFilter{Query: strings.TrimSpace(f.Query), Group: f.Group}
}

type listRequest struct {
	filter
	Sort  customerSort `query:"sort" json:"-" doc:"sort field: names ascending, all others descending by default"`
	Order api.Order    `query:"sort.order" json:"-" doc:"overrides the default direction"`
	api.Paging
}

func (cs *Customers) list(ctx context.Context, c *api.Call, in listRequest) (out api.Result[api.Page[view]], err error) {
	number, limit, err := in.Page(pageSize)
	if err != nil {
		return out, err
	}
	sort := people.CustomerSort{Field: string(in.Sort), Asc: in.Order == api.Ascending || in.Order == "" && in.Sort == "name"}
	if in.Sort != "" && !slices.Contains(people.CustomerSorts, string(in.Sort)) || !in.Order.Known() {
		return out, errSort
	}
	list, total, err := people.Customers(ctx, cs.Store.Shop(c.Company), in.of(), sort, limit, (number-1)*limit)
	return api.NewPage(list, viewOf, total, number), err
}

type customerPath struct {
	ID shop.CustomerID `path:"id" json:"-"`
}

func (cs *Customers) read(ctx context.Context, c *api.Call, in customerPath) (api.Result[view], error) {
	one, err := people.GetCustomer(ctx, cs.Store.Shop(c.Company), in.ID)
	return api.Wrap(viewOf(one)), err
}

// customerFields are the fields of a customer in a request; nil if not sent.
type customerFields struct {
	Name   *string                 `json:"name" len:"255" refuse:"CUSTOMER_INVALID"`
	Phone  *string                 `json:"phone" len:"255" refuse:"CUSTOMER_INVALID"`
	Note   *string                 `json:"note" len:"4000" refuse:"CUSTOMER_INVALID" doc:"internal note of the shop"`
	Groups *[]shop.CustomerGroupID `json:"group_ids" max:"100" refuse:"CUSTOMER_INVALID" doc:"groups assigned by hand; groups assigned by rule stay whatever is listed here"`
}

// onto applies the sent fields to a customer and checks that the groups exist.
func (s customerFields) onto(ctx context.Context, r store.Reader, c *people.Customer) error {
	for to, text := range map[*string]*string{&c.Name: s.Name, &c.Phone: s.Phone, &c.Note: s.Note} {
		if text != nil {
			*to = strings.TrimSpace(*text)
		}
	}
	if s.Groups == nil {
		return nil
	}
	gone, err := people.UnknownCustomerGroups(ctx, r, *s.Groups)
	if err == nil && len(gone) > 0 {
		err = errCustomer.At("group_ids").With(gone[0].String() + " is not a group of the shop")
	}
	c.Groups = *s.Groups
	return err
}

type createRequest struct {
	Email string `json:"email" required:"always" len:"254" refuse:"CUSTOMER_INVALID"`
	customerFields
}

// address normalizes an e-mail address of a customer; it returns "" for an invalid one.
func address(text string) string {
	text = strings.ToLower(strings.TrimSpace(text))
	if utf8.RuneCountInString(text) > maxEmail || !emailPattern.MatchString(text) {
		return ""
	}
	return text
}

func (cs *Customers) create(ctx context.Context, c *api.Call, in createRequest) (out api.Result[view], err error) {
	one := people.Customer{Email: address(in.Email)}
	if one.Email == "" {
		return out, errCustomer.At("email").With("must be an e-mail address of at most 254 characters")
	}
	err = cs.Store.Write(ctx, c.Company, func(tx *store.Tx) error {
		if err := in.onto(ctx, tx.Reader, &one); err != nil {
			return err
		}
		left, err := people.CustomersLeft(ctx, tx.Reader)
		if err == nil && left < 1 {
			err = people.ErrCustomerLimit
		}
		if err != nil {
			return err
		}
		list := []people.Customer{one}
		if err := people.AddCustomers(ctx, tx, list); err != nil {
			return err
		}
		one, err = people.GetCustomer(ctx, tx.Reader, list[0].ID)
		return err
	})
	return api.Wrap(viewOf(one)), err
}

type changeRequest struct {
	customerPath
	api.Basis
	customerFields
}

func (cs *Customers) change(ctx context.Context, c *api.Call, in changeRequest) (out api.Result[view], err error) {
	err = cs.Store.Write(ctx, c.Company, func(tx *store.Tx) error {
		one, err := people.LockCustomer(ctx, tx, in.ID)
		if err != nil {
			return err
		}
		if err := tx.CheckBasis(one.UpdatedAt); err != nil {
			return err
		}
		if err := in.onto(ctx, tx.Reader, &one); err != nil {
			return err
		}
		if err := people.SaveCustomers(ctx, tx, []people.Customer{one}); err != nil {
			return err
		}
		one, err = people.GetCustomer(ctx, tx.Reader, in.ID)
		out = api.Wrap(viewOf(one))
		return err
	})
	return out, err
}

type eraseRequest struct {
	customerPath
	DryRun bool `json:"dry_run" doc:"erase nothing and answer what would be erased"`
}

// erased is the remaining data of an erased customer.
type erased struct {
	ID       shop.CustomerID `json:"id"`
	ErasedAt *time.Time      `json:"erased_at" doc:"null for a dry run of a customer who is not erased"`
	Would    *privacy.Held   `json:"would_erase,omitempty" doc:"for a dry run: how many of each hold data of the customer"`
}

// erase deletes the personal data of a customer from everything that the shop stores. Erasing
// twice changes nothing.
func (cs *Customers) erase(ctx context.Context, c *api.Call, in eraseRequest) (api.Result[erased], error) {
	if in.DryRun {
		would, at, err := privacy.HeldOf(ctx, cs.Store.Shop(c.Company), in.ID)
		return api.Wrap(erased{in.ID, shop.UTC(at), &would}), err
	}
	at, err := privacy.EraseCustomer(ctx, cs.Store, c.Company, in.ID)
	return api.Wrap(erased{ID: in.ID, ErasedAt: shop.UTC(&at)}), err
}

// customerSort is a sort order of customers.
type customerSort string

// Values lists the sort orders.
func (customerSort) Values() []string { return people.CustomerSorts }
