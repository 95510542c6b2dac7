// Package migrations holds the schema as numbered SQL files, applied forward
// only. A file that has been released is never edited: the next change is the
// next number.
package migrations

import "embed"

// FS is the directory of migrations.
//
//go:embed *.sql
var FS embed.FS
