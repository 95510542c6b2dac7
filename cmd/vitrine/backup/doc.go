// Package backup writes one shop into a file and reads it back as a new shop, on
// the same installation or another.
//
// The file is a zip:
//
//	shop.json             settings of the shop
//	members.jsonl         its people, by email
//	buyers.jsonl          who bought there, by email or as a guest
//	tables/<table>.jsonl  one row a line, as the database prints it
//	blobs/<sha256>        the bytes of its files, not compressed
//	manifest.json         last: format, version, and of every other entry its
//	                      size and sha256; of tables their columns and rows
//
// The comment of the zip is the sha256 of the manifest. Rows come from one
// snapshot. Which tables there are is read from the database: everything with a
// company_id but what belongs to the installation, not to the shop (see left).
// Keys, sessions, passwords, PINs, upload addresses and what payment providers are
// reached with are never in a backup.
//
// Ids are numbers of one installation, so an import gives every row a new one
// and rewrites what points at it: columns and JSON (refer.go), and what owners wrote
// into texts, html documents and site files (address.go). File ids are uuids and stay.
//
// Money stays where it was paid: an import closes payments that are pending and
// forgets by which names providers know the others (store.Restore.SettlePayments).
//
// An import checks the whole file first, then stores the blobs, which are
// harmless alone, then writes all rows in one transaction.
package backup

import "errors"

const (
	format  = "vitrine shop"
	version = 2 // from 2 on with buyers

	manifestName = "manifest.json"
	shopName     = "shop.json"
	membersName  = "members.jsonl"
	buyersName   = "buyers.jsonl"
	tableDir     = "tables/"
	blobDir      = "blobs/"
)

// Bounds of a file that is read.
const (
	maxManifest = 64 << 20
	maxRow      = 64 << 20
	maxRatio    = 200      // of rows that deflate has packed
	freeRatio   = 16 << 20 // bytes of an entry to which the ratio does not apply
)

// Errors of a file, matched with errors.Is.
var (
	ErrForeign = errors.New("this is no backup of a vitrine shop")
	ErrNewer   = errors.New("the backup was made by a newer vitrine")
	ErrDamaged = errors.New("the backup is damaged")
)

// left are tables that belong to the installation: credentials, and journals of
// what happened there.
var left = map[string]bool{
	"api_key": true, "idempotency_key": true, "rate_count": true, "company_change": true, "audit_log": true, "event": true,
	"session": true,                                        // of buyers
	"cart":    true, "cart_line": true, "cart_merge": true, // of visitors who will fill them again
	"letter": true, "letter_bounce": true, "letter_domain": true, // what was written from here, and the key that signs it
	"event_counter": true, "webhook": true, "webhook_secret": true, "webhook_delivery": true, // who was told from here, of what
	"access_grant":   true,                          // passwords, which open this installation's shop alone
	"payment_notice": true, "sandbox_payment": true, // what providers told this installation
	"visit_mark":       true,                         // who visited today, under a salt of this installation
	"blob_reservation": true,                         // bytes on their way
	"invitation":       true,                         // with codes of this installation
	"member":           true,                         // members.jsonl
	"packed_file":      true,                         // made again by the next publish
	"site_file_build":  true, "site_file_copy": true, // built anew
}

type manifest struct {
	Format  string           `json:"format"`
	Version int              `json:"version"`
	Slug    string           `json:"slug"`
	Entries map[string]entry `json:"entries"`
}

// entry is what the manifest says of one file of the zip.
type entry struct {
	Size    int64    `json:"size"`
	SHA256  string   `json:"sha256"`
	Rows    int      `json:"rows,omitempty"`
	Columns []string `json:"columns,omitempty"`
}
