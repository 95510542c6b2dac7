package backup

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"

	"github.com/google/uuid"

	"vitrine/internal/blob"
	"vitrine/internal/shop"
	"vitrine/internal/store"
	"vitrine/internal/store/backup"
	companydb "vitrine/internal/store/company"
)

var slugForm = regexp.MustCompile(`^[a-z][a-z0-9-]{0,62}$`)

// batch is the maximum number of rows inserted by one statement.
const batch = 500

// Import creates a shop from a backup, under its own slug or another. Nothing is written
// before the whole file has been verified.
func Import(ctx context.Context, s *store.Store, blobs blob.Store, r io.ReaderAt, size int64, slug string) (shop.CompanyID, Report, error) {
	a, err := Open(ctx, r, size, operators)
	if err != nil {
		return 0, Report{}, err
	}
	tables, err := companydb.TenantTables(ctx, s)
	if err != nil {
		return 0, Report{}, err
	}
	if slug == "" {
		slug = a.Slug
	}
	if !slugForm.MatchString(slug) {
		return 0, Report{}, fmt.Errorf("%q is not a valid slug of a shop: a-z, 0-9 and -, starting with a letter, at most 63", slug)
	}
	if _, err := companydb.CompanyBySlug(ctx, s, slug); err == nil { // before the bytes are transferred
		return 0, Report{}, shop.ErrSlugTaken.With(slug + ": choose another one with --slug")
	}
	m := &importer{Archive: a, ids: IDs{}, tables: tables}
	if err := m.checkKnown(); err != nil {
		return 0, Report{}, err
	}
	if err := m.blobs(ctx, blobs); err != nil {
		return 0, Report{}, err
	}
	err = backup.RestoreShop(ctx, s, func(to *backup.Restore) error {
		m.to = to
		if err := to.Begin(ctx, m.files[tableDir+"customer.jsonl"] != nil); err != nil {
			return err
		}
		if err := m.shop(ctx, slug); err != nil {
			return err
		}
		return m.all(ctx, blobs)
	})
	if err == nil {
		err = m.storeMissing(ctx, blobs)
	}
	if err != nil {
		return 0, Report{}, err
	}
	return m.to.Company, m.report, nil
}

type importer struct {
	*Archive
	ids    IDs
	tables []companydb.TenantTable
	to     *backup.Restore
	report Report

	rewritten map[string]blob.Ref // rewritten html files, by their old hash
}

func tableFile(t companydb.TenantTable) string { return tableDir + t.Name + ".jsonl" }

// checkKnown refuses tables and columns that this database does not have: skipping them would
// silently lose a part of the shop.
func (m *importer) checkKnown() error {
	for name, e := range m.Entries {
		table, ok := strings.CutPrefix(name, tableDir)
		if !ok {
			continue
		}
		table = strings.TrimSuffix(table, ".jsonl")
		i := slices.IndexFunc(m.tables, func(t companydb.TenantTable) bool { return t.Name == table })
		if i < 0 || excludedTables[m.tables[i].Base()] {
			return fmt.Errorf("%w: it has an unknown table %q", ErrNewer, table)
		}
		for _, c := range e.Columns {
			if !slices.Contains(m.tables[i].Columns, c) {
				return fmt.Errorf("%w: it has an unknown column %s.%s", ErrNewer, table, c)
			}
		}
	}
	return nil
}

func (m *importer) blobs(ctx context.Context, to blob.Store) error {
	for name := range m.Entries {
		sha, ok := strings.CutPrefix(name, blobDir)
		if !ok {
			continue
		}
		if err := m.put(ctx, to, name, sha); err != nil {
			return err
		}
		m.report.Blobs++
	}
	return nil
}

