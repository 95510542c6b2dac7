// Package backup reads all rows of a shop and writes them back as a new shop. It works on the
// tables of company.TenantTables, so that a new table is part of the next backup.
package backup
