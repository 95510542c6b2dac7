package move

import (
	"bytes"
	"context"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5"

	"vitrine/internal/shop"
	"vitrine/internal/store"
	"vitrine/internal/store/people"
)

// rewrite returns the rows with the ids of people and the secrets of the other installation; nil where
// rows of the table have neither.
func (m *mover) rewrite(ctx context.Context, tx pgx.Tx, t *table, list []row, known map[int64]int64) ([]map[string]any, error) {
	if len(t.rewritten()) == 0 {
		return nil, nil
	}
	out := make([]map[string]any, len(list))
	met := map[int64]bool{}
	for i, one := range list {
		dec := json.NewDecoder(bytes.NewReader(one.text))
		dec.UseNumber()
		if err := dec.Decode(&out[i]); err != nil {
			return nil, err
		}
		t.eachPerson(out[i], func(id int64) int64 { met[id] = true; return id })
	}
	if err := m.meet(ctx, tx, met, known); err != nil {
		return nil, err
	}
	for i, fields := range out {
		t.eachPerson(fields, func(id int64) int64 {
			if now, ok := known[id]; ok {
				return now
			}
			return m.known[id]
		})
		if err := m.reseal(t, fields, list[i].of); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// eachPerson replaces the ids of people in a row by what becomes of them.
func (t *table) eachPerson(fields map[string]any, becomes func(int64) int64) {
	for column, value := range fields {
		switch property := mentions[t.Base()+"."+column]; {
		case t.ofCaller(column):
			if id, is := strings.CutPrefix(bytesOf(value), callerOf); is {
				fields[column] = hexOf([]byte(callerOf + number(id, becomes).(string)))
			}
		case personal[column]:
			fields[column] = number(value, becomes)
		case property != "":
			if in, ok := value.(map[string]any); ok {
				if id, has := in[property]; has {
					in[property] = number(id, becomes)
				}
			}
		case column == draftBase:
			if in, ok := value.(map[string]any); ok {
				delete(in, "company_id") // of the shop there; publishing does not ask for it
				t.eachPerson(in, becomes)
			}
		}
	}
}

// bytesOf returns a value of bytea as text, "" for another one.
func bytesOf(value any) string {
	text, _ := value.(string)
	out, err := hex.DecodeString(strings.TrimPrefix(text, `\x`))
	if err != nil {
		return ""
	}
	return string(out)
}

func hexOf(value []byte) string { return `\x` + hex.EncodeToString(value) }

// number replaces a number, or a number in quotes. 0 is nobody.
func number(value any, becomes func(int64) int64) any {
	switch v := value.(type) {
	case json.Number:
		if id, err := v.Int64(); err == nil && id > 0 {
			return json.Number(strconv.FormatInt(becomes(id), 10))
		}
	case string:
		if id, err := strconv.ParseInt(v, 10, 64); err == nil && id > 0 {
			return strconv.FormatInt(becomes(id), 10)
		}
	}
	return value
}

func (m *mover) reseal(t *table, fields map[string]any, of string) error {
	sealed := bytesOf(fields[t.sealed])
	if sealed == "" {
		return nil
	}
	kind, rest, _ := strings.Cut(of, " ")
	rest, is := strings.CutPrefix(rest, m.company.from.String()+" ")
	if !is {
		return fmt.Errorf("a secret of %s is sealed for %q", t.Name, of)
	}
	if t.Name == answers {
		key, _ := fields["key"].(string)
		rest = bytesOf(fields["credential"]) + " " + key
	}
	now, err := m.Reseal([]byte(sealed), of, kind+" "+m.company.to.String()+" "+rest)
	if err != nil {
		return fmt.Errorf("a secret of %s: %w", t.Name, err)
	}
	fields[t.sealed] = hexOf(now)
	return nil
}

// account is a person at the installation that the shop comes from.
type account struct {
	ID      int64
	Row     map[string]any
	Trusted bool // the address was verified, or the person works for the shop
}

// meet makes sure that people have an id at the other installation: that of the account with their
// verified address, or of one that is created. Deleted people get one without an account.
func (m *mover) meet(ctx context.Context, tx pgx.Tx, met map[int64]bool, known map[int64]int64) error {
	var fresh []int64
	for id := range met {
		if m.known[id] == 0 {
			fresh = append(fresh, id)
		}
	}
	if len(fresh) == 0 {
		return nil
	}
	rows, err := tx.Query(ctx, `SELECT was, id FROM shop_move_person WHERE company_id = $1 AND was = ANY($2)`, m.company.to, fresh)
	if err != nil {
		return err
	}
	var was, id int64
	if _, err := pgx.ForEachRow(rows, []any{&was, &id}, func() error { known[was] = id; return nil }); err != nil {
		return err
	}
	// Outside of the snapshot: it reads the rows that these people are in.
	rows, err = m.From.Store.Pool.Query(ctx, `
		SELECT w.id, to_jsonb(p) - '{id,main_company_id,next_email,updated_at}'::text[],
			coalesce(p.proven_at IS NOT NULL OR EXISTS (SELECT FROM member m WHERE m.company_id = $1 AND m.person_id = p.id), false)
		FROM unnest($2::bigint[]) w(id) LEFT JOIN person p ON p.id = w.id ORDER BY w.id`, m.company.from, fresh)
	if err != nil {
		return err
	}
	accounts, err := pgx.CollectRows(rows, pgx.RowToStructByPos[account])
	if err != nil {
		return err
	}
	for _, a := range accounts {
		if known[a.ID] != 0 {
			continue
		}
		id, made, err := m.personOf(ctx, tx, a)
		if err != nil {
			return fmt.Errorf("person %d: %w", a.ID, err)
		}
		if _, err := tx.Exec(ctx, `INSERT INTO shop_move_person (company_id, was, id, made) VALUES ($1, $2, $3, $4)`, m.company.to, a.ID, id, made); err != nil {
			return err
		}
		known[a.ID] = id
	}
	return nil
}

// renew makes the accounts that the move has created what they are now here: passwords, addresses and
// second factors that were changed meanwhile. Accounts that were removed here are removed there.
func (m *mover) renew(ctx context.Context, read pgx.Tx, since string) error {
	var was, made []int64
	err := m.write.QueryRow(ctx, `
		SELECT coalesce(array_agg(was ORDER BY was), '{}'), coalesce(array_agg(id ORDER BY was), '{}') FROM shop_move_person WHERE company_id = $1 AND made`, m.company.to).
		Scan(&was, &made)
	if err != nil || len(made) == 0 {
		return err
	}
	rows, err := read.Query(ctx, `
		SELECT w.now, w.id, to_jsonb(p) - '{id,main_company_id,next_email,updated_at,created_at}'::text[], t.person_id IS NOT NULL
		FROM unnest($1::bigint[], $2::bigint[]) w(id, now) LEFT JOIN person p ON p.id = w.id LEFT JOIN totp t ON t.person_id = w.id
		WHERE p.id IS NULL OR t.person_id IS NOT NULL OR CASE WHEN $3 = '' THEN true ELSE age(p.xmin) <= age($3::text::xid) END`, was, made, since)
	if err != nil {
		return err
	}
	type change struct {
		Now, Was int64
		Row      json.RawMessage
		Factor   bool
	}
	changes, err := pgx.CollectRows(rows, pgx.RowToStructByPos[change])
	if err != nil {
		return err
	}
	var gone []int64
	texts, ids := []json.RawMessage{}, []int64{}
	for _, c := range changes {
		if c.Row == nil {
			gone = append(gone, c.Now)
			continue
		}
		texts, ids = append(texts, c.Row), append(ids, c.Now)
	}
	return pgx.BeginFunc(ctx, m.write, func(tx pgx.Tx) error {
		_, err := tx.Exec(ctx, `WITH gone AS (UPDATE shop_move_person SET made = false WHERE company_id = $1 AND id = ANY($2))
			DELETE FROM person WHERE id = ANY($2)`, m.company.to, gone)
		if err == nil {
			err = m.renewAccounts(ctx, tx, ids, texts)
		}
		if err == nil {
			_, err = tx.Exec(ctx, `DELETE FROM totp WHERE person_id = ANY($1)`, made)
		}
		for _, c := range changes {
			if err == nil && c.Factor {
				err = m.secondFactor(ctx, tx, c.Was, c.Now)
			}
		}
		return err
	})
}

// renewAccounts writes what accounts are now. An address that another account has there stays with
// that one, as in personOf; if it was verified here, both are one person, and the move begins again.
func (m *mover) renewAccounts(ctx context.Context, tx pgx.Tx, ids []int64, texts []json.RawMessage) error {
	const theirs = `SELECT FROM person o WHERE o.email <> '' AND lower(o.email) = lower(n.email) AND o.id <> p.id`
	var same bool
	err := tx.QueryRow(ctx, `
		WITH n AS (SELECT x.id AS account, (jsonb_populate_record(NULL::person, x.fields)).* FROM unnest($1::bigint[], $2::jsonb[]) x(id, fields)),
		written AS (UPDATE person p SET email = CASE WHEN EXISTS (`+theirs+`) THEN '' ELSE n.email END, name = n.name, phone = n.phone, language = n.language,
				password_hash = n.password_hash, proven_at = n.proven_at, seen_at = n.seen_at
			FROM n WHERE p.id = n.account)
		SELECT EXISTS (SELECT FROM n JOIN person p ON p.id = n.account WHERE n.email <> '' AND n.proven_at IS NOT NULL AND EXISTS (`+theirs+`))`, ids, texts).Scan(&same)
	if err == nil && same || store.UniqueViolation(err, "person_email") {
		return errTangled
	}
	return err
}

// personOf finds or creates the account of a person at the other installation.
func (m *mover) personOf(ctx context.Context, tx pgx.Tx, a account) (id int64, made bool, err error) {
	if a.Row == nil {
		err = tx.QueryRow(ctx, `SELECT nextval(pg_get_serial_sequence('person', 'id'))`).Scan(&id)
		return id, false, err
	}
	email, _ := a.Row["email"].(string)
	var proven bool
	err = tx.QueryRow(ctx, `SELECT coalesce(min(id), 0), coalesce(bool_or(proven_at IS NOT NULL), false) FROM person WHERE email <> '' AND lower(email) = lower($1)`, email).Scan(&id, &proven)
	switch {
	case err != nil:
		return 0, false, err
	case id != 0 && !a.Trusted:
		a.Row["email"] = "" // the address belongs to somebody else, who would get the orders
	case id != 0 && proven:
		return id, false, nil
	case id != 0: // somebody registered the address and never verified it
		password, _ := a.Row["password_hash"].(string)
		if err := people.TakeOverAccount(ctx, tx, shop.UserID(id), password); err != nil {
			return 0, false, err
		}
		_, err = tx.Exec(ctx, `UPDATE person SET proven_at = $2 WHERE id = $1`, id, a.Row["proven_at"])
		return id, false, err
	}
	columns := make([]string, 0, len(a.Row))
	for column := range a.Row {
		columns = append(columns, column)
	}
	list := strings.Join(columns, ", ")
	if err = tx.QueryRow(ctx, `INSERT INTO person (`+list+`) SELECT `+list+` FROM jsonb_populate_record(NULL::person, $1) RETURNING id`, a.Row).Scan(&id); err != nil {
		return 0, false, err
	}
	return id, true, m.secondFactor(ctx, tx, a.ID, id)
}

// secondFactor copies the app of a person's second factor, so that a password alone is not enough there
// either. Passkeys belong to the address of an installation.
func (m *mover) secondFactor(ctx context.Context, tx pgx.Tx, was, id int64) error {
	var sealed []byte
	var factor, codes json.RawMessage
	err := m.From.Store.Pool.QueryRow(ctx, `
		SELECT coalesce((SELECT sealed FROM totp WHERE person_id = $1), ''), (SELECT to_jsonb(t) FROM totp t WHERE person_id = $1),
			(SELECT coalesce(jsonb_agg(to_jsonb(r)), '[]') FROM recovery_code r WHERE person_id = $1)`, was).Scan(&sealed, &factor, &codes)
	if err != nil || factor == nil {
		return err
	}
	if sealed, err = m.Reseal(sealed, fmt.Sprintf("totp %d", was), fmt.Sprintf("totp %d", id)); err != nil {
		return err
	}
	if _, err = tx.Exec(ctx, `INSERT INTO totp SELECT * FROM jsonb_populate_record(NULL::totp, $1::jsonb || jsonb_build_object('person_id', $2::integer, 'sealed', $3::bytea))`, factor, id, sealed); err != nil {
		return err
	}
	_, err = tx.Exec(ctx, `INSERT INTO recovery_code SELECT $2, c.hash FROM jsonb_populate_recordset(NULL::recovery_code, $1) c`, codes, id)
	return err
}
