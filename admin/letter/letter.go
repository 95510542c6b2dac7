// Package letter is the letters of shops (CONTRACT-COMMERCE, "Letters"): it puts them
// into words, lets a shop change these, shows what was written, and in a worker takes
// letters to the mail server.
//
// A letter is a row that is written with what it tells of. It is put into words when
// it is sent, or when somebody looks at it before, and stays as it was then. Without a
// mail server letters stay where they are and can be read.
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

// Config is what letters stand on.
type Config struct {
	Store      *store.Store
	Sites      *load.Sites // where products stand
	Catalogues *catalogue.Catalogues
	URLs       api.URLs
	Now        func() time.Time
	Sealer     *secret.Sealer
	Server     *mail.Server                                             // nil: there is none
	From       string                                                   // the platform's address
	TXT        func(ctx context.Context, name string) ([]string, error) // what a domain says
}

// Letters answers the endpoints of this package.
type Letters struct {
	Config

	mu     sync.Mutex
	sheets *lru.Weighted[shop.CompanyID, sheet] // without their sites
}

// maxSheets is of how many shops it is kept what letters are written on.
const maxSheets = 1000

// New makes the slice.
func New(cfg Config) *Letters {
	return &Letters{Config: cfg, sheets: lru.New[shop.CompanyID, sheet](maxSheets)}
}

// Endpoints is the table of this slice.
func (ls *Letters) Endpoints() []api.Endpoint {
	role := api.ErrRole.With("letters are for owners and admins")
	named := api.Refuses(errName)
	return []api.Endpoint{
		{Method: "GET", Path: "/v1/shop/letters", Auth: api.SessionOnly, Manage: role, Contour: api.LiveOnly, Class: api.Read, Errors: api.Refuses(shop.ErrInvalidRequest), Do: api.Handle(ls.list),
			Summary: "The letters of the shop, newest first"},
		{Method: "GET", Path: "/v1/shop/letters/{name}", Auth: api.SessionOnly, Manage: role, Contour: api.LiveOnly, Class: api.Read, Errors: named, Do: api.Handle(ls.template),
			Summary: "The words of a letter"},
		{Method: "PUT", Path: "/v1/shop/letters/{name}", Auth: api.SessionOnly, Manage: role, Contour: api.LiveOnly, Class: api.Write, Errors: named.And(errTemplate), Do: api.Handle(ls.change),
			Summary: "Change the words of a letter; parts that are not sent stay"},
		{Method: "DELETE", Path: "/v1/shop/letters/{name}", Auth: api.SessionOnly, Manage: role, Contour: api.LiveOnly, Class: api.Write, Errors: named, Do: api.Handle(ls.reset),
			Summary: "Take the platform's words for a letter again"},
		{Method: "POST", Path: "/v1/shop/letters/{name}/preview", Auth: api.SessionOnly, Manage: role, Contour: api.LiveOnly, Class: api.Write, Errors: named.And(errTemplate), Do: api.Handle(ls.preview),
			Summary: "A letter in words that are not saved, on the newest thing that it tells of"},
		{Method: "POST", Path: "/v1/shop/letters/again/{id}", Auth: api.SessionOnly, Manage: role, Contour: api.LiveOnly, Class: api.Write, Errors: api.Refuses(letterdb.ErrNotFound, letterdb.ErrLetterOften, errNoWords), Do: api.Handle(ls.again),
			Summary: "Send a letter once more"},
		{Method: "GET", Path: "/v1/shop/letters/domain", Auth: api.SessionOnly, Manage: role, Contour: api.LiveOnly, Class: api.Read, Errors: api.Refuses(errNoDomain), Do: api.Handle(ls.domain),
			Summary: "What the shop's domain has to say so that letters come from it"},
		{Method: "POST", Path: "/v1/shop/letters/domain", Auth: api.SessionOnly, Manage: role, Contour: api.LiveOnly, Class: api.Write, Errors: api.Refuses(errNoDomain), Do: api.Handle(ls.verify),
			Summary: "Make the key of the shop's domain, and look whether the domain names it"},
	}
}

// Refusals of letters.
var (
	errName     = shop.Refuse(shop.NotFound, "LETTER_NOT_FOUND").When("there is no letter of this name")
	errTemplate = shop.Refuse(shop.InvalidArgument, "LETTER_INVALID").When("the words of the letter cannot be used; the detail says the part and the line")
	errNoWords  = shop.Refuse(shop.FailedPrecondition, "LETTER_WITHOUT_WORDS").When("the letter could not be put into words, so there is nothing to send")
	errNoDomain = shop.Refuse(shop.FailedPrecondition, "DOMAIN_REQUIRED").When("the shop has no domain of its own")
)
