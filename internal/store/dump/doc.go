// Package dump writes a whole database into a file and fills an empty one from it, with the
// programs of PostgreSQL, pg_dump and pg_restore.
//
// A Snapshot is one moment of a database that is in use: the dump, the counts of rows and the list
// of objects that they need are all of that moment. A Target is the database of a restore. Loading
// is one transaction, so an interrupted restore leaves the database empty.
package dump
