package catalog

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"vitrine/internal/shop"
	"vitrine/internal/store"
	"vitrine/internal/store/media"
)

// FeedProduct is a published product as feeds read it (document 3, 4.3). A product that
// feeds may not list has only the fields that addresses need. Fields that depend on the
// shop and its sections (URL, Currency, CategoryName, CategoryPath) are empty: the caller
// fills them.
type FeedProduct struct {
	shop.Offer
	Slug      string
	Listed    bool // not hidden, and takes part in ads
	Variants  []FeedVariant
	Traits    []shop.Trait // its attributes
	Created   time.Time
	Extra     []int64       // categories in addition to its own
	Pictures  []string      // paths below /files/, in order
	Galleries []FeedGallery // linked ones, in order
}

// feedColumns are the columns that FeedProducts selects, each with its name at the end.
// They are read into plain types: there are tens of thousands of rows, and the driver uses
// reflection for named types.
var feedColumns = append([]tableColumn[FeedProduct]{
	{"p.id", func(p *FeedProduct) any { return &p.ID }},
	{"p.category_id", func(p *FeedProduct) any { return &p.CategoryID }},
	{"p.slug", func(p *FeedProduct) any { return &p.Slug }},
	{"l.listed", func(p *FeedProduct) any { return &p.Listed }},
	{"p.created_at AS created", func(p *FeedProduct) any { return &p.Created }},
	{"p.kind", func(p *FeedProduct) any { return &p.Kind }},
	{"p.rating", func(p *FeedProduct) any { return &p.Rating }},
	{"p.rating_count", func(p *FeedProduct) any { return &p.RatingCount }},
	{"p.price", func(p *FeedProduct) any { return &p.Price }},
	{"p.old_price", func(p *FeedProduct) any { return &p.OldPrice }},
	{"CASE WHEN p.stock_by = 'variant' THEN " + anyVariant("") + " ELSE p.stock_quantity IS DISTINCT FROM 0 END AS in_stock", func(p *FeedProduct) any { return &p.InStock }},
	{"coalesce(p.stock_quantity::text, '') AS stock", func(p *FeedProduct) any { return &p.Stock }},
	{"CASE WHEN l.listed THEN p.name ELSE '' END AS name", func(p *FeedProduct) any { return &p.Name }},
	{"CASE WHEN l.listed THEN p.description ELSE '' END AS description", func(p *FeedProduct) any { return &p.Description }},
	{"p.sku", func(p *FeedProduct) any { return &p.SKU }},
	{"coalesce(p.weight_g, 0)::bigint AS weight_g", func(p *FeedProduct) any { return &p.WeightG }},
}, columnsOfPart("p.", factColumns, func(p *FeedProduct) *shop.Facts { return &p.Facts })...)

// FeedVariant is one of the variants of a product that is for sale.
type FeedVariant struct {
	ID               int64
	SKU, Title, GTIN string // a variant without a title is named by its options, else by its sku
	shop.Choice
	WeightG int64        // its own, else the product's
	Options []shop.Trait // sorted by name
	InStock bool
	Stock   string // quantity; empty: not tracked
}

// FeedGallery is a linked gallery with the paths of its pictures.
type FeedGallery struct {
	Name     string
	Pictures []string
}

// ChangedAt returns when the shop reached its present version.
func ChangedAt(ctx context.Context, r store.Reader) (at time.Time, err error) {
	err = r.DB.QueryRow(ctx, `
		SELECT coalesce((SELECT at FROM company_change h WHERE h.company_id = $1 ORDER BY version DESC LIMIT 1), c.created_at)
		FROM company c WHERE c.id = $1`, r.Company).Scan(&at)
	return at, err
}

// FeedProducts reads the published products that the reader sees, oldest first: all of
// them, or those of non-nil ids. Inside a Snapshot all rows are of the same moment. The
// number of queries is fixed.
func FeedProducts(ctx context.Context, r store.Reader, ids []shop.ProductID) ([]FeedProduct, error) {
	s := &store.Statement{Args: []any{r.Company, ids}}
	s.Add(`
		SELECT ` + strings.Join(names(feedColumns), ", ") + `
		FROM product p CROSS JOIN LATERAL (SELECT p.catalog_hidden <> 'true' AND p.ad_mode = 'include' AS listed) l
		WHERE p.company_id = $1 AND p.deleted_at IS NULL AND p.is_published AND ($2::integer[] IS NULL OR p.id = ANY($2))`)
	HideProducts(r, s)
	s.Add(` ORDER BY p.created_at, p.id`)
	rows, err := r.DB.Query(ctx, s.String(), s.Args...)
	if err != nil {
		return nil, err
	}
	var list []FeedProduct
	var p FeedProduct
	_, err = pgx.ForEachRow(rows, addresses(&p, feedColumns), func() error {
		list = append(list, p)
		return nil
	})
	if err != nil || len(list) == 0 {
		return list, err
	}
	byID := make(map[int64]*FeedProduct, len(list))
	for i := range list {
		if list[i].Listed {
			byID[list[i].ID] = &list[i]
		}
	}
	return list, feedParts(ctx, r, ids, byID)
}

