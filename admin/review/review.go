// Package review is what buyers say of products (CONTRACT-COMMERCE, "Reviews and
// questions"): reviews with stars, and questions. Each waits until somebody of the shop
// has looked at it.
//
// Pictures come in by the media library (admin/media, photo.go). Until their review is
// approved they have no address on the shop's host; its author and the shop's people
// see them here.
package review

import (
	"context"
	"net/netip"
	"time"

	"vitrine/admin/api"
	"vitrine/internal/blob"
	"vitrine/internal/budget"
	"vitrine/internal/shop"
	"vitrine/internal/store"
	"vitrine/internal/store/catalog"
	mediadb "vitrine/internal/store/media"
	"vitrine/internal/store/remark"
)

// Config is what reviews stand on.
type Config struct {
	Store *store.Store
	Blobs blob.Store
	Now   func() time.Time
}

// Reviews answers the endpoints of this package.
type Reviews struct {
	Config
	writers *budget.Budgets[netip.Prefix]
	daily   *budget.Budgets[netip.Prefix]
	people  *budget.Budgets[shop.UserID]
	voters  *budget.Budgets[voter]
}

// voter is a network that votes about one remark.
type voter struct {
	from   netip.Prefix
	remark shop.RemarkID
}

const (
	writtenAtOnce = 30  // by one network in ten minutes, votes included
	writtenADay   = 300 // by one network
	writtenByOne  = 30  // by one person in an hour
	votesAtOnce   = 3   // of one network about one remark within a day: guests cost nothing
)

// New makes the slice.
func New(cfg Config) *Reviews {
	return &Reviews{
		Config: cfg, writers: budget.New[netip.Prefix](writtenAtOnce, 10*time.Minute, cfg.Now), daily: budget.New[netip.Prefix](writtenADay, 24*time.Hour, cfg.Now),
		people: budget.New[shop.UserID](writtenByOne, time.Hour, cfg.Now), voters: budget.New[voter](votesAtOnce, 24*time.Hour, cfg.Now),
	}
}

// Refusals of reviews and questions.
var (
	errReview   = shop.Refuse(shop.InvalidArgument, "REVIEW_INVALID").When("a review has no rating of 1 to 5, texts of more than 5,000 characters, or more than 5 files")
	errQuestion = shop.Refuse(shop.InvalidArgument, "QUESTION_INVALID").When("a question has no text, or one of more than 5,000 characters")
	errStatus   = shop.Refuse(shop.InvalidArgument, "REVIEW_STATUS_INVALID").When("status is not pending, approved or rejected, or the answer has more than 5,000 characters")
)

