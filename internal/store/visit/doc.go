// Package visit stores the statistics of visits by day that edges count (package
// visitstats).
package visit