// storeMissing stores blobs again that were deleted between blobs and the transaction, because
// another shop stopped using them before the rows of this one referred to them.
func (m *importer) storeMissing(ctx context.Context, to blob.Store) error {
	for name := range m.Entries {
		sha, ok := strings.CutPrefix(name, blobDir)
		if !ok {
			continue
		}
		has, err := to.Has(ctx, sha)
		if err == nil && !has {
			err = m.put(ctx, to, name, sha)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (m *importer) put(ctx context.Context, to blob.Store, name, sha string) error {
	r, err := m.files[name].Open()
	if err != nil {
		return err
	}
	if err := to.PutExpect(ctx, r, sha, m.Entries[name].Size); err != nil {
		return fmt.Errorf("file %s: %w", sha, err)
	}
	return r.Close()
}

// all assigns a new id to every row, then writes the rows: references may point forwards and
// be circular.
func (m *importer) all(ctx context.Context, blobs blob.Store) error {
	for _, t := range m.tables {
		if t.Identity && !excludedTables[t.Name] {
			if err := m.number(ctx, t); err != nil {
				return err
			}
		}
	}
	if err := m.pages(ctx, blobs); err != nil {
		return err
	}
	for _, t := range m.tables {
		if excludedTables[t.Base()] {
			continue
		}
		if err := m.table(ctx, t); err != nil {
			return err
		}
		m.report.Tables++
	}
	if err := m.to.SettleReminders(ctx, m.ids["promotion"]); err != nil {
		return err
	}
	if err := m.to.SettlePayments(ctx); err != nil {
		return err
	}
	if err := m.to.SettleStock(ctx); err != nil {
		return err
	}
	return m.replaceBlobs(ctx)
}

// rulesOfVersions calls each with the rules in versions of the redirect set: a deleted rule
// gets its own id back when the set is restored to a version.
func (m *importer) rulesOfVersions(each func(fields map[string]any) error) error {
	return m.rows(tableDir+"redirect_version.jsonl", func(fields map[string]any) error {
		edits, _ := fields["edits"].([]any)
		for _, edit := range edits {
			rule, _ := edit.(map[string]any)
			id := rule["id"]
			if digits, ok := id.(string); ok {
				id = json.Number(digits)
			}
			if err := each(map[string]any{"id": id}); err != nil {
				return err
			}
		}
		return nil
	})
}

// number assigns new ids to a table and its draft together: a draft row has the id of the
// live one, or its own from the same sequence.
func (m *importer) number(ctx context.Context, t companydb.TenantTable) error {
	var old []int64
	seen := map[int64]bool{}
	for _, name := range []string{tableFile(t), tableDir + "draft." + t.Name + ".jsonl"} {
		note := func(fields map[string]any) error {
			n, ok := fields["id"].(json.Number)
			if !ok {
				return fmt.Errorf("%w: %s: a row without an id", ErrDamaged, name)
			}
			id, err := n.Int64()
			if err != nil || id == 0 {
				return fmt.Errorf("%w: %s: id %s", ErrDamaged, name, n)
			}
			if !seen[id] {
				seen[id] = true
				old = append(old, id)
			}
			return nil
		}
		err := m.rows(name, note)
		if err == nil && t.Name == "redirect_rule" {
			err = m.rulesOfVersions(note)
		}
		if err != nil {
			return err
		}
	}
	slices.Sort(old) // lists are ordered by id
	fresh, err := m.to.NewIDs(ctx, t, len(old))
	if err != nil {
		return err
	}
	slices.Sort(fresh)
	m.ids[t.Name] = make(map[int64]int64, len(old))
	for i, id := range old {
		m.ids.Put(t.Name, id, fresh[i])
	}
	return nil
}

func (m *importer) table(ctx context.Context, t companydb.TenantTable) error {
	var rows []json.RawMessage
	columns := m.Entries[tableFile(t)].Columns
	flush := func() error {
		if len(rows) == 0 {
			return nil
		}
		err := m.to.Insert(ctx, t, columns, rows)
		m.report.Rows += len(rows)
		rows = rows[:0]
		return err
	}
	err := m.Archive.rows(tableFile(t), func(fields map[string]any) error {
		if !m.ids.row(t.Base(), t.Key, fields) {
			return nil
		}
		if err := renewUpload(t, fields); err != nil {
			return err
		}
		m.relink(t, fields)
		row, err := json.Marshal(fields)
		if err != nil {
			return err
		}
		if rows = append(rows, row); len(rows) == batch {
			return flush()
		}
		return nil
	})
	if err == nil {
		err = flush()
	}
	if err != nil {
		return err
	}
	return m.to.CompleteBases(ctx, t)
}

// renewUpload gives a media file a new upload address that is not known to anyone: upload ids
// are unique in a database.
func renewUpload(t companydb.TenantTable, fields map[string]any) error {
	if t.Name != "media_file" {
		return nil
	}
	id, err := uuid.NewRandom()
	fields["upload_id"], fields["upload_hash"] = id, `\x`
	return err
}
