package promotion

import (
	"context"
	"slices"
	"time"

	"vitrine/admin/api"
	"vitrine/internal/shop"
	"vitrine/internal/store"
	"vitrine/internal/store/sales"
)

type codeView struct {
	Code      string        `json:"code"`
	User      shop.UserID   `json:"user_id"`
	ExpiresAt *time.Time    `json:"expires_at"`    // null: never
	UsedOrder *shop.OrderID `json:"used_order_id"` // null: not used
}

type codesRequest struct {
	pathRequest
	api.Paging
}

func (ps *Promotions) codes(ctx context.Context, c *api.Call, in codesRequest) (out api.Result[api.Page[codeView]], err error) {
	number, limit, err := in.Page(pageSize)
	if err != nil {
		return out, err
	}
	r := ps.Store.Shop(c.Company)
	if _, err := sales.GetPromotion(ctx, r, in.ID); err != nil {
		return out, err
	}
	list, total, err := sales.IssuedCodes(ctx, r, in.ID, limit, (number-1)*limit)
	out = api.NewPage(list, viewCode, total, number)
	return out, err
}

func viewCode(c sales.PersonalCode) codeView {
	return codeView{c.Code, c.Person, shop.UTC(c.ExpiresAt), c.UsedOrder}
}

type issueRequest struct {
	pathRequest
	Users []shop.UserID `json:"user_ids" required:"always" max:"1000"`
}

type issuedView struct {
	Codes []codeView `json:"codes"` // in the order of user_ids
}

// issue issues codes of a campaign to people, to all of them or to none.
func (ps *Promotions) issue(ctx context.Context, c *api.Call, in issueRequest) (out api.Result[issuedView], err error) {
	if len(in.Users) == 0 {
		return out, errInvalid.At("user_ids").With("must not be empty")
	}
	err = ps.Store.Write(ctx, c.Company, func(tx *store.Tx) error {
		out = api.Wrap(issuedView{Codes: []codeView{}})
		p, err := sales.LockPromotion(ctx, tx, in.ID)
		if err != nil {
			return err
		}
		if p.Kind != "personal_coupon" {
			return errInvalid.At("kind").With("only a personal_coupon issues codes")
		}
		for i, user := range in.Users {
			if slices.Contains(in.Users[:i], user) {
				return errInvalid.At("user_ids").With(user.String() + " is listed twice")
			}
			code, err := sales.IssueCode(ctx, tx, p, user, nil)
			if err != nil {
				return err
			}
			if code.Code == "" {
				return errInvalid.At("user_ids").With("the shop has no customer with user_id " + user.String())
			}
			out.Result.Codes = append(out.Result.Codes, codeView{code.Code, user, shop.UTC(code.ExpiresAt), nil})
		}
		return nil
	})
	return out, err
}

type couponsRequest struct {
	CompanyID shop.CompanyID `query:"company_id" json:"-" doc:"the shop"`
}

type couponView struct {
	Code      string     `json:"code"`
	Promotion shop.Int64 `json:"promotion_id"`
	Name      string     `json:"name"`
	ExpiresAt *time.Time `json:"expires_at"` // null: never
	Value     value      `json:"value"`
	MinTotal  int64      `json:"min_total"`
}

// coupons returns the codes that the caller can currently use in a shop.
func (ps *Promotions) coupons(ctx context.Context, c *api.Call, in couponsRequest) (out api.Result[[]couponView], err error) {
	company, err := c.BuyerShop(in.CompanyID)
	if err != nil {
		return out, err
	}
	if company == 0 {
		return out, store.ErrShopNotFound.At("company_id").With("required outside the storefront of the shop")
	}
	codes, campaigns, err := sales.PersonalCodesOf(ctx, ps.Store.Shop(company), c.Person, ps.Now())
	out.Result = []couponView{}
	for _, code := range codes {
		at := slices.IndexFunc(campaigns, func(p sales.Promotion) bool { return p.ID == code.Promotion })
		p := campaigns[at]
		ends := code.ExpiresAt
		if p.EndsAt != nil && (ends == nil || p.EndsAt.Before(*ends)) {
			ends = p.EndsAt
		}
		out.Result = append(out.Result, couponView{
			Code: code.Code, Promotion: shop.Int64(p.ID), Name: p.Name, ExpiresAt: shop.UTC(ends), Value: viewValue(p.Value), MinTotal: p.Conditions.MinTotal,
		})
	}
	return out, err
}
