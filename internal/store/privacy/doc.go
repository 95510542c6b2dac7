// Package privacy exports and erases what is stored about a person. Every column with
// personal data is listed in personal.go, and a test compares the list with the database.
package privacy
