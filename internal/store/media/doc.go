// Package media stores the library of a shop's files, its collections and galleries, and
// the account of the bytes that a shop keeps in the blob store.
//
// Bytes are reserved before they are uploaded and charged to the account in the transaction
// that refers to them. References lists every column that names an object, so that a sweep
// removes only objects without one.
package media
