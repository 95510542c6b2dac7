package demo

import (
	"context"
	"fmt"
	"path"

	"vitrine/admin/api"
	"vitrine/internal/shop"
	"vitrine/internal/store"
	"vitrine/internal/store/remark"
)

// review is a buyer's review or question, and the shop's reaction.
type review struct {
	SKU      string   `json:"sku"`
	Buyer    string   `json:"buyer"` // e-mail
	Question bool     `json:"question"`
	Rating   int      `json:"rating"`
	Text     string   `json:"text"`
	Pros     string   `json:"pros"`
	Cons     string   `json:"cons"`
	Photo    string   `json:"photo"` // a name of photographs
	Answer   string   `json:"answer"`
	Waits    bool     `json:"waits"`   // not moderated yet
	Helpful  []string `json:"helpful"` // e-mails of buyers who voted it helpful

	author string // the buyer's name as shown on pages
}

// reviews writes the reviews and questions through the API as the buyers, and the answers as
// the owner. Those written by an earlier start are left alone.
func (d *client) reviews(ctx context.Context, c *content) error {
	there, err := d.productsBySKU(ctx)
	if err != nil {
		return err
	}
	t := seller{client: d, accounts: map[string]shop.UserID{}}
	names := map[string]string{}
	for _, b := range c.Buyers {
		names[b.Email] = shop.PublicName(b.Name)
	}
	for _, r := range c.Reviews {
		r.author = names[r.Buyer]
		if err := t.review(ctx, r, there[r.SKU].ID); err != nil {
			return fmt.Errorf("%s by %s: %w", r.SKU, r.Buyer, err)
		}
	}
	return nil
}

func (t *seller) review(ctx context.Context, r review, product shop.ProductID) error {
	buyer, err := t.customer(ctx, r.Buyer)
	if err != nil {
		return err
	}
	kind, noun := remark.Review, "reviews"
	if r.Question {
		kind, noun = remark.Question, "questions"
	}
	list, _, err := remark.List(ctx, t.store.Shop(t.who.Company), remark.Filter{Kind: kind, Product: product}, 100, 0)
	if err != nil {
		return err
	}
	var id shop.RemarkID
	for _, one := range list {
		if one.Text == r.Text {
			id = one.ID
		}
	}
	if id == 0 {
		if id, err = t.say(ctx, buyer, noun, r, product); err != nil {
			return err
		}
	}
	if r.Waits {
		return nil
	}
	at := params{"id": id.String()}
	if err := t.send(ctx, "PUT", "/"+noun+"/{id}", at, object{"status": "approved", "answer": r.Answer}); err != nil {
		return err
	}
	for _, email := range r.Helpful {
		voter, err := t.customer(ctx, email)
		if err != nil {
			return err
		}
		err = t.store.Write(ctx, t.who.Company, func(tx *store.Tx) error {
			_, _, err := remark.VoteHelpful(ctx, tx, kind, id, voter.who.Person)
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// customer is a client with the identity of a buyer.
func (t *seller) customer(ctx context.Context, email string) (*client, error) {
	id, err := t.account(ctx, buyer{Email: email})
	return &client{seeding: t.seeding, slug: t.slug, who: api.Identity{Person: id, Bound: t.who.Company, Contour: shop.Prod}}, err
}

// say writes a buyer's review or question, with its photograph.
func (t *seller) say(ctx context.Context, by *client, noun string, r review, product shop.ProductID) (shop.RemarkID, error) {
	said := object{"text": r.Text, "author": r.author, "company_id": t.who.Company}
	if !r.Question {
		said["rating"], said["pros"], said["cons"] = r.Rating, r.Pros, r.Cons
	}
	if r.Photo != "" {
		body, err := t.photograph(path.Join("photographs", r.Photo))
		if err != nil {
			return 0, err
		}
		id, err := by.upload(ctx, shop.ReviewSection, r.Photo, body)
		if err != nil {
			return 0, err
		}
		said["file_ids"] = []string{id.String()}
	}
	made, err := ask[result[struct {
		ID shop.RemarkID `json:"id"`
	}]](ctx, by, "POST", "/products/{id}/"+noun, params{"id": product.String()}, said)
	return made.Result.ID, err
}
