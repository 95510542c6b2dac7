package catalogue

import (
	"cmp"
	"context"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"vitrine/compile"
	"vitrine/compile/feed"
	"vitrine/internal/load"
	"vitrine/internal/shop"
	"vitrine/internal/store"
	"vitrine/internal/store/catalog"
	companydb "vitrine/internal/store/company"
	"vitrine/internal/store/media"
)

// offers is the content of a catalogue, with the data needed to update it. It is immutable:
// with returns the next one.
type offers struct {
	at         time.Time     // the moment of the prices: the next discount starts or ends later
	site       *compile.Site // sections, site files and offers, as the public sees them
	restricted bool          // something is closed or dated in the future
	items      []feed.Item   // products that feeds may list, oldest first
	places     []placement   // of items, in their order
	unlisted   []placement   // published products that feeds may not list
	size       int           // approximate bytes

	pictures func() map[string]bool             // paths of all pictures
	products func() map[shop.ProductID]*address // of items and rest
}

// placement identifies a product's place.
type placement struct {
	address
	created time.Time
}

type address struct {
	id       shop.ProductID
	category shop.CategoryID
	slug     string
}

// readOffers reads a whole shop as of a moment.
func readOffers(ctx context.Context, r store.Reader, company companydb.Company, hosts shop.Storefronts, at time.Time) (*offers, error) {
	o := &offers{at: at}
	site, err := sections(ctx, r, company, hosts, at)
	if err != nil {
		return nil, err
	}
	r = r.Hiding(site.Hidden())
	rows, err := priced(ctx, r, load.NewUnitPricer(site, at), nil)
	if err != nil {
		return nil, err
	}
	o.site, o.restricted = site, site.Hidden() != nil
	o.items, o.places = make([]feed.Item, 0, len(rows)), make([]placement, 0, len(rows))
	o.add(rows)
	return o.finish(), nil
}

// sections reads the data of a feed other than its products. Feeds are the same for all
// readers, so they contain only what is open to everybody, even if the file itself is in a
// closed section.
func sections(ctx context.Context, r store.Reader, company companydb.Company, hosts shop.Storefronts, at time.Time) (*compile.Site, error) {
	site, err := load.Sections(ctx, r, company, hosts)
	if err != nil {
		return nil, err
	}
	return site.AtTime(at).ViewFor(""), nil
}

// with returns the offers after a change: it reads only those products that the keys name.
func (o *offers) with(
	ctx context.Context, r store.Reader, company companydb.Company, hosts shop.Storefronts, keys []shop.Key, at time.Time,
) (*offers, error) {
	moved, files := false, false
	var galleries []shop.GalleryID
	changed := map[shop.ProductID]bool{}
	for _, k := range keys {
		switch {
		case k.Kind == shop.KeyShop, k.Kind == shop.KeyOffers, k.Kind == shop.KeyAccess, k == shop.Key{Kind: shop.KeyGallery}:
			return readOffers(ctx, r, company, hosts, at) // the host is part of every address; a discount or a deleted picture may affect any product
		case k.Kind == shop.KeyDesign && slices.ContainsFunc(o.items, func(item feed.Item) bool { return len(item.Attributes) > 0 }):
			return readOffers(ctx, r, company, hosts, at) // the name of an attribute of many products may have changed
		case k.Kind == shop.KeyCategories:
			moved = true
		case k.Kind == shop.KeyFiles:
			files = true
		case k.Kind == shop.KeyProduct && k.ID != 0:
			changed[shop.ProductID(k.ID)] = true
		case k.Kind == shop.KeyGallery:
			galleries = append(galleries, shop.GalleryID(k.ID))
		}
	}
	if len(galleries) > 0 {
		linked, err := media.GalleryProducts(ctx, r, galleries)
		if err != nil {
			return nil, err
		}
		for _, id := range linked {
			changed[id] = true
		}
	}
	if moved && (o.site.Offers().Discounts(at) || o.restricted) {
		return readOffers(ctx, r, company, hosts, at) // a section's discount or policy may affect other products now
	}
	next := *o
	restricted := o.restricted
	if len(changed) > 0 && !restricted {
		ahead, err := companydb.GetScheduled(ctx, r)
		if err != nil {
			return nil, err
		}
		restricted = len(ahead) > 0 // one of them may be dated in the future now
	}
	if moved || files || restricted && len(changed) > 0 {
		var err error
		if next.site, err = sections(ctx, r, company, hosts, o.at); err != nil {
			return nil, err
		}
		next.restricted = next.site.Hidden() != nil
	}
	if moved && next.site.Hidden() != nil {
		return readOffers(ctx, r, company, hosts, at) // a restored section may be closed
	}
	r = r.Hiding(next.site.Hidden())
	if len(changed) > 0 {
		ids := make([]shop.ProductID, 0, len(changed))
		for id := range changed {
			ids = append(ids, id)
		}
		holders, err := catalog.SetsWith(ctx, r, ids)
		if err != nil {
			return nil, err
		}
		for _, id := range holders { // the price of a set depends on its components
			if !changed[id] {
				changed[id], ids = true, append(ids, id)
			}
		}
		rows, err := priced(ctx, r, load.NewUnitPricer(next.site, o.at), ids)
		if err != nil {
			return nil, err
		}
		next.replace(changed, rows)
	} else if moved {
		next.items = slices.Clone(o.items)
	}
	if moved {
		for i := range next.items {
			next.place(&next.items[i], next.places[i])
		}
	}
	return next.finish(), nil
}

