package main

import (
	"context"

	"vitrine/internal/shop"
	companydb "vitrine/internal/store/company"
)

type memberCmd struct {
	Add    memberAddCmd    `cmd:"" help:"Give a person a role in a shop."`
	Role   memberRoleCmd   `cmd:"" help:"Change the role of a member."`
	Remove memberRemoveCmd `cmd:"" help:"Remove a person and their keys from a shop."`
}

type memberAddCmd struct {
	Shop     string    `required:"" help:"Slug of the shop."`
	Email    string    `required:""`
	Password string    `required:""`
	Role     shop.Role `required:"" help:"admin or editor."`
}

// Run adds the member.
func (c *memberAddCmd) Run(ctx context.Context, s *Settings) error {
	return operate(ctx, s, func(o *operator) (any, error) {
		company, err := companydb.CompanyBySlug(ctx, o.db.Store, c.Shop)
		if err != nil {
			return nil, err
		}
		id, err := o.access.AddMember(ctx, company.ID, c.Email, c.Password, c.Role)
		return map[string]any{"company_id": company.ID, "user_id": id, "role": c.Role}, err
	})
}

type memberRoleCmd struct {
	Shop  string    `required:"" help:"Slug of the shop."`
	Email string    `required:""`
	Role  shop.Role `required:"" help:"owner, admin or editor."`
}

// Run changes the role.
func (c *memberRoleCmd) Run(ctx context.Context, s *Settings) error {
	return operate(ctx, s, func(o *operator) (any, error) {
		company, err := companydb.CompanyBySlug(ctx, o.db.Store, c.Shop)
		if err != nil {
			return nil, err
		}
		id, err := o.access.SetRole(ctx, company.ID, c.Email, c.Role)
		return map[string]any{"company_id": company.ID, "user_id": id, "role": c.Role}, err
	})
}

type memberRemoveCmd struct {
	Shop  string `required:"" help:"Slug of the shop."`
	Email string `required:""`
}

// Run removes the member.
func (c *memberRemoveCmd) Run(ctx context.Context, s *Settings) error {
	return operate(ctx, s, func(o *operator) (any, error) {
		company, err := companydb.CompanyBySlug(ctx, o.db.Store, c.Shop)
		if err != nil {
			return nil, err
		}
		id, err := o.access.RemoveMember(ctx, company.ID, c.Email)
		return map[string]any{"company_id": company.ID, "user_id": id, "removed": true}, err
	})
}
