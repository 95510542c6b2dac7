// Package sitefile stores templated site files (feeds, robots.txt, verification files) and
// the copies that were built from them.
package sitefile
