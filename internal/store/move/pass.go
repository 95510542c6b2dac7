package move

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"

	"vitrine/internal/store"
	"vitrine/internal/store/company"
)

// batch is how many rows are written by one statement.
const batch = 500

// snapshot reads the shop as of one moment.
func (m *mover) snapshot(ctx context.Context, do func(tx pgx.Tx) error) error {
	return pgx.BeginTxFunc(ctx, m.read, store.Snapshot, do)
}

// history identifies a database whose transaction ids continue.
const history = `concat_ws(' ', (SELECT system_identifier FROM pg_control_system()), left(pg_walfile_name(pg_current_wal_insert_lsn()), 8),
	(SELECT oid FROM pg_database WHERE datname = current_database()), pg_relation_filenode('public.company'))`

// pass brings the copy to the state of a snapshot, and returns how many rows it has written.
func (m *mover) pass(ctx context.Context, read pgx.Tx) (n int, err error) {
	var now, then struct{ history, since string }
	if err := read.QueryRow(ctx, `SELECT `+history+`, (pg_snapshot_xmin(pg_current_snapshot())::text::bigint % 4294967296)::text`).Scan(&now.history, &now.since); err != nil {
		return 0, err
	}
	if err := m.write.QueryRow(ctx, `SELECT history, since FROM shop_move WHERE company_id = $1`, m.company.to).Scan(&then.history, &then.since); err != nil {
		return 0, err
	}
	since := then.since
	if then.history != now.history {
		since = "" // another database, or the same one after it has lost writes
	}
	before := m.report.Rows
	if err := m.copyShop(ctx, read); err != nil {
		return 0, err
	}
	stuck := map[*table][]row{}
	for _, t := range m.tables {
		if err := m.copyChanged(ctx, read, t, since, stuck); err != nil {
			return 0, fmt.Errorf("rows of %s: %w", t.Name, err)
		}
		if err := m.noteFreeze(ctx); err != nil {
			return 0, err
		}
	}
	if err := m.settle(ctx, read, stuck); err != nil {
		return 0, err
	}
	if err := m.renew(ctx, read, since); err != nil {
		return 0, fmt.Errorf("accounts: %w", err)
	}
	_, err = m.write.Exec(ctx, `UPDATE shop_move SET history = $2, since = $3 WHERE company_id = $1`, m.company.to, now.history, now.since)
	m.report.Passes++
	return m.report.Rows - before, err
}

// copyShop copies the shop's own row.
func (m *mover) copyShop(ctx context.Context, read pgx.Tx) error {
	row, err := m.shopRow(ctx, read)
	if err != nil {
		return err
	}
	columns, err := columnsOf(row)
	if err != nil {
		return err
	}
	list := company.Quoted(columns)
	_, err = m.write.Exec(ctx, `UPDATE company SET (`+list+`) = (SELECT `+list+` FROM jsonb_populate_record(NULL::company, $2)) WHERE id = $1`, m.company.to, row)
	if store.UniqueViolation(err, "company_slug_key") {
		return ErrSlugTaken
	}
	return err
}

// row is a row as the database prints it, with the owner of its secret.
type row struct {
	text []byte
	of   string
}

// selectRows is the beginning of a statement that reads rows of a table.
func (t *table) selectRows() string {
	of := "''"
	if t.of != "" {
		of = t.of
	}
	return `SELECT to_jsonb(t) - 'of owner', "of owner" FROM (SELECT ` + t.List("%[1]s::text AS %[1]s", t.Columns) + `, ` + of + ` AS "of owner" FROM ` + t.Ident() + ` WHERE ` + t.where()
}

// copyChanged copies the rows of a table that transactions since a moment have written, or all of them.
// A transaction that ran at that moment may have savepoints with later ids, so all ids from the oldest
// one that ran are later. Ids so old that they seem to come are copied once more.
func (m *mover) copyChanged(ctx context.Context, read pgx.Tx, t *table, since string, stuck map[*table][]row) error {
	sql, args := t.selectRows(), []any{m.company.from}
	if since != "" {
		sql, args = sql+` AND age(xmin) <= age($2::text::xid)`, append(args, since)
	}
	return m.copyRows(ctx, read, t, stuck, sql+`) t`, args...)
}

