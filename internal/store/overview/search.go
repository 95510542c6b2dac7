package overview

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/jackc/pgx/v5"

	"vitrine/internal/shop"
	"vitrine/internal/store"
	"vitrine/internal/store/catalog"
)

// Kind is the kind of a thing that a search finds.
type Kind string

// The kinds, in the order in which equally good matches are listed.
const (
	Product  Kind = "product"
	Order    Kind = "order"
	Customer Kind = "customer"
	Category Kind = "category"
	Article  Kind = "article"
	Redirect Kind = "redirect"
	File     Kind = "file"
)

// Kinds lists all of them.
var Kinds = []Kind{Product, Order, Customer, Category, Article, Redirect, File}

// Values lists the kinds as texts.
func (Kind) Values() []string { return shop.Texts(Kinds) }

// Match is one thing that a search found. Path is that of a file below /files/.
type Match struct {
	Kind          Kind
	ID            string
	Title, Detail string
	Path          string
	rank          int
}

// The ranks of matches: a number, an address or a title that equals the query, a title that begins
// with it, a word that does, and any other.
const (
	rankExact = iota
	rankBegins
	rankWord
	rankInside
)

// fewestLetters is the length from which the trigram indexes find a text. Of shorter queries only
// products, sections and exact numbers are found.
const fewestLetters = 3

// maxRead bounds how many rows of a kind are read of those that contain a common word.
const maxRead = 300

// Search finds things of some kinds, the best matches first: equally good ones by turns of their
// kinds.
func Search(ctx context.Context, s *store.Store, r store.Reader, query string, kinds []Kind, limit int) ([]Match, error) {
	found := make([][]Match, len(Kinds))
	reads := []func(store.Reader) error{}
	for i, kind := range Kinds {
		if !slices.Contains(kinds, kind) {
			continue
		}
		if kind == Product { // reads from the index of products, at one version of the shop
			var err error
			if found[i], err = products(ctx, s, r, query, limit); err != nil {
				return nil, err
			}
			continue
		}
		sql := statements[kind]
		if utf8.RuneCountInString(query) < fewestLetters && kind != Category && kind != Order {
			continue
		}
		reads = append(reads, func(r store.Reader) (err error) {
			found[i], err = rows(ctx, r, kind, sql, query, limit)
			return err
		})
	}
	if err := r.Together(ctx, reads...); err != nil {
		return nil, err
	}
	return merge(found, limit), nil
}

// merge returns the best matches. Those of one kind and rank stay in their order.
func merge(found [][]Match, limit int) []Match {
	list := []Match{}
	for rank := rankExact; rank <= rankInside; rank++ {
		var turns [][]Match
		for _, matches := range found {
			turns = append(turns, slices.Collect(func(yield func(Match) bool) {
				for _, m := range matches {
					if m.rank == rank && !yield(m) {
						return
					}
				}
			}))
		}
		for i := 0; i < limit; i++ {
			for _, matches := range turns {
				if i < len(matches) && len(list) < limit {
					list = append(list, matches[i])
				}
			}
		}
	}
	return list
}

// rankOf returns how well a title matches.
func rankOf(title, query string) int {
	title, query = shop.Fold(title), shop.Fold(query)
	switch {
	case title == query:
		return rankExact
	case strings.HasPrefix(title, query):
		return rankBegins
	case strings.Contains(title, " "+query):
		return rankWord
	}
	return rankInside
}

func products(ctx context.Context, s *store.Store, r store.Reader, query string, limit int) (list []Match, err error) {
	l, err := catalog.ListProducts(ctx, s, r, catalog.ProductFilter{Query: query, SKUPrefix: true, Sort: catalog.SortMatch, Number: 1, Limit: limit, Brief: true})
	if err != nil || l.Similar {
		return nil, err
	}
	for _, p := range l.Products {
		m := Match{Kind: Product, ID: p.ID.String(), Title: p.Name, Detail: p.SKU, rank: rankOf(p.Name, query)}
		if p.SKU != "" {
			m.rank = min(m.rank, rankOf(p.SKU, query))
		}
		list = append(list, m)
	}
	slices.SortStableFunc(list, func(a, b Match) int { return a.rank - b.rank })
	return list, nil
}

