package main

import (
	"context"
	"fmt"
	"os"
	"time"

	"vitrine/cmd/vitrine/demo"
)

// demo makes the demo shop where it is missing and says how to get into it.
func (srv *server) demo(ctx context.Context, s *Settings) error {
	result, err := demo.Seed(ctx, srv.admin, srv.db.Store, time.Now())
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(os.Stdout, `
  Storefront   %s
  Second shop  %s
  Admin API    %s
  Owner        %s / %s
  API key      %s

`, srv.hosts.Origin(result.Slug, ""), srv.hosts.Origin(result.SecondSlug, ""), s.adminURL(), result.Email, result.Password, result.Key)
	return err
}
