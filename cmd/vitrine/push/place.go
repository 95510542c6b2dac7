package push

import (
	"context"
	"fmt"
	"strings"

	"vitrine/internal/shop"
)

// located adds the address of the page, according to the shop's tree.
func (p *pusher) located(ctx context.Context, r Result, at category) (Result, error) {
	origin, err := p.origin(ctx)
	if err != nil {
		return r, err
	}
	all, err := p.categories(ctx)
	if err != nil {
		return r, err
	}
	r.Path = pathIn(all, at)
	r.URL = origin + r.Path
	if !at.Published {
		fmt.Fprintln(p.options.Log, "the page is not published: visitors get 404 until then")
	}
	return r, nil
}

// origin is the address of the shop's storefront.
func (p *pusher) origin(ctx context.Context) (string, error) {
	var org struct {
		Result struct {
			Origin string `json:"storefront_url"`
		} `json:"result"`
	}
	err := p.client.get(ctx, "/v1/orgs/current", &org)
	return strings.TrimRight(org.Result.Origin, "/"), err
}

// pathIn is the address of a section; it also terminates for a circular tree.
func pathIn(all []category, c category) string {
	if c.Home {
		return "/"
	}
	byID := map[shop.CategoryRef]category{}
	for _, x := range all {
		byID[shop.CategoryRef(x.ID)] = x
	}
	path := "/" + c.SEO.Slug
	for range len(all) {
		up, ok := byID[c.Parent]
		if c.Parent == 0 || !ok {
			break
		}
		path, c = "/"+up.SEO.Slug+path, up
	}
	return path
}
