package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"vitrine/cmd/vitrine/demo"
	"vitrine/internal/store"
	companydb "vitrine/internal/store/company"
)

// demo creates the demo shop if it is missing and prints how to access it.
func (srv *server) demo(ctx context.Context, s *Settings) error {
	if _, err := companydb.CompanyBySlug(ctx, srv.db.Store, demo.Slug); errors.Is(err, store.ErrShopNotFound) {
		srv.log.Info("creating the demo shops; this takes a few seconds, once")
	}
	result, err := demo.Seed(ctx, srv.admin, srv.db.Store, time.Now())
	if errors.Is(err, demo.ErrDeleted) {
		srv.log.Warn("starting without the demo", "reason", err)
		return nil
	}
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(os.Stdout, `
  Storefront   %s
  Second shop  %s
  Cabinet      %s
  Admin API    %s
  Owner        %s / %s
  Buyer        %s / %s
  API key      %s
  Letters      %s
               as the owner (Authorization: Bearer, and the token of POST /v1/auth/login); codes: bin/vitrine letters

`, srv.hosts.Origin(result.Slug, ""), srv.hosts.Origin(result.SecondSlug, ""), s.adminURL()+"/cabinet/", s.adminURL(), result.Email, result.Password,
		result.BuyerEmail, result.Password, result.Key, s.adminURL()+"/v1/shop/letters")
	return err
}
