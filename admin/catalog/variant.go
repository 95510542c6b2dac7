package catalog

import (
	"context"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/google/uuid"

	"vitrine/admin/api"
	"vitrine/internal/shop"
	"vitrine/internal/store"
	"vitrine/internal/store/catalog"
	"vitrine/internal/store/media"
)

// Refusals of variants (document 1, sections 2.6 and 4.2).
var (
	errVariants     = shop.Refuse(shop.InvalidArgument, "VARIANT_INVALID").When("a variant set is incomplete or repeats an id")
	errVariantsMany = shop.Refuse(shop.InvalidArgument, "VARIANTS_TOO_MANY").When("a product has more than 500 variant sets")
	errVariantSKU   = shop.Refuse(shop.InvalidArgument, "DUPLICATE_VARIANT_SKU").When("two variant sets of the product have the same sku")
)

const (
	maxVariants       = 500
	maxVariantText    = 255 // characters of a title, and of the name and value of an option
	maxVariantOptions = 20
)

// isSwatch matches colours that are safe to print into a style.
var isSwatch = regexp.MustCompile(`^#[0-9a-f]{6}$`)

// variantView is a variant set, which a buyer can choose. price is null if the product's own
// price applies.
type variantView struct {
	ID        catalog.VariantID `json:"id"`
	SKU       string            `json:"sku"`
	Title     string            `json:"title"`
	GTIN      string            `json:"gtin"`
	Price     *int64            `json:"price"`
	OldPrice  *int64            `json:"old_price" doc:"null: that of the product, if the price is"`
	WeightG   *int              `json:"weight_g" doc:"null: that of the product"`
	ImageID   *uuid.UUID        `json:"image_id"`
	Image     *fileView         `json:"image"`
	GalleryID shop.GalleryID    `json:"gallery_id"`
	Options   map[string]string `json:"options" doc:"the options it stands for, such as {\"Colour\": \"Red\", \"Size\": \"M\"}; pages show a picker for each"`
	Swatch    string            `json:"swatch" doc:"its colour as #rrggbb; empty: none"`
	Stock     *int              `json:"stock_quantity" doc:"null: not tracked, or the product is counted as a whole"`
	StockLow  *int              `json:"stock_low_threshold"`
	InStock   bool              `json:"in_stock"`
	IsActive  bool              `json:"is_active"`
}

// viewVariants converts the sets of a product.
func viewVariants(list []catalog.Variant, product catalog.Product) []variantView {
	views := []variantView{}
	for _, v := range list {
		view := variantView{
			ID: v.ID, SKU: v.SKU, Title: v.Title, GTIN: v.GTIN, Price: v.Price, OldPrice: v.OldPrice, WeightG: v.WeightG, ImageID: v.ImageID, Image: viewFile(v.ImageID, v.ImagePath),
			GalleryID: v.GalleryID, Options: v.Options, Swatch: v.Swatch, Stock: v.Stock, StockLow: v.StockLow,
			InStock: product.InStock(), IsActive: v.IsActive,
		}
		if product.StockBy == shop.StockByVariant {
			view.InStock = v.Stock == nil || *v.Stock > 0
		}
		views = append(views, view)
	}
	return views
}

// variantItem is a set in a request. A set with an id, or with a sku that the product already
// has, is edited and keeps absent fields; any other set is new.
type variantItem struct {
	ID        catalog.VariantID  `json:"id"`
	SKU       *string            `json:"sku" len:"255" refuse:"PRODUCT_SKU_TOO_LONG"`
	Title     *string            `json:"title" len:"255" refuse:"VARIANT_INVALID"`
	GTIN      *string            `json:"gtin" len:"14" refuse:"PRODUCT_GTIN_INVALID" doc:"like that of a product, which a set does not inherit"`
	Price     optionalPrice      `json:"price"`
	OldPrice  optionalPrice      `json:"old_price" doc:"null: that of the product, if the price is; 0: none"`
	WeightG   optionalWeight     `json:"weight_g" doc:"in grams, 0 to 10000000; null: that of the product"`
	ImageID   optionalID         `json:"image_id"`
	GalleryID *shop.GalleryID    `json:"gallery_id"`
	Options   *map[string]string `json:"options" max:"20" len:"255" refuse:"VARIANT_INVALID"`
	Swatch    *string            `json:"swatch" len:"7" refuse:"VARIANT_INVALID" doc:"its colour as #rrggbb; empty: none"`
	IsActive  *bool              `json:"is_active"`
	Stock     *int               `json:"stock_quantity" doc:"of a new set of a product counted by variant; else ignored: PUT /products/{id}/stock sets it"`
	StockLow  optionalCount      `json:"stock_low_threshold" doc:"like stock_quantity"`
}

