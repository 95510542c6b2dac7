package store

// The limit codes.
const (
	LimitRedirects = "redirects_max"
	LimitMasks     = "redirect_masks_max"
	LimitSiteFiles = "site_files_max"
	LimitProducts  = "products_max"
	LimitStorage   = "storage_bytes"
)

// LimitCodes lists every limit that a plan may set.
var LimitCodes = []string{LimitRedirects, LimitMasks, LimitSiteFiles, LimitProducts, LimitStorage}