// priced returns the products of feeds with the prices of cards (from); sets have the
// prices of their components.
func priced(ctx context.Context, r store.Reader, pricer load.UnitPricer, ids []shop.ProductID) ([]catalog.FeedProduct, error) {
	rows, err := catalog.FeedProducts(ctx, r, ids)
	if err != nil {
		return nil, err
	}
	var sets []shop.ProductID
	for i := range rows {
		if rows[i].Kind == "combo" {
			sets = append(sets, shop.ProductID(rows[i].ID))
		}
	}
	offers, err := load.Sets(ctx, r, sets)
	for i := range rows {
		row := &rows[i]
		o, isSet := offers[shop.ProductID(row.ID)]
		if !isSet {
			choices := make([]shop.Choice, len(row.Variants))
			for i, v := range row.Variants {
				choices[i] = v.Choice
			}
			span := pricer.Span(placed(row), shop.Choice{Price: row.Price, Old: row.OldPrice}, choices)
			row.Price, row.OldPrice = span.Low, span.Old
			choices, _ = pricer.Choices(placed(row), choices)
			for i, c := range choices {
				row.Variants[i].Choice = c
			}
		} else {
			rows[i].Price, rows[i].OldPrice, rows[i].InStock = o.Price, o.OldPrice, o.Available == nil || *o.Available > 0
			if row.Stock = ""; o.Available != nil {
				row.Stock = strconv.Itoa(*o.Available)
			}
		}
	}
	return rows, err
}

func placed(row *catalog.FeedProduct) load.Placement {
	at := load.Placement{ID: shop.ProductID(row.ID), Category: shop.CategoryID(row.CategoryID)}
	for _, id := range row.Extra {
		at.Extra = append(at.Extra, shop.CategoryID(id))
	}
	return at
}

// outdated reports whether a discount has started or ended since the prices were computed, or
// something dated in the future has appeared.
func (o *offers) outdated(at time.Time) bool {
	next := o.site.Next(o.at)
	return !next.IsZero() && !at.Before(next)
}

// replace removes products and inserts rows in their places.
func (o *offers) replace(removed map[shop.ProductID]bool, rows []catalog.FeedProduct) {
	old := *o
	added := &offers{site: o.site}
	added.add(rows)
	o.items, o.places = make([]feed.Item, 0, len(old.items)+len(rows)), make([]placement, 0, len(old.items)+len(rows))
	o.unlisted = slices.DeleteFunc(slices.Clone(old.unlisted), func(s placement) bool { return removed[s.id] })
	o.unlisted = append(o.unlisted, added.unlisted...)
	next := 0
	for i, s := range old.places {
		for next < len(added.places) && added.places[next].before(s) {
			o.items, o.places = append(o.items, added.items[next]), append(o.places, added.places[next])
			next++
		}
		if !removed[s.id] {
			o.items, o.places = append(o.items, old.items[i]), append(o.places, s)
		}
	}
	o.items, o.places = append(o.items, added.items[next:]...), append(o.places, added.places[next:]...)
}

func (s placement) before(other placement) bool {
	return cmp.Or(s.created.Compare(other.created), cmp.Compare(s.id, other.id)) < 0
}

// add appends rows, which are in order.
func (o *offers) add(rows []catalog.FeedProduct) {
	info := o.site.Shop()
	for i := range rows {
		row := &rows[i]
		s := placement{address{shop.ProductID(row.ID), shop.CategoryID(row.CategoryID), row.Slug}, row.Created}
		if !row.Listed {
			o.unlisted = append(o.unlisted, s)
			continue
		}
		item := feed.Item{Product: row.Offer, Extra: row.Extra, Pictures: absolute(info.Origin, row.Pictures), Digits: info.PriceDigits, Attributes: row.Traits}
		item.Currency = info.Currency
		for _, g := range row.Galleries {
			item.Galleries = append(item.Galleries, feed.Gallery{Name: g.Name, Pictures: absolute(info.Origin, g.Pictures)})
		}
		item.OfferID = strconv.FormatInt(item.ID, 10)
		item.Variants = variants(&item, row.Variants)
		o.place(&item, s)
		o.items, o.places = append(o.items, item), append(o.places, s)
	}
}