// optionalPrice is a price in a request that may be cleared: absent keeps it, null clears it.
type optionalPrice struct {
	Set   bool   `json:"-"`
	Price *int64 `json:"-"`
}

// UnmarshalJSON reads whole currency units or null.
func (o *optionalPrice) UnmarshalJSON(b []byte) error {
	o.Set = true
	if string(b) == "null" {
		return nil
	}
	n, err := strconv.ParseInt(string(b), 10, 64)
	if err != nil {
		return errProductPrice.With("must be a whole number of the smallest units, or null")
	}
	o.Price = &n
	return nil
}

type variantsRequest struct {
	ID shop.ProductID `path:"id" json:"-"`
	api.Basis
	Items []variantItem `json:"items" required:"always" max:"500" refuse:"VARIANTS_TOO_MANY"`
}

type variantsView struct {
	Variants []variantView `json:"variants"`
}

// setVariants replaces the variant sets of a product, in the order sent.
func (c *Catalog) setVariants(ctx context.Context, call *api.Call, in variantsRequest) (api.Result[variantsView], error) {
	var out api.Result[variantsView]
	err := c.store.Write(ctx, call.Company, func(tx *store.Tx) error {
		if err := tx.LockProductCreation(ctx); err != nil { // skus of sets are claimed one at a time
			return err
		}
		product, err := lockLiving(ctx, tx, in.ID)
		if err != nil {
			return err
		}
		if err := tx.CheckBasis(product.UpdatedAt); err != nil {
			return err
		}
		ignored, err := saveVariants(ctx, tx, in.ID, product.StockBy, "items", in.Items)
		if err != nil {
			return err
		}
		for _, place := range ignored {
			call.MarkIgnored(place, true)
		}
		list, err := catalog.Variants(ctx, tx.Reader, in.ID)
		out.Result.Variants = viewVariants(list, product)
		return err
	})
	return out, err
}

// saveVariants replaces the variant sets of a locked product, which is counted by the product or
// by its sets. place is that of the items in the request. It returns the places of stock numbers
// that it ignored.
func saveVariants(
	ctx context.Context, tx *store.Tx, product shop.ProductID, by shop.StockBy, place string, items []variantItem,
) (ignored []string, err error) {
	if len(items) > maxVariants {
		return nil, errVariantsMany.At(place).With("a product may have at most 500 variants")
	}
	old, err := catalog.Variants(ctx, tx.Reader, product)
	if err != nil {
		return nil, err
	}
	list, err := mergeVariants(items, old)
	if err != nil {
		return nil, shop.At(err, place)
	}
	if ignored, err = setInitialStock(list, items, by); err != nil {
		return nil, shop.At(err, place)
	}
	for i := range ignored {
		ignored[i] = place + ignored[i]
	}
	if err := checkVariantLinks(ctx, tx, list); err != nil {
		return nil, shop.At(err, place)
	}
	return ignored, shop.At(catalog.SetVariants(ctx, tx, product, list), place)
}

// setInitialStock sets the stock of new sets of a product that is counted by variant, and returns
// the places of other stock numbers in the list.
func setInitialStock(list []catalog.Variant, items []variantItem, by shop.StockBy) (ignored []string, err error) {
	for n, i := range items {
		place, v := "["+strconv.Itoa(n)+"]", &list[n]
		if v.ID != 0 || by != shop.StockByVariant {
			if i.Stock != nil {
				ignored = append(ignored, place+".stock_quantity")
			}
			if i.StockLow.Set {
				ignored = append(ignored, place+".stock_low_threshold")
			}
			continue
		}
		if i.Stock != nil && (*i.Stock < 0 || *i.Stock > maxStock) {
			return nil, errProductStock.At(place + ".stock_quantity").With("must be 0 to 2147483647")
		}
		if err := i.StockLow.apply(&v.StockLow); err != nil {
			return nil, shop.At(err, place+".stock_low_threshold")
		}
		v.Stock = i.Stock
	}
	return ignored, nil
}

