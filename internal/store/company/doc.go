// Package company stores shops: their slug and domains, plan limits, settings, life cycle, and
// the list of tables that hold rows of shops.
package company
