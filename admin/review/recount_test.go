package review_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"vitrine/internal/blob"
	"vitrine/internal/shop"
	"vitrine/internal/store"
	mediadb "vitrine/internal/store/media"
	"vitrine/internal/store/people"
	"vitrine/internal/store/privacy"
	"vitrine/internal/store/remark"
)

// crowd is buyers, products and submissions, for random steps.
type crowd struct {
	*fixture
	r        *rand.Rand
	people   []shop.UserID
	products []shop.ProductID
	conn     *pgx.Conn
	n        int // number of people so far
	said     map[about][]shop.RemarkID
}

// about is what a remark is about.
type about struct {
	kind    remark.Kind
	product shop.ProductID
}

// conn is a direct connection to the database.
func (d *fixture) conn() *pgx.Conn {
	d.t.Helper()
	conn, err := pgx.Connect(d.t.Context(), d.URL)
	if err != nil {
		d.t.Fatal(err)
	}
	d.t.Cleanup(func() {
		if err := conn.Close(context.Background()); err != nil {
			d.t.Error(err)
		}
	})
	return conn
}

func (c *crowd) write(fn func(tx *store.Tx) error) {
	c.t.Helper()
	if err := c.Store.Write(context.Background(), c.Shop.ID, fn); err != nil {
		c.t.Fatal(err)
	}
}

func (c *crowd) joins() {
	c.n++
	id, err := people.CreatePerson(context.Background(), c.Store, fmt.Sprintf("p%d@people.test", c.n), "Ann Baker", people.NoPassword)
	if err != nil {
		c.t.Fatal(err)
	}
	c.people = append(c.people, id)
}

func pick[T any](r *rand.Rand, list []T) T { return list[r.IntN(len(list))] }

// photo creates a picture of a person, with one of several contents.
func (c *crowd) photo(person shop.UserID) uuid.UUID {
	f := mediadb.File{ID: uuid.New(), UploadID: uuid.New(), Section: shop.ReviewSection, Type: "image", Name: "photo", Buyer: &person}
	f.Path, f.SHA256, f.Size, f.MIME = shop.ReviewPhoto(f.ID.String()), blob.Sum([]byte{byte(c.r.IntN(20))}), 1, "image/webp"
	c.write(func(tx *store.Tx) error {
		if err := mediadb.RequestFile(context.Background(), tx, &f, []byte(f.ID.String())); err != nil {
			return err
		}
		return remark.StorePhoto(context.Background(), tx, f, blob.Sum([]byte("sent "+f.ID.String())), 9)
	})
	return f.ID
}

// step performs a random action of a buyer, a guest, the shop or the upkeep.
func (c *crowd) step() {
	ctx := context.Background()
	person, product := pick(c.r, c.people), pick(c.r, c.products)
	switch n := c.r.IntN(100); {
	case n < 35:
		stars := 1 + c.r.IntN(5)
		r := remark.Remark{Kind: remark.Review, Product: product, Person: &person, Rating: &stars, Text: "words"}
		if c.r.IntN(4) == 0 {
			r.Files = []uuid.UUID{c.photo(person)}
		}
		if err := c.add(&r); err != nil {
			c.t.Fatal(err)
		}
	case n < 40:
		r := remark.Remark{Kind: remark.Question, Product: product, Person: &person, Text: "?"}
		if err := c.add(&r); err != nil && !errors.Is(err, remark.ErrQuestionsWaiting) {
			c.t.Fatal(err)
		}
	case n < 93:
		kind := remark.Review
		if c.r.IntN(8) == 0 {
			kind = remark.Question
		}
		switch which, found := c.anyOf(kind, product); {
		case !found:
		case n < 70:
			c.moderates(which)
		default:
			c.likes(which, person)
		}
	case n < 96:
		c.leaves(person)
	case n < 98:
		c.signsIn(person)
	case n < 99:
		c.write(func(tx *store.Tx) error { return remark.DeleteUnusedPhotos(ctx, tx, c.Clock.Now(), c.Clock.Now()) })
	default:
		c.write(func(tx *store.Tx) error { return remark.RefreshVotes(ctx, tx) })
	}
}

// add sends a remark and remembers it.
func (c *crowd) add(r *remark.Remark) error {
	err := c.Store.Write(context.Background(), c.Shop.ID, func(tx *store.Tx) error { return remark.Add(context.Background(), tx, r) })
	if list := c.said[about{r.Kind, r.Product}]; err == nil && !slices.Contains(list, r.ID) {
		c.said[about{r.Kind, r.Product}] = append(list, r.ID)
	}
	return err
}

// anyOf picks one of the latest hundred remarks about a product.
func (c *crowd) anyOf(kind remark.Kind, product shop.ProductID) (r remark.Remark, found bool) {
	list := c.said[about{kind, product}]
	if len(list) == 0 {
		return r, false
	}
	return remark.Remark{Kind: kind, Product: product, ID: pick(c.r, list[max(0, len(list)-100):])}, true
}

// likes votes for a review or question, if it is shown.
func (c *crowd) likes(which remark.Remark, person shop.UserID) {
	err := c.Store.Write(context.Background(), c.Shop.ID, func(tx *store.Tx) error {
		_, _, err := remark.VoteHelpful(context.Background(), tx, which.Kind, which.ID, person)
		return err
	})
	if err != nil && !errors.Is(err, which.Kind.NotFound()) {
		c.t.Fatal(err)
	}
}

