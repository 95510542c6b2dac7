package order

import (
	"context"
	"errors"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/google/uuid"

	"vitrine/admin/api"
	"vitrine/internal/shop"
	"vitrine/internal/store"
	"vitrine/internal/store/sales"
)

// Refusals of messages that are empty or too long.
var (
	errMessage      = shop.ErrInvalidRequest.At("text").With("1 to 4000 characters")
	errMessageFiles = shop.ErrInvalidRequest.At("file_ids").With("at most 5")
)

const (
	maxMessage  = 4000
	maxFiles    = 5
	messagePage = 200
)

type messageView struct {
	ID        shop.MessageID `json:"id"`
	Author    string         `json:"author"` // buyer, seller
	UserID    shop.UserID    `json:"user_id"`
	Text      string         `json:"text"`
	Files     []uuid.UUID    `json:"files"`
	CreatedAt time.Time      `json:"created_at"`
}

func viewMessage(m sales.Message) messageView {
	author := "seller"
	if m.ByBuyer {
		author = "buyer"
	}
	return messageView{m.ID, author, m.Person, m.Text, append([]uuid.UUID{}, m.Files...), m.CreatedAt.UTC()}
}

type messagesRequest struct {
	linkedPath
	After shop.MessageID `query:"after_id" json:"-" doc:"only messages after this one"`
}

// talk returns an order for a participant of its conversation: its buyer or a member of the shop.
// For other callers the order does not exist (document 2, 4.2).
func (os *Orders) talk(ctx context.Context, c *api.Call, in linkedPath) (sales.Order, bool, error) {
	o, who, err := os.linked(ctx, c, in, "")
	if err == nil && who == stranger || errors.Is(err, sales.ErrOrderDenied) {
		err = sales.ErrOrderNotFound
	}
	return o, who == buyer, err
}

func (os *Orders) messages(ctx context.Context, c *api.Call, in messagesRequest) (out api.Result[[]messageView], err error) {
	o, _, err := os.talk(ctx, c, in.linkedPath)
	if err != nil {
		return out, err
	}
	list, err := sales.Messages(ctx, os.Store.Shop(o.Company), o.ID, in.After, messagePage)
	out.Result = []messageView{}
	for _, m := range list {
		out.Result = append(out.Result, viewMessage(m))
	}
	return out, err
}

type writeRequest struct {
	linkedPath
	Text  string      `json:"text" required:"always" len:"body"`
	Files []uuid.UUID `json:"file_ids" max:"100" doc:"at most 5: files of the shop, or pictures uploaded by the author"`
}

func (os *Orders) write(ctx context.Context, c *api.Call, in writeRequest) (out api.Result[messageView], err error) {
	in.Text = strings.TrimSpace(in.Text)
	switch {
	case in.Text == "" || utf8.RuneCountInString(in.Text) > maxMessage:
		return out, errMessage
	case len(in.Files) > maxFiles:
		return out, errMessageFiles
	}
	o, byBuyer, err := os.talk(ctx, c, in.linkedPath)
	if err != nil {
		return out, err
	}
	m := sales.Message{ByBuyer: byBuyer, Person: c.Person, Text: in.Text, Files: in.Files}
	if byBuyer { // also if the caller has only the link
		m.Person = o.Person
	}
	err = os.Store.Write(ctx, o.Company, func(tx *store.Tx) error { return sales.AddMessage(ctx, tx, &o, &m) })
	return api.Wrap(viewMessage(m)), err
}

func (os *Orders) seen(ctx context.Context, c *api.Call, in linkedPath) (none api.None, err error) {
	o, byBuyer, err := os.talk(ctx, c, in)
	if err != nil {
		return none, err
	}
	return none, os.Store.Write(ctx, o.Company, func(tx *store.Tx) error { return sales.MarkMessagesSeen(ctx, tx, o.ID, byBuyer) })
}