func (m *mover) copyRows(ctx context.Context, read pgx.Tx, t *table, stuck map[*table][]row, sql string, args ...any) error {
	rows, err := read.Query(ctx, sql, args...)
	if err != nil {
		return err
	}
	defer rows.Close()
	var list []row
	flush := func() error {
		if len(list) == 0 {
			return nil
		}
		err := m.put(ctx, t, list, stuck)
		list = list[:0]
		return err
	}
	for rows.Next() {
		var text json.RawMessage
		var of string
		if err := rows.Scan(&text, &of); err != nil {
			return err
		}
		if list = append(list, row{slices.Clone(text), of}); len(list) == batch {
			if err := flush(); err != nil {
				return err
			}
		}
	}
	if err := rows.Err(); err != nil {
		return err
	}
	return flush()
}

// put writes rows into the copy. Those that others are in the way of, by a slug for example that both
// had one after the other, become stuck.
func (m *mover) put(ctx context.Context, t *table, list []row, stuck map[*table][]row) error {
	if err := m.putObjects(ctx, t, list); err != nil {
		return err
	}
	err := m.insert(ctx, t, list)
	switch {
	case !inTheWay(err):
	case len(list) == 1:
		stuck[t] = append(stuck[t], list[0])
		return nil
	default:
		for _, one := range list {
			if err := m.put(ctx, t, []row{one}, stuck); err != nil {
				return err
			}
		}
		return nil
	}
	if err == nil {
		m.report.Rows += len(list)
		err = m.putObjects(ctx, t, list) // again what the other bucket's upkeep has deleted meanwhile
	}
	return err
}

// inTheWay reports whether rows were refused because of others.
func inTheWay(err error) bool { return code(err) == "23505" || store.IsReferenced(err) }

// putObjects copies the objects that rows are about.
func (m *mover) putObjects(ctx context.Context, t *table, list []row) error {
	if t.objects == "" {
		return nil
	}
	for _, one := range list {
		fields := map[string]any{}
		if err := json.Unmarshal(one.text, &fields); err != nil {
			return err
		}
		if sha, _ := fields[t.objects].(string); sha != "" {
			if err := m.Copy(ctx, sha); err != nil {
				return err
			}
		}
	}
	return nil
}

func (m *mover) insert(ctx context.Context, t *table, list []row) error {
	known := map[int64]int64{} // people that the transaction adds
	err := pgx.BeginFunc(ctx, m.write, func(tx pgx.Tx) error {
		texts := make([]json.RawMessage, len(list))
		fields, err := m.rewrite(ctx, tx, t, list, known)
		if err != nil {
			return err
		}
		for i := range list {
			texts[i] = list[i].text
			if fields != nil {
				if texts[i], err = json.Marshal(fields[i]); err != nil {
					return err
				}
			}
		}
		return t.upsert(ctx, tx, m, texts)
	})
	if err == nil {
		for was, id := range known {
			m.known[was] = id
		}
	}
	return err
}

