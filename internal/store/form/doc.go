// Package form stores forms, the leads that visitors sent with them, and the files of
// leads.
package form
