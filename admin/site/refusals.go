package site

import (
	"vitrine/admin/api"
	"vitrine/compile/release"
	"vitrine/internal/store"
)

// What the writes of a noun may refuse, for the rows of the table.
var (
	documentErrors = api.Refuses(errDocumentName, errDocumentText, errDocumentLevel, release.ErrUseRelease)
	releaseErrors  = api.Refuses(store.ErrDocumentNotFound, store.ErrReleaseNotFound)
)
