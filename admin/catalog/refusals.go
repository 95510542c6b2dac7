package catalog

import (
	"vitrine/admin/api"
	"vitrine/compile/movein/header"
	"vitrine/internal/shop"
	"vitrine/internal/store/catalog"
	"vitrine/internal/store/media"
)

// Refusals of writes by kind of thing, for the endpoint table.
var (
	slugErrors = api.Refuses(shop.ErrSlugNumeric, shop.ErrSlugInvalid, shop.ErrSlugReserved, shop.ErrSlugTaken)

	productErrors = slugErrors.And(errProductGTIN, errProductWeight, errProductCountry,
		errProductName, errProductPrice, errCurrency, errProductKind, errTaxClass, errProductSKU, errProductStock, errProductFile,
		errAttributeValue, catalog.ErrCategoryType, catalog.ErrCategoryNotFound, catalog.ErrAttributeNotFound, catalog.ErrSKUTaken, catalog.ErrProductLimit,
		errManyGalleries, errGalleryTwice, media.ErrGalleryNotFound, catalog.ErrComboInvalid, catalog.ErrStockOfSet, catalog.ErrStockByVariant, api.ErrContour, api.ErrDevMode)

	// itemErrors are the refusals of an item before any product is changed.
	itemErrors = api.Refuses(api.ErrContour, api.ErrDevMode, errProductSKU, errProductGTIN, errProductWeight, errProductCountry, errProductStock, shop.ErrSlugInvalid, errManyGalleries, errAttributeValue, catalog.ErrComboInvalid, catalog.ErrStockOfSet)

	// wholeErrors are those of a product with its variant sets and its stock.
	wholeErrors = productErrors.And(errVariants, errVariantsMany, errVariantSKU, catalog.ErrVariantNotFound, catalog.ErrVariantSKUTaken, api.ErrMethodForKeys)

	variantErrors = api.Refuses(
		errVariants, errVariantsMany, errVariantSKU, media.ErrGalleryNotFound, errProductPrice, errProductGTIN, errProductWeight, errProductStock, errProductSKU, errProductFile,
		catalog.ErrProductNotFound, catalog.ErrVariantNotFound, catalog.ErrVariantSKUTaken)

	attributeErrors = api.Refuses(
		errAttributeName, errAttributeKind, errAttributeOptions, errOptionValue, errOptionLabel, errOptionTwice, catalog.ErrAttributeNameTaken)

	categoryErrors = slugErrors.And(
		errCategoryName, errCategoryType, errCategoryFile, errManyGalleries, errGalleryTwice, media.ErrGalleryNotFound,
		catalog.ErrCategoryNotFound, catalog.ErrCategoryType, catalog.ErrCategoryTooDeep,
	)

	articleErrors = slugErrors.And(
		errArticleTitle, errArticleBadge, errArticleAuthor, errArticleFile, errManyGalleries, errGalleryTwice, media.ErrGalleryNotFound,
		catalog.ErrCategoryNotFound)

	galleryErrors = api.Refuses(galleryItemRefusals...).And(errGalleryName, errGalleryNameLong, errCanvas, errCanvasType, media.ErrCanvasInUse)

	importErrors = api.Refuses(api.ErrImportEmpty, errImportHeader, errImportLarge, errImportPrices, header.ErrForeign)
)

// errImportCell refuses invalid cells and lines.
var errImportCell = shop.Refuse(shop.InvalidArgument, "IMPORT_CELL_INVALID").When("a cell is not valid for its column")
