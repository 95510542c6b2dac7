package redirect

import (
	"context"
	"maps"
	"slices"

	"vitrine/admin/api"
	"vitrine/compile"
	"vitrine/internal/load"
	"vitrine/internal/shop"
	"vitrine/internal/store"
	"vitrine/internal/store/catalog"
	"vitrine/internal/store/company"
	redirectdb "vitrine/internal/store/redirect"
)

type slugQuery struct {
	CompanyID  shop.CompanyID `query:"company_id" json:"-" doc:"the shop, for callers without a key"`
	EntityType entityType     `query:"entity_type" json:"-" doc:"the type of the entity that had the slug"`
	Slug       string         `query:"slug" json:"-" doc:"a current or former slug"`
}

type slugAnswer struct {
	EntityID    shop.Number[struct{}] `json:"entity_id"`
	CurrentSlug string                `json:"current_slug"`
	EntityType  entityType            `json:"entity_type"`
}

type entityType string

// Values lists the types.
func (entityType) Values() []string { return shop.Texts(slices.Sorted(maps.Keys(entities))) }

var entities = map[entityType]compile.Entity{
	"category": compile.EntityCategory, "product": compile.EntityProduct, "article": compile.EntityArticle,
}

// resolveSlug finds the entity that once had a slug. It compiles only the parts of the shop that
// the result depends on: the tree, the journal entry, and the entities that have or had the slug.
// For visitors of a shop with closed resources it uses the whole compiled shop.
func (rs *Redirects) resolveSlug(ctx context.Context, c *api.Call, in slugQuery) (slugAnswer, error) {
	entity, known := entities[in.EntityType]
	if !known {
		return slugAnswer{}, shop.ErrInvalidRequest.At("entity_type").With("product, category or article")
	}
	company, err := c.Tenant(in.CompanyID, api.ErrNoCompany)
	if err != nil {
		return slugAnswer{}, err
	}
	seen, err := c.VisibleShop(ctx, company)
	if err != nil {
		return slugAnswer{}, err
	}
	if seen != nil {
		return answerOf(seen.Site, entity, in)
	}
	var site *compile.Site
	err = rs.store.Snapshot(ctx, company, func(r store.Reader) (err error) {
		site, err = rs.aroundSlug(ctx, r, int16(entity), in.Slug)
		return err
	})
	if err != nil {
		return slugAnswer{}, err
	}
	return answerOf(site, entity, in)
}

func answerOf(site *compile.Site, entity compile.Entity, in slugQuery) (slugAnswer, error) {
	id, current, found := site.InJournal(entity, in.Slug)
	if !found {
		return slugAnswer{}, redirectdb.ErrRuleNotFound.With("no live " + string(in.EntityType) + " had this slug before")
	}
	return slugAnswer{EntityID: shop.Number[struct{}](id), CurrentSlug: current, EntityType: in.EntityType}, nil
}

func (rs *Redirects) aroundSlug(ctx context.Context, r store.Reader, entity int16, slug string) (*compile.Site, error) {
	company, err := company.Info(ctx, r)
	if err != nil {
		return nil, err
	}
	id, holders, err := catalog.SlugHolder(ctx, r, entity, slug)
	if err != nil {
		return nil, err
	}
	keys := []shop.Key{{Kind: shop.KeyCategories}}
	for _, id := range append(holders, id) {
		switch {
		case id == 0:
		case entity == store.EntityProduct:
			keys = append(keys, shop.Key{Kind: shop.KeyProduct, ID: id})
		case entity == store.EntityArticle:
			keys = append(keys, shop.Key{Kind: shop.KeyArticle, ID: id})
		}
	}
	delta, err := load.Delta(ctx, r, keys, rs.hosts)
	if err != nil {
		return nil, err
	}
	in := compile.Input{Shop: load.Shop(company, rs.hosts)}
	if id != 0 {
		in.Journal = []compile.Journal{{Entity: compile.Entity(entity), Slug: slug, ID: id}}
	}
	return compile.New(in).With(delta), nil
}
