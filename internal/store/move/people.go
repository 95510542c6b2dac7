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
	text, _ := fields[t.sealed].(string)
	if t.sealed == "" || text == "" {
		return nil
	}
	sealed, err := hex.DecodeString(strings.TrimPrefix(text, `\x`))
	if err != nil {
		return err
	}
	was := fmt.Sprintf("shop %d ", m.company.from)
	if !strings.HasPrefix(of, was) {
		return fmt.Errorf("a secret of %s is sealed for %q", t.Name, of)
	}
	now, err := m.Reseal(sealed, of, fmt.Sprintf("shop %d ", m.company.to)+strings.TrimPrefix(of, was))
	if err != nil {
		return fmt.Errorf("a secret of %s: %w", t.Name, err)
	}
	fields[t.sealed] = `\x` + hex.EncodeToString(now)
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
