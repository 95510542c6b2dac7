package letter

import (
	"context"
	"slices"
	"time"

	"vitrine/admin/api"
	"vitrine/internal/secret"
	"vitrine/internal/shop"
	"vitrine/internal/store"
	letterdb "vitrine/internal/store/letter"
)

// letterView is a letter as shown to its shop.
type letterView struct {
	ID        shop.LetterID `json:"id"`
	Name      string        `json:"name"`
	To        string        `json:"to"`
	Subject   string        `json:"subject"`
	Text      string        `json:"text"`
	HTML      string        `json:"html"`
	State     letterState   `json:"state"`
	Error     string        `json:"error" doc:"why it failed or was delayed"`
	Tries     int           `json:"tries"`
	CreatedAt time.Time     `json:"created_at"`
	SentAt    *time.Time    `json:"sent_at"`
}

var states = []string{"queued", "sent", "failed"}

type letterState string

// Values lists the states.
func (letterState) Values() []string { return states }

func view(l letterdb.ShopLetter) letterView {
	v := letterView{ID: l.ID, Name: l.Name, To: l.To, State: letterState(l.State), Error: l.Error, Tries: l.Tries, CreatedAt: l.CreatedAt.UTC(), SentAt: l.SentAt}
	if l.Subject != nil {
		v.Subject, v.Text, v.HTML = *l.Subject, *l.Text, *l.HTML
	}
	if v.SentAt != nil {
		at := v.SentAt.UTC()
		v.SentAt = &at
	}
	return v
}

type listRequest struct {
	api.Paging
	State string `query:"filter.state" json:"-" len:"64" refuse:"INVALID_REQUEST" doc:"queued, sent or failed"`
	Name  string `query:"filter.name" json:"-" len:"64" refuse:"INVALID_REQUEST" doc:"the name of a letter"`
}

const lettersPageSize = 20 // letters of a page

// list returns a page of letters. Letters that were not rendered yet are rendered now.
func (ls *Letters) list(ctx context.Context, c *api.Call, in listRequest) (out api.Result[api.Page[letterView]], err error) {
	number, limit, err := in.Page(lettersPageSize)
	if err != nil {
		return out, err
	}
	if in.State != "" && !slices.Contains(states, in.State) {
		return out, shop.ErrInvalidRequest.At("filter.state").With("queued, sent or failed")
	}
	letters, total, err := letterdb.List(ctx, ls.Store.Shop(c.Company), in.State, in.Name, limit, (number-1)*limit)
	if err != nil {
		return out, err
	}
	var s *shopContext
	for i, l := range letters {
		if l.Subject == nil {
			if s == nil {
				read, err := ls.shopContextOf(ctx, c.Company)
				if err != nil {
					return out, err
				}
				s = &read
			}
			if letters[i], err = ls.rendered(ctx, s, l, l.Name != store.LeadsLetter); err != nil {
				return out, err
			}
		}
	}
	return api.NewPage(letters, view, total, number), nil
}

// rendered returns a letter with its rendered subject and bodies; with keep it also stores them.
// The letter fails if the object it is about was deleted or no template renders; it is then not
// sent.
func (ls *Letters) rendered(ctx context.Context, s *shopContext, l letterdb.ShopLetter, keep bool) (letterdb.ShopLetter, error) {
	if l.Subject != nil || l.State == "failed" {
		return l, nil
	}
	about, err := ls.about(ctx, s, l)
	if isGone(err) {
		return ls.fail(ctx, s, l, "the object of the letter was deleted")
	}
	if err != nil {
		return l, err
	}
	w, problem, err := ls.renderWithFallback(ctx, s, l.Name, about)
	switch {
	case err != nil:
		return l, err
	case problem != nil:
		return ls.fail(ctx, s, l, problem.Message())
	}
	if !keep {
		l.Subject, l.Text, l.HTML = &w.Subject, &w.Text, &w.HTML
		return l, nil
	}
	return letterdb.SetWords(ctx, ls.Store, s.info.ID, l, w.Subject, w.Text, w.HTML)
}

func isGone(err error) bool {
	r, ok := shop.AsRefusal(err)
	return ok && r.Class == shop.NotFound
}

// fail marks a letter as failed.
func (ls *Letters) fail(ctx context.Context, s *shopContext, l letterdb.ShopLetter, why string) (letterdb.ShopLetter, error) {
	l.State, l.Error = "failed", why
	return l, letterdb.NoteFailed(ctx, ls.Store, letterdb.Due{Company: s.info.ID, ID: l.ID}, why, nil)
}

// renderWithFallback renders a letter with the shop's template or, if that fails, with the
// platform's. The owner is notified of the failure once.
func (ls *Letters) renderWithFallback(ctx context.Context, s *shopContext, name string, about map[string]any) (w Words, problem *shop.Refusal, err error) {
	own, found, err := letterdb.GetTemplate(ctx, ls.Store.Shop(s.info.ID), name)
	if err != nil {
		return w, nil, err
	}
	if found {
		w, problem, err = ls.render(ctx, s, Words{own.Subject, own.Text, own.HTML}, about)
		if err != nil || problem == nil {
			return w, nil, err
		}
		if err := ls.reportFailure(ctx, s, name, problem); err != nil {
			return w, nil, err
		}
	}
	return ls.render(ctx, s, defaultTemplates()[s.lang+"/"+name], about)
}

// reportFailure records why the template of a shop failed, and writes a letter to the owner.
func (ls *Letters) reportFailure(ctx context.Context, s *shopContext, name string, problem *shop.Refusal) error {
	why := secret.Mask(problem.Message())
	if len(why) > 500 {
		why = why[:500]
	}
	now := ls.Now().UTC()
	return ls.Store.Write(ctx, s.info.ID, func(tx *store.Tx) error {
		return letterdb.FailTemplate(ctx, tx, name, why, store.PlatformLetter{
			Kind: store.LetterTemplateFailed, CreatedAt: now, ExpiresAt: now.Add(7 * 24 * time.Hour),
			Subject: "A letter of your shop could not be written in your words",
			Text: "The template of your shop for " + name + " failed, so the platform's was used: " + why +
				".\n\nChange it with PUT /v1/shop/letters/" + name + ", or restore the platform's with DELETE.\n",
		})
	})
}

type againRequest struct {
	ID shop.LetterID `path:"id" json:"-"`
}

// again queues a copy of a letter.
func (ls *Letters) again(ctx context.Context, c *api.Call, in againRequest) (out api.Result[letterView], err error) {
	s, err := ls.shopContextOf(ctx, c.Company)
	if err != nil {
		return out, err
	}
	l, err := letterdb.Get(ctx, ls.Store.Shop(c.Company), in.ID)
	if err == nil {
		l, err = ls.rendered(ctx, &s, l, true)
	}
	if err == nil && l.Subject == nil {
		err = errNoWords.With(l.Error)
	}
	if err != nil {
		return out, err
	}
	err = ls.Store.Write(ctx, c.Company, func(tx *store.Tx) error {
		id, err := letterdb.SendAgain(ctx, tx, l.ID)
		if err != nil {
			return err
		}
		l, err = letterdb.Get(ctx, tx.Reader, id)
		return err
	})
	return api.Wrap(view(l)), err
}