func mergeVariants(items []variantItem, old []catalog.Variant) ([]catalog.Variant, error) {
	byID, bySKU := map[catalog.VariantID]catalog.Variant{}, map[string]catalog.Variant{}
	for _, v := range old {
		byID[v.ID] = v
		if v.SKU != "" {
			bySKU[v.SKU] = v
		}
	}
	list := []catalog.Variant{}
	ids, skus := map[catalog.VariantID]bool{}, map[string]bool{}
	for n, i := range items {
		v, known := byID[i.ID]
		if i.ID != 0 && !known {
			return nil, shop.AtEntry(catalog.ErrVariantNotFound.At("id").With(i.ID.String()), "", n)
		}
		if i.ID == 0 && i.SKU != nil {
			v = bySKU[strings.TrimSpace(*i.SKU)]
		}
		if err := i.apply(&v); err != nil {
			return nil, shop.AtEntry(err, "", n)
		}
		if v.ID != 0 && ids[v.ID] {
			return nil, shop.AtEntry(errVariants.At("id").With("variant "+v.ID.String()+" is sent twice"), "", n)
		}
		if v.SKU != "" && skus[v.SKU] {
			return nil, shop.AtEntry(errVariantSKU.At("sku").With(v.SKU), "", n)
		}
		ids[v.ID], skus[v.SKU] = true, true
		list = append(list, v)
	}
	return list, nil
}

func (i variantItem) apply(v *catalog.Variant) error {
	if v.ID == 0 {
		v.IsActive, v.Options = true, map[string]string{}
	}
	api.Set(&v.SKU, i.SKU)
	api.Set(&v.Title, i.Title)
	api.Set(&v.GTIN, i.GTIN)
	api.Set(&v.GalleryID, i.GalleryID)
	api.Set(&v.Swatch, i.Swatch)
	api.Set(&v.IsActive, i.IsActive)
	if i.Price.Set {
		v.Price = i.Price.Price
	}
	if i.OldPrice.Set {
		v.OldPrice = i.OldPrice.Price
	}
	if err := i.WeightG.apply(&v.WeightG); err != nil {
		return shop.At(err, "weight_g")
	}
	if i.ImageID.Set {
		v.ImageID = i.ImageID.ID
	}
	if i.Options != nil && *i.Options != nil {
		v.Options = *i.Options
	}
	v.SKU, v.Title, v.GTIN, v.Swatch = strings.TrimSpace(v.SKU), strings.TrimSpace(v.Title), strings.TrimSpace(v.GTIN), strings.ToLower(strings.TrimSpace(v.Swatch))
	return checkVariant(*v)
}

// checkPrice refuses invalid prices, in the smallest units of the currency.
func checkPrice(price int64) error {
	if price < 0 || price > maxPrice {
		return errProductPrice.With("must be 0 to 2000000000")
	}
	return nil
}

func checkVariant(v catalog.Variant) error {
	switch {
	case utf8.RuneCountInString(v.SKU) > maxSKU:
		return errProductSKU.At("sku").With("at most 255 characters")
	case utf8.RuneCountInString(v.Title) > maxVariantText:
		return errVariants.At("title").With("at most 255 characters")
	case v.GalleryID < 0:
		return media.ErrGalleryNotFound.At("gallery_id").With(v.GalleryID.String())
	case v.Swatch != "" && !isSwatch.MatchString(v.Swatch):
		return errVariants.At("swatch").With("must be a colour as #rrggbb")
	case len(v.Options) > maxVariantOptions:
		return errVariants.At("options").With("at most 20 options")
	}
	if err := checkGTIN(v.GTIN); err != nil {
		return shop.At(err, "gtin")
	}
	if v.Price != nil {
		if err := checkPrice(*v.Price); err != nil {
			return shop.At(err, "price")
		}
	}
	if v.OldPrice != nil {
		if err := checkPrice(*v.OldPrice); err != nil {
			return shop.At(err, "old_price")
		}
	}
	for name, value := range v.Options {
		if name == "" || utf8.RuneCountInString(name) > maxVariantText || utf8.RuneCountInString(value) > maxVariantText {
			return errVariants.At("options").With("names and values of options must have 1 to 255 characters")
		}
	}
	return nil
}

// checkVariantLinks refuses photos and galleries that do not belong to the shop.
func checkVariantLinks(ctx context.Context, tx *store.Tx, list []catalog.Variant) error {
	var files []namedFile
	var galleries []shop.GalleryID
	for n, v := range list {
		files = append(files, namedFile{"[" + strconv.Itoa(n) + "].image_id", v.ImageID})
		if v.GalleryID != 0 {
			galleries = append(galleries, v.GalleryID)
		}
	}
	if err := requireFiles(ctx, tx.Reader, errProductFile, files...); err != nil || len(galleries) == 0 {
		return err
	}
	living, err := media.ShareGalleries(ctx, tx, galleries)
	if err != nil {
		return err
	}
	for n, v := range list {
		if v.GalleryID != 0 && !living[v.GalleryID] {
			return shop.AtEntry(media.ErrGalleryNotFound.At("gallery_id").With(v.GalleryID.String()), "", n)
		}
	}
	return nil
}