// Endpoints is the table of this slice.
func (rs *Reviews) Endpoints() []api.Endpoint {
	reads, writes := []shop.Scope{"catalog:read"}, []shop.Scope{"catalog:write"}
	list := []api.Endpoint{
		{Method: "POST", Path: "/products/{id}/reviews", Auth: api.SessionOnly, Contour: api.LiveOnly, Class: api.Write,
			Errors: api.Refuses(errReview, api.ErrDenied, store.ErrShopNotFound, catalog.ErrProductNotFound, mediadb.ErrFileNotFound, remark.ErrClosed, remark.ErrWaiting), Do: api.Handle(rs.review),
			Summary: "Review a product; a second one takes the place of the first and waits again"},
		{Method: "POST", Path: "/products/{id}/questions", Auth: api.SessionOnly, Contour: api.LiveOnly, Class: api.Write,
			Errors: api.Refuses(errQuestion, api.ErrDenied, store.ErrShopNotFound, catalog.ErrProductNotFound, remark.ErrClosed, remark.ErrWaiting, remark.ErrQuestionsWaiting), Do: api.Handle(rs.ask),
			Summary: "Ask about a product"},
		{Method: "GET", Path: "/products/{id}/reviews", Auth: api.Public, Contour: api.LiveOnly, Class: api.Read,
			Errors: api.Refuses(api.ErrNoCompany, catalog.ErrProductNotFound, shop.ErrInvalidRequest), Do: api.Handle(rs.shown(remark.Review)),
			Summary: "The approved reviews of a product"},
		{Method: "GET", Path: "/products/{id}/questions", Auth: api.Public, Contour: api.LiveOnly, Class: api.Read,
			Errors: api.Refuses(api.ErrNoCompany, catalog.ErrProductNotFound, shop.ErrInvalidRequest), Do: api.Handle(rs.shown(remark.Question)),
			Summary: "The approved questions about a product, with their answers"},
		{Method: "GET", Path: "/products/{id}/reviews/own", Auth: api.SessionOnly, Contour: api.LiveOnly, Class: api.Read,
			Errors: api.Refuses(api.ErrDenied, store.ErrShopNotFound, remark.ErrReviewNotFound), Do: api.Handle(rs.own),
			Summary: "What the caller has written about a product, also while it waits"},
		{Method: "GET", Path: "/reviews/{id}/files/{file_id}", Auth: api.Person, Scopes: reads, Contour: api.LiveOnly, Class: api.Read, Produces: []string{"image/webp"},
			Errors: api.Refuses(api.ErrDenied, store.ErrShopNotFound, remark.ErrReviewNotFound, mediadb.ErrFileNotFound), Do: api.Handle(rs.photo),
			Summary: "A picture of a review, also while it waits; for its author and the shop's people"},
	}
	for _, kind := range []struct {
		remark.Kind
		path, plural string
	}{{remark.Review, "/reviews", "reviews"}, {remark.Question, "/questions", "questions"}} {
		one := api.Refuses(kind.NotFound())
		list = append(list,
			api.Endpoint{Method: "GET", Path: kind.path, Scopes: reads, Contour: api.LiveOnly, Class: api.Read, Errors: api.Refuses(errStatus), Do: api.Handle(rs.queue(kind.Kind)),
				Summary: "The " + kind.plural + " of the shop, newest first, also those that wait"},
			api.Endpoint{Method: "PUT", Path: kind.path + "/{id}", Scopes: writes, Contour: api.RefusesDraft, Class: api.Write, Errors: one.And(errStatus), Do: api.Handle(rs.moderate(kind.Kind)),
				Summary: "Approve or reject, and answer; what is not sent stays"},
			api.Endpoint{Method: "POST", Path: kind.path + "/{id}/helpful", Auth: api.SessionOnly, Contour: api.LiveOnly, Class: api.Write,
				Errors: one.And(api.ErrDenied, store.ErrShopNotFound), Do: api.Handle(rs.helpful(kind.Kind)), Summary: "Say that it helped, once a person"},
		)
	}
	return list
}

// admit counts what one network writes.
func (rs *Reviews) admit(c *api.Call) error {
	_, wait := rs.writers.Take(c.Network())
	if wait == 0 {
		_, wait = rs.daily.Take(c.Network())
	}
	if wait == 0 {
		_, wait = rs.people.Take(c.Person)
	}
	if wait > 0 {
		return shop.ErrRateLimited.With("30 in ten minutes and 300 a day from one address, 30 an hour of one person").RetryAfter(budget.Seconds(wait))
	}
	return nil
}

// ofProduct is the shop that a buyer means: the host's, the one that is named, or the
// product's.
func (rs *Reviews) ofProduct(ctx context.Context, c *api.Call, named shop.CompanyID, product shop.ProductID) (shop.CompanyID, error) {
	company, err := c.BuyerShop(named)
	if err != nil || company != 0 {
		return company, err
	}
	if company, err = catalog.ProductCompany(ctx, rs.Store, product); err == nil && company == 0 {
		err = catalog.ErrProductNotFound
	}
	return company, err
}

// ofRemark is likewise the shop of a review or a question.
func (rs *Reviews) ofRemark(ctx context.Context, c *api.Call, named shop.CompanyID, kind remark.Kind, id shop.RemarkID) (shop.CompanyID, error) {
	company, err := c.BuyerShop(named)
	if err != nil || company != 0 {
		return company, err
	}
	return remark.Company(ctx, rs.Store, kind, id)
}

// vote counts a vote of a network about one remark.
func (rs *Reviews) vote(c *api.Call, id shop.RemarkID) (budget.Taken, error) {
	taken, wait := rs.voters.Take(voter{c.Network(), id})
	if wait > 0 {
		return taken, shop.ErrRateLimited.With("3 votes a day about one review from one address").RetryAfter(budget.Seconds(wait))
	}
	return taken, nil
}
