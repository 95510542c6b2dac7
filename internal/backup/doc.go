// Package backup writes one shop into a file and reads it back as a new shop, on the same
// installation or another.
//
// The file is a zip:
//
//	shop.json             settings of the shop
//	members.jsonl         its members, by email
//	buyers.jsonl          its buyers, by email or as guests
//	tables/<table>.jsonl  one row per line, as printed by the database
//	blobs/<sha256>        the contents of its files, not compressed
//	manifest.json         last: format, version, and the size and sha256 of
//	                      every other entry; for tables their columns and rows
//
// The comment of the zip is the sha256 of the manifest. Rows come from one snapshot. The list
// of tables is read from the database: all tables with a company_id except those that belong
// to the installation, not to the shop (see excludedTables). Keys, sessions, passwords, PINs,
// upload addresses and credentials of payment providers are never in a backup.
//
// Ids are unique to an installation, so an import gives every row a new one and rewrites all
// references to it: columns and JSON (refer.go), and ids that owners wrote into texts, html
// documents and site files (address.go). File ids are uuids and stay.
//
// Money stays with the shop it was paid to: an import closes pending payments and removes the
// provider's identifiers from the others (store.Restore.SettlePayments).
//
// An import first verifies the whole file, then stores the blobs, which do no harm by
// themselves, then writes all rows in one transaction.
package backup

import "errors"

const (
	format  = "vitrine shop"
	version = 2 // since 2 with buyers

	manifestName = "manifest.json"
	shopName     = "shop.json"
	membersName  = "members.jsonl"
	buyersName   = "buyers.jsonl"
	tableDir     = "tables/"
	blobDir      = "blobs/"
)

// Limits for reading a file.
const (
	maxRatio  = 200      // maximum compression ratio of rows
	freeRatio = 16 << 20 // size in bytes of entries that the ratio does not apply to
)

// Errors of a backup file; compare with errors.Is.
var (
	ErrForeign = errors.New("this is not a backup of a vitrine shop")
	ErrNewer   = errors.New("the backup was made by a newer vitrine")
	ErrDamaged = errors.New("the backup is damaged")

	// ErrTooLarge reports that a file exceeds the limits it was opened with.
	ErrTooLarge = errors.New("the backup is too large")
)

// excludedTables are tables that belong to the installation and are left out: credentials, and
// journals of its events.
var excludedTables = map[string]bool{
	"api_key": true, "idempotency_key": true, "rate_count": true, "company_change": true, "audit_log": true, "event": true,
	"shop_move": true, "shop_move_person": true, "shop_link_key": true, // of moves between installations
	"session": true,                                        // of buyers
	"cart":    true, "cart_line": true, "cart_merge": true, // of visitors, who will fill them again
	"cart_reminder":   true,                         // with the carts
	"assist_key":      true,                         // of this installation's shop
	"assist_platform": true, "assist_session": true, // programs that call this installation, and the carts that they fill
	"draft_edit": true,                                               // versions that callers here have read
	"letter":     true, "letter_bounce": true, "letter_domain": true, // emails sent from here, and the key that signs them
	"event_counter": true, "webhook": true, "webhook_secret": true, "webhook_delivery": true, // webhooks and the events delivered from here
	"access_grant":   true,                          // passwords, valid only for this installation's shop
	"payment_notice": true, "sandbox_payment": true, // notifications of providers to this installation
	"charge":           true,                                                                                                                      // charges that this installation has to end
	"visit_mark":       true,                                                                                                                      // today's visitors, hashed with a salt of this installation
	"blob_reservation": true,                                                                                                                      // uploads in progress
	"invitation":       true,                                                                                                                      // with codes of this installation
	"job":              true,                                                                                                                      // work of this installation
	"move_in":          true, "move_in_origin": true, "move_in_change": true, "move_in_picture": true, "move_in_place": true, "move_in_use": true, // imports of this installation
	"member":     true,                      // members.jsonl
	"oauth_code": true, "oauth_token": true, // what people of this installation allowed programs
	"assistant_client": true, "assistant_link": true, "assistant_token": true, // likewise
	"packed_file":     true,                         // created again by the next publication
	"site_file_build": true, "site_file_copy": true, // built again
}

type manifest struct {
	Format  string           `json:"format"`
	Version int              `json:"version"`
	Slug    string           `json:"slug"`
	Entries map[string]entry `json:"entries"`
}

// entry describes one file of the zip in the manifest.
type entry struct {
	Size    int64    `json:"size"`
	SHA256  string   `json:"sha256"`
	Rows    int      `json:"rows,omitempty"`
	Columns []string `json:"columns,omitempty"`
}
