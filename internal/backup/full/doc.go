// Package full keeps a whole installation in a folder, and restores it from there.
//
//	backup.json                 what the backup consists of, with the hash of each file
//	database-<time>.dump        the database, in the custom format of pg_dump
//	objects-<time>.txt          the hashes of the objects that its rows need, one a line, sorted
//	objects/sha256/ab/abcd…     the objects, as in a directory of package blob
//
// backup.json is written last and replaced at once, so a backup that was cut off is not one, and
// the one before stays valid. A second backup into the folder copies only new objects, and then
// removes what only the former one needed.
//
// The secret key is not part of a backup, which contains only its fingerprint: the secrets of
// shops stay sealed.
package full
