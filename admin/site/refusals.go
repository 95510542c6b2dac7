package site

import (
	"vitrine/admin/api"
	"vitrine/compile"
	"vitrine/compile/loop"
	"vitrine/compile/redirect"
	"vitrine/compile/release"
	"vitrine/internal/shop"
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

	// walkErrors is what following every rule to its end may find.
	walkErrors = api.Refuses(loop.ErrLoop, loop.ErrChainTooLong)
	ruleErrors = walkErrors.And(
		redirect.ErrInvalidSource, redirect.ErrInvalidQuery, redirect.ErrInvalidTarget, redirect.ErrExternalNotAllowed,
		compile.ErrReservedPath, store.ErrRuleDuplicate, errRuleLimit, errMaskLimit, errRuleCeiling, errMaskCeiling)
	// A rollback brings back rules that were in the set, so they are rules.
	rollbackErrors = walkErrors.And(
		store.ErrRuleVersionNotFound, compile.ErrReservedPath, errRuleLimit, errMaskLimit, errRuleCeiling, errMaskCeiling)
	fileErrors = api.Refuses(
		errFileName, errFileReserved, errFileTemplate, errFileBodySize, store.ErrSiteFileCategory, store.ErrSiteFilePathTaken)
	moveErrors = ruleErrors.And(
		errMoveType, errPinScope, errRulesForbidden, store.ErrCategoryNotFound, store.ErrCategoryCycle, store.ErrCategoryTooDeep, shop.ErrSlugTaken)
)
