package backup

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"vitrine/internal/shop"
	"vitrine/internal/store/backup"
)

// shop creates the shop and its people.
func (m *importer) shop(ctx context.Context, slug string) error {
	made := false
	err := m.rows(shopName, func(fields map[string]any) error {
		made = true
		for _, secret := range []string{"id", "version", "pin_hash"} {
			delete(fields, secret)
		}
		columns, row, err := columnsOf(fields)
		if err != nil {
			return err
		}
		return m.to.Shop(ctx, columns, row, slug)
	})
	if err != nil {
		return err
	}
	if !made {
		return fmt.Errorf("%w: %s is empty", ErrDamaged, shopName)
	}
	if err := m.members(ctx); err != nil {
		return err
	}
	return m.buyers(ctx)
}

func (m *importer) members(ctx context.Context) error {
	return m.rows(membersName, func(fields map[string]any) error {
		var p struct {
			ID          int64
			Email, Name string
			Role        shop.Role
			Since       *time.Time `json:"created_at"`
			Changed     *time.Time `json:"updated_at"`
		}
		_, row, err := columnsOf(fields)
		if err != nil {
			return err
		}
		if err := json.Unmarshal(row, &p); err != nil || p.Email == "" || !p.Role.Known() {
			return fmt.Errorf("%w: %s", ErrDamaged, membersName)
		}
		since := cmp.Or(p.Since, new(time.Now())) // older backups have no dates
		id, err := m.to.Member(ctx, p.Email, p.Name, p.Role, *since, *cmp.Or(p.Changed, since))
		m.ids.Put("person", p.ID, int64(id))
		return err
	})
}

// buyers finds or creates the buyers of the shop.
func (m *importer) buyers(ctx context.Context) error {
	return m.rows(buyersName, func(fields map[string]any) error {
		var b backup.Buyer
		_, row, err := columnsOf(fields)
		if err != nil {
			return err
		}
		if err := json.Unmarshal(row, &b); err != nil || b.ID <= 0 {
			return fmt.Errorf("%w: %s", ErrDamaged, buyersName)
		}
		id, err := m.to.Buyer(ctx, b)
		m.ids.Put("person", b.ID, int64(id))
		return err
	})
}

func columnsOf(fields map[string]any) (columns []string, row []byte, err error) {
	for name := range fields {
		columns = append(columns, name)
	}
	slices.Sort(columns)
	row, err = json.Marshal(fields)
	return columns, row, err
}
