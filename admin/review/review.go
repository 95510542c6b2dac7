// Package review manages what buyers write about products (CONTRACT-COMMERCE, "Reviews and
// questions"): reviews with stars, and questions. Each is pending until a member of the shop has
// moderated it.
//
// Pictures are uploaded through the media library (admin/media, photo.go). Until their review is
// approved they have no URL on the shop's host; its author and the members of the shop see them
// through this package.
package review

import (
	"context"
	"fmt"
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

// Config holds the dependencies of Reviews.
type Config struct {
	Store *store.Store
	Blobs blob.Store
	Now   func() time.Time
}

// Reviews serves the endpoints of this package.
type Reviews struct {
	Config
	writers *budget.Budgets[netip.Prefix]
	daily   *budget.Budgets[netip.Prefix]
	people  *budget.Budgets[shop.UserID]
	voters  *budget.Budgets[voter]
}

// voter identifies the votes of a network for one review or question.
type voter struct {
	from   netip.Prefix
	remark shop.RemarkID
}

func (v voter) String() string { return fmt.Sprint(v.from, v.remark) }

const (
	perNetworkTenMinutes = 30  // per network in ten minutes, including votes
	perNetworkDay        = 300 // per network and day
	perPersonHour        = 30  // per person and hour
	votesPerNetworkDay   = 3   // per network, entry and day, because creating guests is free
)

// New returns Reviews with the given dependencies.
func New(cfg Config) *Reviews {
	return &Reviews{
		Config: cfg, writers: budget.Shared[netip.Prefix]("reviews", perNetworkTenMinutes, 10*time.Minute, cfg.Now, cfg.Store.CountAttempts), daily: budget.Shared[netip.Prefix]("reviews a day", perNetworkDay, 24*time.Hour, cfg.Now, cfg.Store.CountAttempts),
		people: budget.Shared[shop.UserID]("reviews of person", perPersonHour, time.Hour, cfg.Now, cfg.Store.CountAttempts), voters: budget.Shared[voter]("votes", votesPerNetworkDay, 24*time.Hour, cfg.Now, cfg.Store.CountAttempts),
	}
}

// Refusals of reviews and questions.
var (
	errReview   = shop.Refuse(shop.InvalidArgument, "REVIEW_INVALID").When("the rating is not 1 to 5, a text has more than 5,000 characters, or there are more than 5 files")
	errQuestion = shop.Refuse(shop.InvalidArgument, "QUESTION_INVALID").When("the text is empty or has more than 5,000 characters")
	errStatus   = shop.Refuse(shop.InvalidArgument, "REVIEW_STATUS_INVALID").When("status is not pending, approved or rejected, or the answer has more than 5,000 characters")
)

// Endpoints lists the endpoints of this package.
func (rs *Reviews) Endpoints() []api.Endpoint {
	reads, writes := []shop.Scope{"catalog:read"}, []shop.Scope{"catalog:write"}
	list := []api.Endpoint{
		{Method: "POST", Path: "/products/{id}/reviews", Auth: api.SessionOnly, Contour: api.LiveOnly, Class: api.Write,
			Errors: api.Refuses(errReview, api.ErrDenied, store.ErrShopNotFound, catalog.ErrProductNotFound, mediadb.ErrFileNotFound, remark.ErrDisabled, remark.ErrWaiting), Do: api.Handle(rs.review),
			Summary: "Review a product; a second review replaces the first and is pending again"},
		{Method: "POST", Path: "/products/{id}/questions", Auth: api.SessionOnly, Contour: api.LiveOnly, Class: api.Write,
			Errors: api.Refuses(errQuestion, api.ErrDenied, store.ErrShopNotFound, catalog.ErrProductNotFound, remark.ErrDisabled, remark.ErrWaiting, remark.ErrQuestionsWaiting), Do: api.Handle(rs.ask),
			Summary: "Ask about a product"},
		{Method: "GET", Path: "/products/{id}/reviews", Auth: api.Public, Contour: api.LiveOnly, Class: api.Read,
			Errors: api.Refuses(api.ErrNoCompany, catalog.ErrProductNotFound, shop.ErrInvalidRequest), Do: api.Handle(rs.shown(remark.Review)),
			Summary: "The approved reviews of a product"},
		{Method: "GET", Path: "/products/{id}/questions", Auth: api.Public, Contour: api.LiveOnly, Class: api.Read,
			Errors: api.Refuses(api.ErrNoCompany, catalog.ErrProductNotFound, shop.ErrInvalidRequest), Do: api.Handle(rs.shown(remark.Question)),
			Summary: "The approved questions about a product, with their answers"},
		{Method: "GET", Path: "/products/{id}/reviews/own", Auth: api.SessionOnly, Contour: api.LiveOnly, Class: api.Read,
			Errors: api.Refuses(api.ErrDenied, store.ErrShopNotFound, remark.ErrReviewNotFound), Do: api.Handle(rs.own),
			Summary: "The caller's review of a product, even while it is pending"},
		{Method: "GET", Path: "/reviews/{id}/files/{file_id}", Auth: api.Person, Scopes: reads, Contour: api.LiveOnly, Class: api.Read, Produces: []string{"image/webp"},
			Errors: api.Refuses(api.ErrDenied, store.ErrShopNotFound, remark.ErrReviewNotFound, mediadb.ErrFileNotFound), Do: api.Handle(rs.photo),
			Summary: "A picture of a review, even while it is pending; for its author and members of the shop"},
	}
	for _, kind := range []struct {
		remark.Kind
		path, plural string
	}{{remark.Review, "/reviews", "reviews"}, {remark.Question, "/questions", "questions"}} {
		one := api.Refuses(kind.NotFound())
		list = append(list,
			api.Endpoint{Method: "GET", Path: kind.path, Scopes: reads, Contour: api.LiveOnly, Class: api.Read, Errors: api.Refuses(errStatus), Do: api.Handle(rs.queue(kind.Kind)),
				Summary: "The " + kind.plural + " of the shop, newest first, including pending ones"},
			api.Endpoint{Method: "GET", Path: kind.path + "/{id}", Scopes: reads, Contour: api.LiveOnly, Class: api.Read, Errors: one, Do: api.Handle(rs.one(kind.Kind)),
				Summary: "One of the " + kind.plural + " of the shop, also while it is pending"},
			api.Endpoint{Method: "PUT", Path: kind.path + "/{id}", Edits: kind.path + "/{id}", Scopes: writes, Contour: api.RefusesDraft, Class: api.Write, Errors: one.And(errStatus), Do: api.Handle(rs.moderate(kind.Kind)),
				Summary: "Approve, reject or answer; fields that are not sent stay unchanged"},
			api.Endpoint{Method: "PUT", Path: kind.path + "/batch", Scopes: writes, Contour: api.RefusesDraft, SeparateCommits: true, Class: api.Write, Errors: api.Refuses(errStatus), Do: api.Handle(rs.moderateMany(kind.Kind)),
				Summary: "Set the status of up to 100 " + kind.plural + "; each succeeds or fails on its own. dry_run writes nothing and answers what would change"},
			api.Endpoint{Method: "POST", Path: kind.path + "/{id}/helpful", Auth: api.SessionOnly, Contour: api.LiveOnly, Class: api.Write,
				Errors: one.And(api.ErrDenied, store.ErrShopNotFound), Do: api.Handle(rs.helpful(kind.Kind)), Summary: "Vote as helpful, once per person"},
		)
	}
	return list
}

// admit counts a submission against the budgets of its network and person.
func (rs *Reviews) admit(c *api.Call) error {
	_, wait := rs.writers.Take(c.Network())
	if wait == 0 {
		_, wait = rs.daily.Take(c.Network())
	}
	if wait == 0 {
		_, wait = rs.people.Take(c.Person)
	}
	if wait > 0 {
		return shop.ErrRateLimited.With("at most 30 in ten minutes and 300 a day from one address, and 30 an hour from one person").RetryAfter(budget.Seconds(wait))
	}
	return nil
}

// ofProduct returns the shop of a buyer's call: that of the host, the one named, or the
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

// ofRemark returns the shop of a buyer's call about a review or a question in the same way.
func (rs *Reviews) ofRemark(ctx context.Context, c *api.Call, named shop.CompanyID, kind remark.Kind, id shop.RemarkID) (shop.CompanyID, error) {
	company, err := c.BuyerShop(named)
	if err != nil || company != 0 {
		return company, err
	}
	return remark.Company(ctx, rs.Store, kind, id)
}

// vote counts a network's vote for one review or question.
func (rs *Reviews) vote(c *api.Call, id shop.RemarkID) (budget.Attempt, error) {
	taken, wait := rs.voters.Take(voter{c.Network(), id})
	if wait > 0 {
		return taken, shop.ErrRateLimited.With("at most 3 votes a day for one review from one address").RetryAfter(budget.Seconds(wait))
	}
	return taken, nil
}