// upsert adds rows to the copy, or replaces those with their keys.
func (t *table) upsert(ctx context.Context, tx pgx.Tx, m *mover, texts []json.RawMessage) error {
	list := company.Quoted(t.Columns)
	source := `jsonb_populate_recordset(NULL::` + t.Ident() + `, $2) n`
	var same, sets []string
	for _, c := range t.primary {
		if c != "company_id" {
			same = append(same, fmt.Sprintf("o.%[1]s = n.%[1]s", company.Quoted([]string{c})))
		}
	}
	for _, c := range t.Columns {
		switch {
		case slices.Contains(t.primary, c):
		case slices.Contains(t.identity, c):
			// A sequence's number is never updated: the row is another one with the same key.
			_, err := tx.Exec(ctx, fmt.Sprintf(`DELETE FROM %s o USING %s WHERE o.company_id = $1 AND %s AND o.%[4]s <> n.%[4]s`,
				t.Ident(), source, strings.Join(same, " AND "), company.Quoted([]string{c})), m.company.to, texts)
			if err != nil {
				return err
			}
		default:
			sets = append(sets, fmt.Sprintf("%[1]s = excluded.%[1]s", company.Quoted([]string{c})))
		}
	}
	action := "NOTHING"
	if len(sets) > 0 {
		action = "UPDATE SET " + strings.Join(sets, ", ")
	}
	_, err := tx.Exec(ctx, `INSERT INTO `+t.Ident()+` (company_id, `+list+`) OVERRIDING SYSTEM VALUE
		SELECT $1, `+t.List("(%s #>> '{}')::json", t.Columns)+` FROM `+source+`
		ON CONFLICT (`+company.Quoted(t.primary)+`) DO `+action, m.company.to, texts)
	return err
}

// rounds is how often settle tries.
const rounds = 4

// settle removes the rows that the shop no longer has, and adds those that are missing: rows that were
// stuck, and rows that went with others of the copy.
func (m *mover) settle(ctx context.Context, read pgx.Tx, stuck map[*table][]row) error {
	for range rounds {
		again := false
		for _, t := range slices.Backward(m.tables) {
			extra, missing, err := m.differences(ctx, read, t)
			if err != nil {
				return err
			}
			if len(extra) > 0 {
				_, err := m.write.Exec(ctx, `DELETE FROM `+t.Ident()+` t WHERE `+t.where()+` AND `+m.key(t, true)+` = ANY($2)`, m.company.to, extra)
				if again = again || inTheWay(err); err != nil && !inTheWay(err) {
					return err
				}
			}
			if len(missing) > 0 {
				again = true
				err := m.copyRows(ctx, read, t, stuck, t.selectRows()+` AND `+m.key(t, false)+` = ANY($2)) t`, m.company.from, missing)
				if err != nil {
					return err
				}
			}
		}
		was := stuck
		stuck = map[*table][]row{}
		for _, t := range m.tables {
			for _, one := range was[t] {
				again = true
				if err := m.put(ctx, t, []row{one}, stuck); err != nil {
					return err
				}
			}
		}
		if !again {
			return nil
		}
	}
	return errTangled
}

// key is the key of a row of table t as a text of SQL; in the copy with the ids that people had.
func (m *mover) key(t *table, copied bool) string {
	parts := make([]string, len(t.Key))
	for i, c := range t.Key {
		parts[i] = company.Quoted([]string{c})
		if copied && t.ofCaller(c) {
			parts[i] = `coalesce((SELECT convert_to('` + callerOf + `' || k.was, 'UTF8') FROM shop_move_person k
				WHERE k.company_id = $1 AND convert_to('` + callerOf + `' || k.id, 'UTF8') = credential), credential)`
		}
		if copied && personal[c] {
			parts[i] = `coalesce((SELECT k.was FROM shop_move_person k WHERE k.company_id = $1 AND k.id = ` + parts[i] + `), ` + parts[i] + `)`
		}
	}
	if len(parts) == 0 {
		return `''`
	}
	return `jsonb_build_array(` + strings.Join(parts, ", ") + `)::text COLLATE "C"`
}

