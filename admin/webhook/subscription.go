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
	LastStatus    int            `json:"last_status" doc:"0: never delivered, or no response"`
	LastError     string         `json:"last_error"`
	LastDelivered *time.Time     `json:"last_delivered_at"`
	FailingSince  *time.Time     `json:"failing_since" doc:"since when no delivery was accepted; null: not failing"`
	CreatedAt     time.Time      `json:"created_at"`
	UpdatedAt     time.Time      `json:"updated_at"`

	Secret   string `json:"secret,omitempty" doc:"returned only on creation"`
	Standard string `json:"standard_secret,omitempty" doc:"the same secret in the format of Standard Webhooks"`
}

func viewOf(w webhookdb.Webhook, secret string) view {
	v := view{
		ID: w.ID, URL: w.URL, Events: w.Events, IsActive: w.Active, LastStatus: w.LastStatus, LastError: w.LastError,
		LastDelivered: shop.UTC(w.LastDelivered), FailingSince: shop.UTC(w.FailingSince), CreatedAt: w.CreatedAt.UTC(), UpdatedAt: w.UpdatedAt.UTC(),
	}
	if secret != "" {
		v.Secret, v.Standard = secret, hook.Prefixed(secret)
	}
	return v
}

func (ws *Webhooks) list(ctx context.Context, c *api.Call, _ api.None) (out api.Result[[]view], err error) {
	if err := requireMember(c); err != nil {
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
	if err := requireMember(c); err != nil {
		return out, err
	}
	w, err := webhookdb.Get(ctx, ws.Store.Shop(c.Company), in.ID)
	return api.Wrap(viewOf(w, "")), err
}

type createRequest struct {
	URL    string   `json:"url" required:"always" len:"1024" refuse:"URL_NOT_ALLOWED"`
	Events []string `json:"events" required:"always" len:"64" max:"32" refuse:"INVALID_EVENT"`
	Secret string   `json:"secret" len:"64" refuse:"WEBHOOK_SECRET_INVALID" spaces:"kept"`
	Active *bool    `json:"is_active" doc:"false: create the subscription disabled"`
}

func (ws *Webhooks) create(ctx context.Context, c *api.Call, in createRequest) (out api.Result[view], err error) {
	if err := requireMember(c); err != nil {
		return out, err
	}
	w := webhookdb.Webhook{Active: in.Active == nil || *in.Active}
	if w.Events, err = parseEvents(in.Events); err != nil {
		return out, err
	}
	if err := maySubscribe(c, w.Events); err != nil {
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
		return webhookdb.Insert(ctx, tx, &w, func(id shop.WebhookID) []byte { return ws.Sealer.Seal([]byte(in.Secret), sealContext(c.Company, id)) })
	})
	return api.Wrap(viewOf(w, in.Secret)), err
}

type changeRequest struct {
	ID shop.WebhookID `path:"id" json:"-"`
	api.Basis
	URL      *string  `json:"url" len:"1024" refuse:"URL_NOT_ALLOWED"`
	Events   []string `json:"events" len:"64" max:"32" refuse:"INVALID_EVENT" doc:"unchanged if empty"`
	Secret   *string  `json:"secret" len:"64" refuse:"WEBHOOK_SECRET_INVALID" spaces:"kept" doc:"the previous secret also signs for 24 hours"`
	IsActive *bool    `json:"is_active" doc:"false: queued deliveries become dead"`
}

func (ws *Webhooks) change(ctx context.Context, c *api.Call, in changeRequest) (out api.Result[view], err error) {
	if err := requireMember(c); err != nil {
		return out, err
	}
	var events []string
	if len(in.Events) > 0 {
		if events, err = parseEvents(in.Events); err != nil {
			return out, err
		}
	}
	to := webhookdb.Webhook{}
	if in.URL != nil {
		if err := ws.setURL(ctx, &to, *in.URL); err != nil { // resolves the host, so not within the transaction
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
		if err := maySubscribe(c, w.Events); err != nil {
			return err
		}
		if err := tx.CheckBasis(w.UpdatedAt); err != nil {
			return err
		}
		if events != nil {
			w.Events = events
			if err := maySubscribe(c, w.Events); err != nil {
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
			sealed = ws.Sealer.Seal([]byte(secret), sealContext(c.Company, w.ID))
		}
		err = webhookdb.Save(ctx, tx, &w, sealed, ws.Now())
		out = api.Wrap(viewOf(w, ""))
		return err
	})
	return out, err
}

func (ws *Webhooks) remove(ctx context.Context, c *api.Call, in oneRequest) (out api.None, err error) {
	if err := requireMember(c); err != nil {
		return out, err
	}
	return out, ws.Store.Write(ctx, c.Company, func(tx *store.Tx) error {
		w, err := webhookdb.Lock(ctx, tx, in.ID)
		if err == nil {
			err = maySubscribe(c, w.Events)
		}
		if err != nil {
			return err
		}
		return webhookdb.Delete(ctx, tx, w.ID, ws.Now())
	})
}

// parseEvents returns the distinct names of events, which must be known.
func parseEvents(names []string) (events []string, err error) {
	for _, name := range names {
		if _, known := hook.Find(name); !known {
			return nil, errEvent.At("events").With(fmt.Sprintf("%.80q is not one of %s", name, strings.Join(hook.Names(true), ", ")))
		}
		if !slices.Contains(events, name) {
			events = append(events, name)
		}
	}
	if len(events) == 0 {
		return nil, errEvent.At("events").With("at least one event is required")
	}
	return events, nil
}

// maySubscribe refuses editors non-public events (document 2, section 5): they may neither
// subscribe to them nor redirect subscriptions of others to them.
func maySubscribe(c *api.Call, events []string) error {
	if c.Role.CanManage() || hook.AnyMember(events) {
		return nil
	}
	return api.ErrRole.With("editors may subscribe only to " + strings.Join(hook.Names(false), ", "))
}

// setURL validates and sets the URL of a receiver.
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
	minSecret = 16 // characters
	maxSecret = 64
)

func checkSecret(secret string) error {
	if n := utf8.RuneCountInString(secret); n < minSecret || n > maxSecret {
		return errSecret
	}
	return nil
}