// place sets the address and section of a product. A section that visitors do not see has
// no name.
func (o *offers) place(item *feed.Item, s placement) {
	item.URL = o.site.Shop().Origin + o.site.ProductURL(s.id, s.category, s.slug)
	item.CategoryName, item.CategoryPath = "", ""
	defer placeVariants(item)
	own, ok := o.site.Category(s.category)
	if !ok || !o.site.Live(s.category) || own.Home {
		return
	}
	item.CategoryName, item.CategoryPath = own.Name, own.Name
	above := o.site.Ancestors(s.category)
	if len(above) == 0 {
		return
	}
	var path strings.Builder
	for _, c := range above {
		if !c.Home {
			path.WriteString(c.Name + " > ")
		}
	}
	item.CategoryPath = path.String() + own.Name
}

func absolute(origin string, paths []string) []string {
	if len(paths) == 0 {
		return nil
	}
	urls := make([]string, len(paths))
	for i, path := range paths {
		urls[i] = origin + shop.FileURL(path)
	}
	return urls
}

// finish computes the size and prepares the data that is built on demand.
func (o *offers) finish() *offers {
	const perItem, perSpot, perTrait = 400, 64, 48
	o.size = perSpot * (len(o.places) + len(o.unlisted))
	for i := range o.items {
		item := &o.items[i]
		for _, t := range item.Attributes {
			o.size += perTrait + len(t.Value)
		}
		o.size += (perItem+len(item.Name)+len(item.URL)+20)*(1+len(item.Variants)) + len(item.Name) + len(item.Description) + len(item.URL) + len(item.CategoryPath) + 100*len(item.Pictures)
	}
	items, places, unlisted, origin := o.items, o.places, o.unlisted, o.site.Shop().Origin
	o.pictures = sync.OnceValue(func() map[string]bool {
		all := map[string]bool{}
		for i := range items {
			for _, url := range items[i].Pictures {
				all[strings.TrimPrefix(url, origin)] = true
			}
			for _, g := range items[i].Galleries {
				for _, url := range g.Pictures {
					all[strings.TrimPrefix(url, origin)] = true
				}
			}
		}
		return all
	})
	o.products = sync.OnceValue(func() map[shop.ProductID]*address {
		all := make(map[shop.ProductID]*address, len(places)+len(unlisted))
		for _, list := range [][]placement{places, unlisted} {
			for i := range list {
				all[list[i].id] = &list[i].address
			}
		}
		return all
	})
	return o
}

// catalogue returns the offers as templates see them.
func (o *offers) catalogue() *feed.Catalogue {
	if o == nil {
		return nil
	}
	info := o.site.Shop()
	return feed.NewCatalogue(feed.Contents{
		Shop:       feed.Shop{Name: info.Name, URL: info.Origin, Currency: info.Currency},
		Timezone:   info.Timezone,
		Items:      o.items,
		Categories: o.listed(), Sections: o.sections(),
		Links: feed.Links{File: o.file, Category: o.category, Product: o.product},
	})
}

// listed returns the categories that feeds list: published ones of type product.
func (o *offers) listed() (list []feed.Category) {
	in := map[shop.CategoryID]bool{}
	for _, c := range o.site.Categories() {
		if c.Type != compile.TypeProduct || c.Home || !o.site.Live(c.ID) {
			continue
		}
		in[c.ID] = true
		item := feed.Category{ID: int64(c.ID), Name: c.Name, Slug: c.Slug, URL: o.site.Shop().Origin + o.site.Path(c.ID)}
		if in[c.Parent] {
			item.ParentID = int64(c.Parent)
		}
		list = append(list, item)
	}
	return list
}

func (o *offers) sections() (list []feed.Section) {
	for _, c := range o.site.Categories() {
		list = append(list, feed.Section{ID: int64(c.ID), ParentID: int64(c.Parent), Slug: c.Slug})
	}
	return list
}

func (o *offers) file(id int64) (path string, ok bool) {
	_, path, ok = o.site.File(shop.SiteFileID(id))
	return path, ok
}

func (o *offers) category(id int64) (path string, ok bool) {
	if int64(int32(id)) != id || !o.site.Live(shop.CategoryID(id)) {
		return "", false
	}
	return o.site.Path(shop.CategoryID(id)), true
}

func (o *offers) product(id int64) (path string, ok bool) {
	if int64(int32(id)) != id {
		return "", false
	}
	at := o.products()[shop.ProductID(id)]
	if at == nil {
		return "", false
	}
	return o.site.ProductURL(at.id, at.category, at.slug), true
}
