// Package redirect stores the ordered redirect rules of a shop with their versions and hits,
// and the log of addresses that led nowhere.
package redirect
