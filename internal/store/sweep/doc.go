// Package sweep removes rows that were begun and never finished, and folders whose section
// or layout was deleted.
package sweep
