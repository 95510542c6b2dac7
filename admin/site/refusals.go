package site

import (
	"vitrine/admin/api"
	"vitrine/compile/release"
	"vitrine/internal/store"
)

// What the writes of a noun may refuse, for the rows of the table.
var (
	blockErrors   = api.Refuses(errBlockName, errBlockGroup, errBlockSections, errSectionType, errBlockTooLarge)
	attachErrors  = api.Refuses(errTooManyBlocks, store.ErrBlockNotFound, store.ErrDuplicateBlock)
	bindingErrors = api.Refuses(
		errBindingType, errBindingID, store.ErrArticleNotFound, store.ErrCategoryNotFound, store.ErrProductNotFound)

	documentErrors = api.Refuses(errDocumentName, errDocumentText, errDocumentLevel, release.ErrUseRelease)
	releaseErrors  = api.Refuses(store.ErrDocumentNotFound, store.ErrReleaseNotFound)
)
