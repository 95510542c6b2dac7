package webhook

import (
	"context"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"vitrine/admin/api"
	"vitrine/internal/hook"
	"vitrine/internal/shop"
	"vitrine/internal/store"
	webhookdb "vitrine/internal/store/webhook"
)

// view is a subscription (document 2, 2.4).
type view struct {
	ID            shop.WebhookID `json:"id"`
	URL           string         `json:"url"`
	Events        []string       `json:"events"`
	IsActive      bool           `json:"is_active"`
	LastStatus    int            `json:"last_status" doc:"0: never delivered, or nobody answered"`
	LastError     string         `json:"last_error"`
	LastDelivered *time.Time     `json:"last_delivered_at"`
	FailingSince  *time.Time     `json:"failing_since" doc:"since when nothing was taken; null: it is well"`
	CreatedAt     time.Time      `json:"created_at"`
	UpdatedAt     time.Time      `json:"updated_at"`

	Secret   string `json:"secret,omitempty" doc:"shown once, when it is made"`
	Standard string `json:"standard_secret,omitempty" doc:"the same for verifiers of Standard Webhooks"`
}

func viewOf(w webhookdb.Webhook, secret string) view {
	v := view{
		ID: w.ID, URL: w.URL, Events: w.Events, IsActive: w.Active, LastStatus: w.LastStatus, LastError: w.LastError,
		LastDelivered: utc(w.LastDelivered), FailingSince: utc(w.FailingSince), CreatedAt: w.CreatedAt.UTC(), UpdatedAt: w.UpdatedAt.UTC(),
	}
	if secret != "" {
		v.Secret, v.Standard = secret, hook.Prefixed(secret)
	}
	return v
}

func utc(at *time.Time) *time.Time {
	if at == nil {
		return nil
	}
	in := at.UTC()
	return &in
}

func (ws *Webhooks) list(ctx context.Context, c *api.Call, _ api.None) (out api.Result[[]view], err error) {
	if err := own(c); err != nil {
		return out, err
	}
	hooks, err := webhookdb.List(ctx, ws.Store.Shop(c.Company))
	out.Result = []view{}
	for _, w := range hooks {
		out.Result = append(out.Result, viewOf(w, ""))
	}
	return out, err
}

type oneRequest struct {
	ID shop.WebhookID `path:"id" json:"-"`
}

func (ws *Webhooks) get(ctx context.Context, c *api.Call, in oneRequest) (out api.Result[view], err error) {
	if err := own(c); err != nil {
		return out, err
	}
	w, err := webhookdb.Get(ctx, ws.Store.Shop(c.Company), in.ID)
	return api.Wrap(viewOf(w, "")), err
}

type createRequest struct {
	URL    string   `json:"url" len:"1024" refuse:"URL_NOT_ALLOWED"`
	Events []string `json:"events" len:"64" max:"32" refuse:"INVALID_EVENT"`
	Secret string   `json:"secret" len:"64" refuse:"WEBHOOK_SECRET_INVALID"`
	Active *bool    `json:"is_active" doc:"false: it is made and hears of nothing yet"`
}

func (ws *Webhooks) create(ctx context.Context, c *api.Call, in createRequest) (out api.Result[view], err error) {
	if err := own(c); err != nil {
		return out, err
	}
	w := webhookdb.Webhook{Active: in.Active == nil || *in.Active}
	if w.Events, err = chosen(in.Events); err != nil {
		return out, err
	}
	if err := mayHear(c, w.Events); err != nil {
		return out, err
	}
	if err := ws.setURL(ctx, &w, in.URL); err != nil {
		return out, err
	}
	if in.Secret == "" {
		in.Secret = hook.NewSecret()
	}
	if err := checkSecret(in.Secret); err != nil {
		return out, err
	}
	err = ws.Store.Write(ctx, c.Company, func(tx *store.Tx) error {
		return webhookdb.Insert(ctx, tx, &w, func(id shop.WebhookID) []byte { return ws.Sealer.Seal([]byte(in.Secret), belongs(c.Company, id)) })
	})
	return api.Wrap(viewOf(w, in.Secret)), err
}

