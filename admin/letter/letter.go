// Package letter renders, lists and sends the letters of shops (CONTRACT-COMMERCE, "Letters"),
// and lets a shop change their templates. A worker passes the letters to the mail server.
//
// A letter is a row written in the same transaction as its event. It is rendered when it is sent,
// or when it is first viewed, and does not change afterwards. Without a mail server letters stay
// in the queue and can be read.
package letter

import (
	"context"
	"sync"
	"time"

	"vitrine/admin/api"
	"vitrine/internal/catalogue"
	"vitrine/internal/load"
	"vitrine/internal/lru"
	"vitrine/internal/mail"
	"vitrine/internal/secret"
	"vitrine/internal/shop"
	"vitrine/internal/store"
	letterdb "vitrine/internal/store/letter"
)

// Config holds the dependencies of Letters.
type Config struct {
	Store      *store.Store
	Sites      *load.Sites // compiled sites, for the URLs of products
	Catalogues *catalogue.Catalogues
	URLs       api.URLs
	Now        func() time.Time
	Sealer     *secret.Sealer
	Server     *mail.Server                                             // nil: letters are not sent
	From       string                                                   // the platform's address
	TXT        func(ctx context.Context, name string) ([]string, error) // inlineStyles up TXT records
}

// Letters serves the endpoints of this package.
type Letters struct {
	Config

	mu       sync.Mutex
	contexts *lru.Weighted[shop.CompanyID, shopContext] // cached without their sites
}

// maxContexts is how many shops the data for rendering letters is cached for.
const maxContexts = 1000

// New returns Letters with the given dependencies.
func New(cfg Config) *Letters {
	return &Letters{Config: cfg, contexts: lru.New[shop.CompanyID, shopContext](maxContexts)}
}

// Endpoints lists the endpoints of this package.
func (ls *Letters) Endpoints() []api.Endpoint {
	role := api.ErrRole.With("only owners and admins manage letters")
	named := api.Refuses(errName)
	return []api.Endpoint{
		{Method: "GET", Path: "/v1/shop/letters", Auth: api.SessionOnly, Manage: role, Contour: api.LiveOnly, Class: api.Read, Errors: api.Refuses(shop.ErrInvalidRequest), Do: api.Handle(ls.list),
			Summary: "The letters of the shop, newest first"},
		{Method: "GET", Path: "/v1/shop/letters/templates", Auth: api.SessionOnly, Manage: role, Contour: api.LiveOnly, Class: api.Read, Do: api.Handle(ls.templates),
			Summary: "The templates of all letters, without their bodies"},
		{Method: "GET", Path: "/v1/shop/letters/{name}", Auth: api.SessionOnly, Manage: role, Contour: api.LiveOnly, Class: api.Read, Errors: named, Do: api.Handle(ls.template),
			Summary: "The template of a letter"},
		{Method: "PUT", Path: "/v1/shop/letters/{name}", Edits: "/v1/shop/letters/{name}", Auth: api.SessionOnly, Manage: role, Contour: api.LiveOnly, Class: api.Write, Errors: named.And(errTemplate), Do: api.Handle(ls.change),
			Summary: "Change the template of a letter; parts that are not sent stay unchanged"},
		{Method: "DELETE", Path: "/v1/shop/letters/{name}", Auth: api.SessionOnly, Manage: role, Contour: api.LiveOnly, Class: api.Write, Errors: named, Do: api.Handle(ls.reset),
			Summary: "Restore the platform's template of a letter"},
		{Method: "POST", Path: "/v1/shop/letters/{name}/preview", Auth: api.SessionOnly, Manage: role, Contour: api.LiveOnly, Class: api.Write, Errors: named.And(errTemplate), Do: api.Handle(ls.preview),
			Summary: "Render an unsaved template for the newest object that such a letter was written about"},
		{Method: "POST", Path: "/v1/shop/letters/again/{id}", Auth: api.SessionOnly, Manage: role, Contour: api.LiveOnly, Class: api.Write, Errors: api.Refuses(letterdb.ErrNotFound, letterdb.ErrLetterResentTooOften, errNoWords), Do: api.Handle(ls.again),
			Summary: "Send a letter again"},
		{Method: "GET", Path: "/v1/shop/letters/domain", Auth: api.SessionOnly, Manage: role, Contour: api.LiveOnly, Class: api.Read, Do: api.Handle(ls.domain),
			Summary: "The DNS record that the shop's domain needs so that letters are sent from it"},
		{Method: "POST", Path: "/v1/shop/letters/domain", Auth: api.SessionOnly, Manage: role, Contour: api.LiveOnly, Class: api.Write, Errors: api.Refuses(errNoDomain), Do: api.Handle(ls.verify),
			Summary: "Create the key of the shop's domain if needed, and check whether the domain's DNS publishes it"},
	}
}

// Refusals of letters.
var (
	errName     = shop.Refuse(shop.NotFound, "LETTER_NOT_FOUND").When("the shop has no letter with this id or name")
	errTemplate = shop.Refuse(shop.InvalidArgument, "LETTER_INVALID").When("the template of the letter cannot be used; the detail contains the part and the line")
	errNoWords  = shop.Refuse(shop.FailedPrecondition, "LETTER_WITHOUT_WORDS").When("the letter could not be rendered, so there is nothing to send")
	errNoDomain = shop.Refuse(shop.FailedPrecondition, "DOMAIN_REQUIRED").When("the shop has no custom domain")
)
