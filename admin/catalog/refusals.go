package catalog

import (
	"vitrine/admin/api"
	"vitrine/compile/movein/header"
	"vitrine/internal/shop"
	"vitrine/internal/store"
)

// Refusals of writes by kind of thing, for the endpoint table.
var (
	slugErrors = api.Refuses(shop.ErrSlugNumeric, shop.ErrSlugInvalid, shop.ErrSlugReserved, shop.ErrSlugTaken)

	productErrors = slugErrors.And(errProductGTIN,
		errProductName, errProductPrice, errCurrency, errProductKind, errProductSKU, errProductStock, errProductFile,
		errAttributeValue, store.ErrCategoryType, store.ErrCategoryNotFound, store.ErrAttributeNotFound, store.ErrSKUTaken, store.ErrProductLimit,
		errManyGalleries, errGalleryTwice, store.ErrGalleryNotFound, store.ErrComboInvalid, store.ErrStockOfSet)

	// itemErrors are the refusals of an item before any product is changed.
	itemErrors = api.Refuses(errProductSKU, errProductGTIN, errProductStock, shop.ErrSlugInvalid, errManyGalleries, errAttributeValue, store.ErrComboInvalid, store.ErrStockOfSet)

	variantErrors = api.Refuses(
		errVariants, errVariantsMany, errVariantSKU, store.ErrGalleryNotFound, errProductPrice, errProductStock, errProductSKU, errProductFile,
		store.ErrProductNotFound, store.ErrVariantNotFound, store.ErrVariantSKUTaken)

	attributeErrors = api.Refuses(
		errAttributeName, errAttributeKind, errAttributeOptions, errOptionValue, errOptionLabel, errOptionTwice, store.ErrAttributeNameTaken)

	categoryErrors = slugErrors.And(
		errCategoryName, errCategoryType, errCategoryFile, errManyGalleries, errGalleryTwice, store.ErrGalleryNotFound,
		store.ErrCategoryNotFound, store.ErrCategoryType, store.ErrCategoryTooDeep,
	)

	articleErrors = slugErrors.And(
		errArticleTitle, errArticleBadge, errArticleAuthor, errArticleFile, errManyGalleries, errGalleryTwice, store.ErrGalleryNotFound,
		store.ErrCategoryNotFound)

	galleryErrors = api.Refuses(galleryItemRefusals...).And(errGalleryName, errGalleryNameLong, errCanvas, errCanvasType, store.ErrCanvasTwice)

	importErrors = api.Refuses(errImportEmpty, errImportHeader, errImportLarge, errImportPrices, header.ErrForeign)
)

// errImportCell refuses invalid cells and lines.
var errImportCell = shop.Refuse(shop.InvalidArgument, "IMPORT_CELL_INVALID").When("a cell is not valid for its column")
