package cart

import (
	"context"
	"strings"

	"vitrine/admin/api"
	"vitrine/compile/lead"
	"vitrine/internal/shop"
	"vitrine/internal/store"
	"vitrine/internal/store/sales"
)

type contactRequest struct {
	CompanyID shop.CompanyID `json:"company_id"`
	Email     string         `json:"email" len:"254" refuse:"CONTACT_INVALID" doc:"empty: none"`
	Agreed    bool           `json:"agreed" doc:"whether the buyer agreed to a reminder of this cart"`
}

// saveContact stores the address to which a reminder of the buyer's cart may go.
func (cs *Carts) saveContact(ctx context.Context, c *api.Call, in contactRequest) (api.None, error) {
	company, err := cs.named(c, in.CompanyID)
	if err != nil {
		return api.None{}, err
	}
	email := strings.TrimSpace(in.Email)
	if email != "" && !lead.IsEmail(email) {
		return api.None{}, shop.ErrContactInvalid.At("email").With("expected name@host")
	}
	return api.None{}, cs.Store.Write(ctx, company, func(tx *store.Tx) error {
		return sales.SetReminderAddress(ctx, tx, c.Person, email, in.Agreed && email != "")
	})
}