// differences returns the keys of rows that only the copy has, and of those that it lacks. It compares
// keys only where the numbers of rows differ: all rows that were added or changed have been copied.
func (m *mover) differences(ctx context.Context, read pgx.Tx, t *table) (extra, missing []string, err error) {
	var here, there int64
	count := `SELECT count(*) FROM ` + t.Ident() + ` WHERE ` + t.where()
	if err = read.QueryRow(ctx, count, m.company.from).Scan(&here); err == nil {
		err = m.write.QueryRow(ctx, count, m.company.to).Scan(&there)
	}
	if err != nil || here == there {
		return nil, nil, err
	}
	from, err := read.Query(ctx, `SELECT `+m.key(t, false)+` FROM `+t.Ident()+` WHERE `+t.where()+` ORDER BY 1`, m.company.from)
	if err != nil {
		return nil, nil, err
	}
	defer from.Close()
	to, err := m.write.Query(ctx, `SELECT `+m.key(t, true)+` FROM `+t.Ident()+` WHERE `+t.where()+` ORDER BY 1`, m.company.to)
	if err != nil {
		return nil, nil, err
	}
	defer to.Close()
	next := func(rows pgx.Rows) (key string, ok bool, err error) {
		if !rows.Next() {
			return "", false, rows.Err()
		}
		return key, true, rows.Scan(&key)
	}
	a, moreA, err := next(from)
	b, moreB, errB := next(to)
	for err == nil && errB == nil && (moreA || moreB) {
		switch {
		case moreA && (!moreB || a < b):
			missing = append(missing, a)
			a, moreA, err = next(from)
		case moreB && (!moreA || b < a):
			extra = append(extra, b)
			b, moreB, errB = next(to)
		default:
			a, moreA, err = next(from)
			b, moreB, errB = next(to)
		}
	}
	if err == nil {
		err = errB
	}
	return extra, missing, err
}

// compare checks that the copy has the rows of a snapshot. Columns that a move rewrites are left out.
func (m *mover) compare(ctx context.Context, read pgx.Tx) error {
	for _, t := range m.tables {
		sum := `SELECT count(*) || ' ' || coalesce(sum(hashtextextended((to_jsonb(t) - $2::text[])::text, 0)), 0)
			FROM (SELECT ` + t.List("%[1]s::text AS %[1]s", t.Columns) + ` FROM ` + t.Ident() + ` WHERE ` + t.where() + `) t`
		var here, there string
		drop := append([]string{}, t.rewritten()...)
		err := read.QueryRow(ctx, sum, m.company.from, drop).Scan(&here)
		if err == nil {
			err = m.write.QueryRow(ctx, sum, m.company.to, drop).Scan(&there)
		}
		if err != nil {
			return fmt.Errorf("compare %s: %w", t.Name, err)
		}
		if here != there {
			return fmt.Errorf("%w: %s (%s here, %s there)", ErrDiffers, t.Name, here, there)
		}
		if err := m.noteFreeze(ctx); err != nil {
			return err
		}
	}
	return nil
}

// ahead is the distance of a sequence to the ids that the shop brings, so that others do not reach
// them meanwhile.
const ahead = 1000

// raiseSequences makes new rows of the shop get ids that it has not used.
func (m *mover) raiseSequences(ctx context.Context, read pgx.Tx) error {
	rows, err := read.Query(ctx, `
		SELECT c.relname, a.attname, coalesce(pg_sequence_last_value(pg_get_serial_sequence(quote_ident(c.relname), a.attname)::regclass), 0)
		FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid WHERE a.attidentity <> '' AND c.relkind = 'r' AND c.relnamespace = 'public'::regnamespace`)
	if err != nil {
		return err
	}
	type used struct {
		Table, Column string
		Last          int64
	}
	list, err := pgx.CollectRows(rows, pgx.RowToStructByPos[used])
	if err != nil {
		return err
	}
	for _, u := range list {
		if u.Last == 0 || !slices.ContainsFunc(m.tables, func(t *table) bool { return t.Name == u.Table || u.Table == "job" }) { // imports have the ids of their jobs
			continue
		}
		_, err := m.write.Exec(ctx, `
			SELECT setval(s, $3) FROM (SELECT pg_get_serial_sequence(quote_ident($1), $2)::regclass AS s) q
			WHERE coalesce(pg_sequence_last_value(s), 0) < $3::bigint`, u.Table, u.Column, u.Last+ahead)
		if err != nil {
			return fmt.Errorf("the sequence of %s: %w", u.Table, err)
		}
	}
	return nil
}
