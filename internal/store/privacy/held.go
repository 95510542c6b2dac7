package privacy

import (
	"context"
	"time"

	"vitrine/internal/shop"
	"vitrine/internal/store"
)

// Held counts what a shop keeps about a customer, as EraseCustomer would erase it. Orders,
// reviews and messages are counted although their sums, stars and places stay.
type Held struct {
	Orders    int `json:"orders"`
	Messages  int `json:"messages" doc:"messages of those orders"`
	Letters   int `json:"letters"`
	Leads     int `json:"leads" doc:"what was sent with forms"`
	Reviews   int `json:"reviews"`
	Questions int `json:"questions"`
	Votes     int `json:"votes" doc:"votes for reviews and questions of others"`
	Carts     int `json:"carts"`
	Wishes    int `json:"wishes" doc:"products on wishlists"`
	Addresses int `json:"addresses"`
	Codes     int `json:"codes" doc:"personal codes"`
	Links     int `json:"linked_assistants" doc:"assistants that the customer has linked"`
}

// HeldOf counts what EraseCustomer would erase now; of an erased customer nothing, and when it was
// erased.
func HeldOf(ctx context.Context, r store.Reader, id shop.CustomerID) (h Held, erased *time.Time, err error) {
	t, erased, err := traceOf(ctx, r, id)
	if err != nil || erased != nil {
		return h, erased, err
	}
	emails := t.emails
	if emails == nil {
		emails = []string{}
	}
	err = r.DB.QueryRow(ctx, `
		SELECT cardinality($2::bigint[]),
			(SELECT count(*) FROM order_message WHERE company_id = $1 AND order_id = ANY($2) AND (text <> '' OR file_ids <> '{}')),
			(SELECT count(*) FROM letter WHERE company_id = $1 AND (order_id = ANY($2) OR person_id = ANY($3) OR lower(recipient) = ANY($4) AND right(name, 6) = '_buyer')),
			(SELECT count(*) FROM form_lead WHERE company_id = $1 AND (email = ANY($4) OR lead_mentions(answers, $4))),
			(SELECT count(*) FROM remark WHERE company_id = $1 AND person_id = ANY($3) AND kind = 'review'),
			(SELECT count(*) FROM remark WHERE company_id = $1 AND person_id = ANY($3) AND kind = 'question'),
			(SELECT count(*) FROM remark_vote WHERE company_id = $1 AND person_id = ANY($3)),
			(SELECT count(*) FROM cart WHERE company_id = $1 AND (person_id = ANY($3) OR reminder_email <> '' AND lower(reminder_email) = ANY($4))),
			(SELECT count(*) FROM wishlist_item WHERE company_id = $1 AND person_id = ANY($3)),
			(SELECT count(*) FROM person_address WHERE company_id = $1 AND person_id = ANY($3)),
			(SELECT count(*) FROM personal_code WHERE company_id = $1 AND person_id = ANY($3)),
			(SELECT count(*) FROM assistant_link WHERE company_id = $1 AND person_id = ANY($3) AND granted)`,
		r.Company, t.orders, t.persons, emails).
		Scan(&h.Orders, &h.Messages, &h.Letters, &h.Leads, &h.Reviews, &h.Questions, &h.Votes, &h.Carts, &h.Wishes, &h.Addresses, &h.Codes, &h.Links)
	return h, nil, err
}