// moderates decides about a remark; a guest's is deleted if the person they sign in as has
// one about the same product.
func (c *crowd) moderates(which remark.Remark) {
	ctx := context.Background()
	err := c.Store.Write(ctx, c.Shop.ID, func(tx *store.Tx) error {
		r, err := remark.Lock(ctx, tx, which.Kind, which.ID)
		if err != nil {
			return err
		}
		return remark.Moderate(ctx, tx, &r, pick(c.r, []string{"pending", "approved", "approved", "approved", "rejected"}), nil, c.OwnerID)
	})
	if errors.Is(err, which.Kind.NotFound()) {
		key := about{which.Kind, which.Product}
		c.said[key] = slices.DeleteFunc(c.said[key], func(id shop.RemarkID) bool { return id == which.ID })
	} else if err != nil {
		c.t.Fatal(err)
	}
}

// leaves deletes a person; a new one joins.
func (c *crowd) leaves(person shop.UserID) {
	if err := privacy.RemovePerson(context.Background(), c.Store, person); err != nil {
		c.t.Fatal(err)
	}
	for i, id := range c.people {
		if id == person {
			c.people = append(c.people[:i], c.people[i+1:]...)
			break
		}
	}
	c.joins()
}

// signsIn creates a guest, who writes and votes, and then signs in.
func (c *crowd) signsIn(person shop.UserID) {
	ctx := context.Background()
	guest, err := people.CreateGuest(ctx, c.Store)
	if err != nil {
		c.t.Fatal(err)
	}
	for range 3 {
		stars := 1 + c.r.IntN(5)
		r := remark.Remark{Kind: remark.Review, Product: pick(c.r, c.products), Person: &guest, Rating: &stars, Files: []uuid.UUID{c.photo(guest)}}
		if err := c.add(&r); err != nil {
			c.t.Fatal(err)
		}
		c.moderates(r)
		list, _, err := remark.List(ctx, c.Store.Shop(c.Shop.ID), remark.Filter{Kind: remark.Review, Status: "approved"}, 100, 0)
		if err != nil {
			c.t.Fatal(err)
		}
		if len(list) > 0 {
			c.likes(pick(c.r, list), guest)
		}
	}
	if _, err := people.JoinGuest(ctx, c.Store, guest, person); err != nil {
		c.t.Fatal(err)
	}
}

// wrong lists the counters that differ from a recount, and unreferenced rows.
func (c *crowd) wrong() (list []string) {
	c.t.Helper()
	rows, err := c.conn.Query(context.Background(), `
		SELECT format('product %s has %s of %s', p.id, p.rating, p.rating_count) FROM product p
			LEFT JOIN (SELECT company_id, product_id, round(avg(rating), 2)::float8 AS stars, count(*) AS n FROM remark
				WHERE kind = 'review' AND status = 'approved' GROUP BY 1, 2) r ON r.company_id = p.company_id AND r.product_id = p.id
			WHERE p.rating IS DISTINCT FROM coalesce(r.stars, 0) OR p.rating_count <> coalesce(r.n, 0)
		UNION ALL SELECT format('%s %s has %s votes', kind, id, helpful) FROM remark r
			WHERE helpful <> (SELECT count(*) FROM remark_vote v WHERE v.company_id = r.company_id AND v.remark_id = r.id)
		UNION ALL SELECT format('a vote for oneself: %s', r.id) FROM remark r JOIN remark_vote v ON v.company_id = r.company_id AND v.remark_id = r.id
			AND v.person_id = r.person_id
		UNION ALL SELECT format('a vote without a person: %s', remark_id) FROM remark_vote v WHERE NOT EXISTS (SELECT FROM person p WHERE p.id = v.person_id)
		UNION ALL SELECT format('a picture without a person: %s', id) FROM media_file f WHERE person_id IS NOT NULL AND NOT EXISTS (SELECT FROM person p WHERE p.id = f.person_id)
		UNION ALL SELECT format('review %s has other pictures', id) FROM remark r
			WHERE file_ids <> ARRAY(SELECT f.id FROM media_file f WHERE f.company_id = r.company_id AND f.remark_id = r.id ORDER BY array_position(r.file_ids, f.id))
		UNION ALL SELECT format('the account of blobs has %s', sha256) FROM blob b
			WHERE NOT EXISTS (SELECT FROM media_file f WHERE f.company_id = b.company_id AND b.sha256 IN (f.sha256, f.original_sha256))
		UNION ALL SELECT format('the account of blobs lacks %s', sha256) FROM media_file f
			WHERE NOT EXISTS (SELECT FROM blob b WHERE b.company_id = f.company_id AND b.sha256 = f.sha256)`)
	if err != nil {
		c.t.Fatal(err)
	}
	list, err = pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		c.t.Fatal(err)
	}
	return list
}

// After ten thousand random actions of buyers, guests and the shop, the ratings of products and
// the votes equal a recount, and exactly the bytes of the existing pictures are counted.
func TestCountersEqualARecountAfterTenThousandSteps(t *testing.T) {
	t.Parallel()
	d := open(t)
	seed := uint64(20261124)
	c := &crowd{fixture: d, r: rand.New(rand.NewPCG(seed, 1)), said: map[about][]shop.RemarkID{}}
	c.conn = d.conn()
	for range 12 {
		c.joins()
	}
	for i := range 5 {
		var id shop.ProductID
		if err := id.UnmarshalText([]byte(d.makes(fmt.Sprintf("Tea %d", i)))); err != nil {
			t.Fatal(err)
		}
		c.products = append(c.products, id)
	}
	for n := range 10_000 {
		c.step()
		if n == 4000 { // a product is deleted; its reviews stay unchanged
			d.OK("DELETE", "/products/"+c.products[4].String(), d.API.Owner, nil)
			c.products = c.products[:4]
		}
		if n%500 == 499 {
			if wrong := c.wrong(); len(wrong) > 0 {
				t.Fatalf("after %d steps: %q", n+1, wrong)
			}
		}
	}
}