type changeRequest struct {
	ID       shop.WebhookID `path:"id" json:"-"`
	URL      *string        `json:"url" len:"1024" refuse:"URL_NOT_ALLOWED"`
	Events   []string       `json:"events" len:"64" max:"32" refuse:"INVALID_EVENT" doc:"an empty list leaves them"`
	Secret   *string        `json:"secret" len:"64" refuse:"WEBHOOK_SECRET_INVALID" doc:"for 24 hours the one before signs beside it"`
	IsActive *bool          `json:"is_active" doc:"false: what is queued is dead"`
}

func (ws *Webhooks) change(ctx context.Context, c *api.Call, in changeRequest) (out api.Result[view], err error) {
	if err := own(c); err != nil {
		return out, err
	}
	var events []string
	if len(in.Events) > 0 {
		if events, err = chosen(in.Events); err != nil {
			return out, err
		}
	}
	to := webhookdb.Webhook{}
	if in.URL != nil {
		if err := ws.setURL(ctx, &to, *in.URL); err != nil { // it asks for the name, so before the transaction
			return out, err
		}
	}
	secret := ""
	if in.Secret != nil {
		secret = *in.Secret
		if err := checkSecret(secret); err != nil {
			return out, err
		}
	}
	err = ws.Store.Write(ctx, c.Company, func(tx *store.Tx) error {
		w, err := webhookdb.Lock(ctx, tx, in.ID)
		if err != nil {
			return err
		}
		if err := mayHear(c, w.Events); err != nil {
			return err
		}
		if events != nil {
			w.Events = events
			if err := mayHear(c, w.Events); err != nil {
				return err
			}
		}
		if in.URL != nil {
			w.URL, w.Host = to.URL, to.Host
		}
		if in.IsActive != nil {
			w.Active = *in.IsActive
		}
		var sealed []byte
		if secret != "" {
			sealed = ws.Sealer.Seal([]byte(secret), belongs(c.Company, w.ID))
		}
		err = webhookdb.Save(ctx, tx, &w, sealed, ws.Now())
		out = api.Wrap(viewOf(w, ""))
		return err
	})
	return out, err
}

func (ws *Webhooks) remove(ctx context.Context, c *api.Call, in oneRequest) (out api.None, err error) {
	if err := own(c); err != nil {
		return out, err
	}
	return out, ws.Store.Write(ctx, c.Company, func(tx *store.Tx) error {
		w, err := webhookdb.Lock(ctx, tx, in.ID)
		if err == nil {
			err = mayHear(c, w.Events)
		}
		if err != nil {
			return err
		}
		return webhookdb.Delete(ctx, tx, w.ID, ws.Now())
	})
}

// chosen are the names of events, each once.
func chosen(names []string) (events []string, err error) {
	for _, name := range names {
		if _, known := hook.Find(name); !known {
			return nil, errEvent.At("events").With(fmt.Sprintf("%.80q is none of %s", name, strings.Join(hook.Names(true), ", ")))
		}
		if !slices.Contains(events, name) {
			events = append(events, name)
		}
	}
	if len(events) == 0 {
		return nil, errEvent.At("events").With("name at least one event")
	}
	return events, nil
}

// mayHear refuses editors what is not public (document 2, section 5): to subscribe to it,
// and to lead elsewhere what others have subscribed to.
func mayHear(c *api.Call, events []string) error {
	if c.Role.Manages() || hook.AnyMember(events) {
		return nil
	}
	return api.ErrRole.With("editors subscribe to " + strings.Join(hook.Names(false), ", "))
}

// setURL takes the address of a receiver.
func (ws *Webhooks) setURL(ctx context.Context, w *webhookdb.Webhook, address string) error {
	if err := ws.checkURL(ctx, address); err != nil {
		return err
	}
	u, err := url.Parse(address)
	if err != nil {
		return errURL.At("url")
	}
	w.URL, w.Host = address, strings.ToLower(u.Host)
	return nil
}

const (
	leastSecret = 16 // characters
	mostSecret  = 64
)

func checkSecret(secret string) error {
	if n := utf8.RuneCountInString(secret); n < leastSecret || n > mostSecret {
		return errSecret
	}
	return nil
}
