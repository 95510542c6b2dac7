package store_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/jackc/pgx/v5"

	"vitrine/internal/shop"
	"vitrine/internal/store"
	"vitrine/internal/store/catalog"
	"vitrine/internal/store/storetest"
)

// interruption is a tracer that runs something before one of the next round trips.
type interruption struct {
	after int // round trips
	run   func()
}

func (i *interruption) trip() {
	if i.after--; i.after == -1 {
		i.run()
	}
}

func (i *interruption) TraceQueryStart(ctx context.Context, _ *pgx.Conn, _ pgx.TraceQueryStartData) context.Context {
	i.trip()
	return ctx
}

func (i *interruption) TraceBatchStart(ctx context.Context, _ *pgx.Conn, _ pgx.TraceBatchStartData) context.Context {
	i.trip()
	return ctx
}

func (*interruption) TraceQueryEnd(context.Context, *pgx.Conn, pgx.TraceQueryEndData)     {}
func (*interruption) TraceBatchQuery(context.Context, *pgx.Conn, pgx.TraceBatchQueryData) {}
func (*interruption) TraceBatchEnd(context.Context, *pgx.Conn, pgx.TraceBatchEndData)     {}

// While a list is read, another process renames a product and hides it in one write, or the
// reverse: the list never has the name that was never published.
func TestAListIsOfOneMoment(t *testing.T) {
	t.Parallel()
	url := storetest.URL(t, store.Migrate)
	writer, err := store.Open(t.Context(), url)
	check(t, err)
	t.Cleanup(writer.Close)
	write := &interruption{}
	reader, err := store.Open(t.Context(), url, store.Traced(write))
	check(t, err)
	t.Cleanup(reader.Close)
	shopID := newShop(t, writer, "first")
	var id shop.ProductID
	check(t, writer.Write(t.Context(), shopID, func(tx *store.Tx) error {
		p := &catalog.Product{Kind: "standard", Name: "public", SEO: catalog.SEO{Slug: "p"}, Tags: []string{}, IsPublished: true}
		err := catalog.InsertProduct(t.Context(), tx, p, true, 0)
		id = p.ID
		return err
	}))
	set := func(published bool) {
		check(t, writer.Write(t.Context(), shopID, func(tx *store.Tx) error {
			old, err := catalog.LockProduct(t.Context(), tx, id)
			if err != nil {
				return err
			}
			p := old
			p.Name, p.IsPublished = map[bool]string{true: "public", false: "secret"}[published], published
			return catalog.UpdateProduct(t.Context(), tx, old, p)
		}))
	}
	list := func() string {
		l, err := catalog.ListProducts(t.Context(), reader, reader.Shop(shopID), catalog.ProductFilter{PublishedOnly: true, Number: 1, Limit: 10})
		check(t, err)
		names := []string{}
		for _, p := range l.Products {
			names = append(names, p.Name)
		}
		return fmt.Sprint(l.Total, names)
	}
	write.after = -1
	list()                                                       // loads the index
	for trips, behind := range map[int]bool{2: false, 4: true} { // an index that is behind needs more
		for after := range trips {
			for _, published := range []bool{true, false} {
				set(!published)
				set(published)
				if !behind {
					list()
				}
				write.after, write.run = after, func() { set(!published) }
				if got := list(); got != "1 [public]" && got != "0 []" {
					t.Errorf("published %v, index behind %v, a write after %d round trips: %s", published, behind, after, got)
				}
				if write.after >= 0 {
					t.Errorf("index behind %v: no write after %d round trips", behind, after)
				}
			}
		}
	}
}