// statements select id, title, detail, path, and whether the query is the number, the address or
// the telephone of the thing. $2 is the query, folded, $3 its pattern, $4 how many rows are read.
// A number of an order needs no index of words.
var statements = map[Kind]string{
	Order: `
		SELECT id::text, number::text, concat_ws(', ', nullif(contact_name, ''), nullif(contact_email, '')), '', exact FROM (
			SELECT id, number, contact_name, contact_email, created_at, true AS exact FROM shop_order WHERE company_id = $1 AND $5 <> 0 AND number = $5
			UNION ALL SELECT id, number, contact_name, contact_email, created_at, true FROM shop_order WHERE company_id = $1 AND $6 <> '' AND phone_key(contact_phone) = $6
			UNION ALL (SELECT id, number, contact_name, contact_email, created_at, lower(contact_email) = $2 FROM shop_order
				WHERE company_id = $1 AND length($2) > 2 AND translate(lower(contact_name || ' ' || contact_email), 'ё', 'е') LIKE $3 LIMIT $4)
		) o ORDER BY exact DESC, created_at DESC, id DESC LIMIT $4`,
	Customer: `
		SELECT id::text, coalesce(nullif(name, ''), nullif(email, ''), phone), concat_ws(', ', nullif(email, ''), nullif(phone, '')), '', exact FROM (
			SELECT id, name, email, phone, orders, true AS exact FROM customer WHERE company_id = $1 AND $6 <> '' AND phone_key(phone) = $6 AND erased_at IS NULL
			UNION ALL (SELECT id, name, email, phone, orders, email = $2 FROM customer
				WHERE company_id = $1 AND translate(lower(name || ' ' || email), 'ё', 'е') LIKE $3 AND erased_at IS NULL LIMIT $4)
		) c ORDER BY exact DESC, orders DESC, id LIMIT $4`,
	Category: `
		SELECT id::text, name, type, '', false FROM category
		WHERE company_id = $1 AND deleted_at IS NULL AND $2 <> '' AND translate(lower(name), 'ё', 'е') LIKE $3 ORDER BY sort_order, id LIMIT $4`,
	Article: `
		SELECT id::text, title, coalesce((SELECT c.name FROM category c WHERE c.company_id = $1 AND c.id = a.category_id), ''), '', false FROM article a
		WHERE company_id = $1 AND deleted_at IS NULL AND $2 <> '' AND translate(lower(title), 'ё', 'е') LIKE $3 ORDER BY id DESC LIMIT $4`,
	Redirect: `
		SELECT id::text, from_path, to_target, '', lower(from_path) = $2 FROM redirect_rule
		WHERE company_id = $1 AND lower(from_path || ' ' || to_target) LIKE $3 ORDER BY sort_order, id LIMIT $4`,
	File: `
		SELECT id::text, original_name, mime, path, false FROM media_file
		WHERE company_id = $1 AND deleted_at IS NULL AND status = 'stored' AND person_id IS NULL AND $2 <> '' AND translate(lower(original_name), 'ё', 'е') LIKE $3
		ORDER BY created_at DESC, id LIMIT $4`,
}

func rows(ctx context.Context, r store.Reader, kind Kind, sql, query string, limit int) ([]Match, error) {
	folded := shop.Fold(query)
	args := []any{r.Company, folded, store.LikePattern(folded), maxRead}
	if kind == Order || kind == Customer {
		number, err := strconv.ParseInt(strings.TrimPrefix(query, "#"), 10, 32)
		if err != nil {
			number = 0
		}
		args = append(args, number, phoneKey(query))
	}
	if kind == Customer {
		sql = strings.ReplaceAll(sql, "$6", "$5")
		args = slices.Delete(args, 4, 5)
	}
	got, err := r.DB.Query(ctx, sql, args...)
	if err != nil {
		return nil, err
	}
	list, err := pgx.CollectRows(got, func(row pgx.CollectableRow) (m Match, err error) {
		var exact bool
		err = row.Scan(&m.ID, &m.Title, &m.Detail, &m.Path, &exact)
		if m.Kind, m.rank = kind, rankOf(m.Title, query); exact {
			m.rank = rankExact
		}
		return m, err
	})
	if err != nil {
		return nil, err
	}
	slices.SortStableFunc(list, func(a, b Match) int { return a.rank - b.rank })
	list = slices.CompactFunc(list, func(a, b Match) bool { return a.ID == b.ID })
	return list[:min(len(list), limit)], nil
}

// phoneKey returns what the database's function of the same name compares telephones by; empty for
// a query that is no whole number.
func phoneKey(query string) string {
	const shortest, compared = 7, 9
	digits := shop.PhoneDigits(query)
	if len(digits) < shortest {
		return ""
	}
	return digits[max(0, len(digits)-compared):]
}