// feedParts adds the related rows of products: prices of variants, sections, pictures,
// galleries.
func feedParts(ctx context.Context, r store.Reader, ids []shop.ProductID, byID map[int64]*FeedProduct) error {
	var id int64
	each := func(sql string, into []any, add func(*FeedProduct)) error {
		rows, err := r.DB.Query(ctx, sql, r.Company, ids)
		if err != nil {
			return err
		}
		_, err = pgx.ForEachRow(rows, append([]any{&id}, into...), func() error {
			if p := byID[id]; p != nil {
				add(p)
			}
			return nil
		})
		return err
	}
	var v Variant
	var byVariant bool
	err := each(`SELECT v.product_id, v.price, v.old_price, v.weight_g, v.id, v.sku, v.title, v.gtin, v.options, v.stock_quantity, p.stock_by = 'variant'
		FROM variant_set v JOIN product p ON p.company_id = $1 AND p.id = v.product_id
		WHERE v.company_id = $1 AND v.is_active AND ($2::integer[] IS NULL OR v.product_id = ANY($2)) ORDER BY v.product_id, v.sort_order, v.id`,
		[]any{&v.Price, &v.OldPrice, &v.WeightG, &v.ID, &v.SKU, &v.Title, &v.GTIN, &v.Options, &v.Stock, &byVariant}, func(p *FeedProduct) {
			variant := FeedVariant{
				ID: int64(v.ID), SKU: v.SKU, Title: cmp.Or(v.DisplayTitle(), v.SKU), GTIN: v.GTIN, WeightG: p.WeightG,
				Choice: shop.ChoiceOf(p.Price, p.OldPrice, v.Price, v.OldPrice), InStock: p.InStock, Stock: p.Stock,
			}
			if v.WeightG != nil {
				variant.WeightG = int64(*v.WeightG)
			}
			if byVariant {
				variant.InStock, variant.Stock = v.Stock == nil || *v.Stock > 0, ""
				if v.Stock != nil {
					variant.Stock = strconv.Itoa(*v.Stock)
				}
			}
			for _, name := range slices.Sorted(maps.Keys(v.Options)) {
				variant.Options = append(variant.Options, shop.Trait{Name: name, Value: v.Options[name]})
			}
			v = Variant{}
			p.Variants = append(p.Variants, variant)
		})
	if err != nil {
		return err
	}
	if err := feedTraits(r, each); err != nil {
		return err
	}
	var extra int64
	err = each(`SELECT product_id, category_id FROM product_extra_category
		WHERE company_id = $1 AND ($2::integer[] IS NULL OR product_id = ANY($2)) ORDER BY 1, 2`,
		[]any{&extra}, func(p *FeedProduct) { p.Extra = append(p.Extra, extra) })
	if err != nil {
		return err
	}
	var path string
	err = each(`SELECT p.id, f.path FROM product p CROSS JOIN LATERAL unnest(p.gallery) WITH ORDINALITY AS g(id, n)
		JOIN media_file f ON f.company_id = $1 AND f.id = g.id AND f.deleted_at IS NULL AND f.status = 'stored'
		WHERE p.company_id = $1 AND p.deleted_at IS NULL AND p.is_published AND ($2::integer[] IS NULL OR p.id = ANY($2)) ORDER BY p.id, g.n`,
		[]any{&path}, func(p *FeedProduct) { p.Pictures = append(p.Pictures, path) })
	if err != nil {
		return err
	}
	var gallery, last int64
	var name string
	return each(`SELECT l.owner_id::integer, g.id, g.name, f.path FROM gallery_link l
		JOIN gallery g ON g.company_id = $1 AND g.id = l.gallery_id AND g.deleted_at IS NULL
		JOIN LATERAL `+media.GalleryItems+` i ON i.kind = 'image'
		JOIN media_file f ON f.company_id = $1 AND f.id = i.file_id AND f.deleted_at IS NULL AND f.status = 'stored'
		WHERE l.company_id = $1 AND l.owner = 2 AND ($2::integer[] IS NULL OR l.owner_id = ANY($2))
		ORDER BY l.owner_id, l.sort_order, g.id, i.sort_order`,
		[]any{&gallery, &name, &path}, func(p *FeedProduct) {
			if n := len(p.Galleries); n == 0 || last != gallery {
				p.Galleries = append(p.Galleries, FeedGallery{Name: name})
			}
			last = gallery
			g := &p.Galleries[len(p.Galleries)-1]
			g.Pictures = append(g.Pictures, path)
		})
}

// feedTraits adds the attributes of products. Strings that many of them share are stored
// once.
func feedTraits(r store.Reader, each func(sql string, into []any, add func(*FeedProduct)) error) error {
	interned := map[string]string{}
	intern := func(s string) string {
		if shared, ok := interned[s]; ok {
			return shared
		}
		interned[s] = s
		return s
	}
	var name, unit, text, label string
	var number *float64
	return each(`SELECT pa.product_id, a.name, a.unit, pa.number, coalesce(pa.text, ''), coalesce(o.label, '')
		FROM product_attribute pa JOIN attribute a ON a.company_id = $1 AND a.id = pa.attribute_id AND a.deleted_at IS NULL
		LEFT JOIN attribute_option o ON o.company_id = $1 AND o.id = pa.option_id
		WHERE pa.company_id = $1 AND ($2::integer[] IS NULL OR pa.product_id = ANY($2))
		ORDER BY pa.product_id, a.sort_order, a.id, o.sort_order, o.id`,
		[]any{&name, &unit, &number, &text, &label}, func(p *FeedProduct) {
			t := shop.Trait{Name: intern(name), Value: text}
			switch n := len(p.Traits); {
			case number != nil:
				t.Value, t.Unit = strconv.FormatFloat(*number, 'f', -1, 64), intern(unit)
			case label == "":
			case n > 0 && p.Traits[n-1].Name == name:
				p.Traits[n-1].Value = intern(p.Traits[n-1].Value + ", " + label)
				return
			default:
				t.Value = intern(label)
			}
			p.Traits = append(p.Traits, t)
		})
}
