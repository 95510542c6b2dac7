package review

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"vitrine/admin/api"
	"vitrine/internal/shop"
	"vitrine/internal/store"
	"vitrine/internal/store/remark"
)

const (
	maxText  = 5000 // characters
	pageSize = 20   // per page
)

// view is a review or a question as shown to visitors.
type view struct {
	ID         shop.RemarkID  `json:"id"`
	ProductID  shop.ProductID `json:"product_id"`
	Author     string         `json:"author"`
	Rating     *int           `json:"rating,omitempty" doc:"for reviews, 1 to 5"`
	Text       string         `json:"text"`
	Pros       string         `json:"pros"`
	Cons       string         `json:"cons"`
	Files      []uuid.UUID    `json:"file_ids"`
	Photos     []string       `json:"photos" doc:"paths of the pictures on the shop's host, once the review is approved"`
	Verified   bool           `json:"verified" doc:"whether the author bought the product"`
	Answer     string         `json:"answer"`
	AnsweredAt *time.Time     `json:"answered_at"`
	Helpful    int            `json:"helpful"`
	CreatedAt  time.Time      `json:"created_at"`
	UpdatedAt  time.Time      `json:"updated_at"`

	Status status       `json:"status,omitempty" doc:"only for the author and members of the shop"`
	Person *shop.UserID `json:"user_id,omitempty" doc:"only for members of the shop"`
}

func viewOf(r remark.Remark) view {
	v := view{
		ID: r.ID, ProductID: r.Product, Author: r.Author, Rating: r.Rating, Text: r.Text, Pros: r.Pros, Cons: r.Cons, Files: append([]uuid.UUID{}, r.Files...), Photos: []string{},
		Verified: r.Verified, Answer: r.Answer, Helpful: r.Helpful, CreatedAt: r.CreatedAt.UTC(), UpdatedAt: r.UpdatedAt.UTC(),
	}
	if r.AnsweredAt != nil {
		at := r.AnsweredAt.UTC()
		v.AnsweredAt = &at
	}
	for _, id := range r.Files {
		if r.Status == "approved" {
			v.Photos = append(v.Photos, shop.FileURL(shop.ReviewPhoto(id.String())))
		}
	}
	return v
}

type reviewRequest struct {
	ID        shop.ProductID `path:"id" json:"-"`
	CompanyID shop.CompanyID `json:"company_id" doc:"the shop; by default the product's"`
	Author    string         `json:"author" len:"60" doc:"the author's name on pages; by default a first name and an initial"`
	Rating    int            `json:"rating" required:"always" doc:"1 to 5"`
	Text      string         `json:"text" len:"5000"`
	Pros      string         `json:"pros" len:"5000"`
	Cons      string         `json:"cons" len:"5000"`
	Files     []uuid.UUID    `json:"file_ids" max:"5" refuse:"REVIEW_INVALID" doc:"pictures that the author uploaded to the section reviews; other ids are refused with FILE_NOT_FOUND"`
}

func (rs *Reviews) review(ctx context.Context, c *api.Call, in reviewRequest) (out api.Result[view], err error) {
	if in.Rating < 1 || in.Rating > 5 {
		return out, errReview.At("rating").With("one star to five")
	}
	return rs.submit(ctx, c, in.CompanyID, remark.Remark{
		Kind: remark.Review, Product: in.ID, Author: shop.PlainLine(in.Author), Rating: &in.Rating, Text: strings.TrimSpace(in.Text), Pros: strings.TrimSpace(in.Pros), Cons: strings.TrimSpace(in.Cons),
		Files: in.Files,
	})
}

type questionRequest struct {
	ID        shop.ProductID `path:"id" json:"-"`
	CompanyID shop.CompanyID `json:"company_id" doc:"the shop; by default the product's"`
	Author    string         `json:"author" len:"60" doc:"the author's name on pages; by default a first name and an initial"`
	Text      string         `json:"text" required:"always" len:"5000"`
}

func (rs *Reviews) ask(ctx context.Context, c *api.Call, in questionRequest) (out api.Result[view], err error) {
	text := strings.TrimSpace(in.Text)
	if text == "" {
		return out, errQuestion.At("text").With("must not be empty")
	}
	return rs.submit(ctx, c, in.CompanyID, remark.Remark{Kind: remark.Question, Product: in.ID, Author: shop.PlainLine(in.Author), Text: text})
}

// submit stores a review or a question about a product that accepts it.
func (rs *Reviews) submit(ctx context.Context, c *api.Call, named shop.CompanyID, r remark.Remark) (out api.Result[view], err error) {
	if err := rs.admit(c); err != nil {
		return out, err
	}
	company, err := rs.ofProduct(ctx, c, named, r.Product)
	if err != nil {
		return out, err
	}
	r.Person = &c.Person
	seen, err := c.Reader(ctx, company)
	if err != nil {
		return out, err
	}
	err = rs.Store.Write(ctx, company, func(tx *store.Tx) error {
		open, err := remark.AcceptsRemarks(ctx, tx.Hiding(seen).Reader, r.Kind, r.Product)
		if err == nil && !open {
			err = remark.ErrDisabled
		}
		if err != nil {
			return err
		}
		return remark.Add(ctx, tx, &r)
	})
	out = api.Wrap(viewOf(r))
	out.Result.Status = status(r.Status)
	return out, err
}

type shownRequest struct {
	api.Paging
	ID        shop.ProductID `path:"id" json:"-"`
	CompanyID shop.CompanyID `query:"company_id" json:"-" doc:"the shop, for callers outside a storefront"`
	Sort      string         `query:"sort" json:"-" len:"64" refuse:"INVALID_REQUEST" doc:"newest, rating or helpful"`
}

// shownPage is a page of reviews or questions of a product.
type shownPage struct {
	Result      []view `json:"result"`
	Total       int    `json:"total"`
	CurrentPage int    `json:"current_page"`
	Stars       []int  `json:"stars,omitempty" doc:"the number of reviews with one to five stars"`
}

// shown lists approved entries, or nothing if the product does not accept them any more.
func (rs *Reviews) shown(kind remark.Kind) func(context.Context, *api.Call, shownRequest) (shownPage, error) {
	return func(ctx context.Context, c *api.Call, in shownRequest) (out shownPage, err error) {
		company, err := c.Tenant(in.CompanyID, api.ErrNoCompany)
		if err != nil {
			return out, err
		}
		number, limit, err := in.Page(pageSize)
		if err != nil {
			return out, err
		}
		if in.Sort != "" && !slices.Contains(remark.Sorts, in.Sort) || in.Sort == "rating" && kind == remark.Question {
			return out, shop.ErrInvalidRequest.With("sort is newest, rating or helpful; questions have no rating").About("sort")
		}
		r, err := c.Reader(ctx, company)
		if err != nil {
			return out, err
		}
		out = shownPage{Result: []view{}, CurrentPage: number}
		open, err := remark.AcceptsRemarks(ctx, r, kind, in.ID)
		if err != nil || !open {
			return out, err
		}
		var list []remark.Remark
		if list, out.Total, err = remark.List(ctx, r, remark.Filter{Kind: kind, Product: in.ID, Status: "approved", Sort: in.Sort}, limit, (number-1)*limit); err != nil {
			return out, err
		}
		for _, one := range list {
			out.Result = append(out.Result, viewOf(one))
		}
		if kind == remark.Review {
			stars, err := remark.Stars(ctx, r, in.ID)
			out.Stars = stars[:]
			return out, err
		}
		return out, nil
	}
}

// status is what the moderation has decided.
type status string

var statuses = []status{"pending", "approved", "rejected"}

// Values lists the statuses as texts.
func (status) Values() []string { return shop.Texts(statuses) }

type queueRequest struct {
	api.Paging
	Status  status         `query:"filter.status" json:"-" len:"64" refuse:"REVIEW_STATUS_INVALID"`
	Product shop.ProductID `query:"filter.product_id" json:"-" doc:"only entries of this product"`
}

// queue lists all entries, for moderators.
func (rs *Reviews) queue(kind remark.Kind) func(context.Context, *api.Call, queueRequest) (api.Result[api.Page[view]], error) {
	return func(ctx context.Context, c *api.Call, in queueRequest) (out api.Result[api.Page[view]], err error) {
		number, limit, err := in.Page(pageSize)
		if err != nil {
			return out, err
		}
		if in.Status != "" && !slices.Contains(statuses, in.Status) {
			return out, errStatus.At("filter.status")
		}
		list, total, err := remark.List(ctx, rs.Store.Shop(c.Company), remark.Filter{Kind: kind, Product: in.Product, Status: string(in.Status)}, limit, (number-1)*limit)
		out = api.NewPage(list, memberView, total, number)
		return out, err
	}
}

// memberView is an entry as shown to members of the shop.
func memberView(r remark.Remark) view {
	v := viewOf(r)
	v.Status, v.Person = status(r.Status), r.Person
	return v
}

type remarkPath struct {
	ID shop.RemarkID `path:"id" json:"-"`
}

// one returns one entry, for moderators.
func (rs *Reviews) one(kind remark.Kind) func(context.Context, *api.Call, remarkPath) (api.Result[view], error) {
	return func(ctx context.Context, c *api.Call, in remarkPath) (api.Result[view], error) {
		r, err := remark.Get(ctx, rs.Store.Shop(c.Company), kind, in.ID)
		return api.Wrap(memberView(r)), err
	}
}

type moderateRequest struct {
	remarkPath
	api.Basis
	Status status  `json:"status" len:"64" refuse:"REVIEW_STATUS_INVALID" doc:"unchanged if not sent"`
	Answer *string `json:"answer" len:"5000" doc:"an empty answer removes it"`
}

func (rs *Reviews) moderate(kind remark.Kind) func(context.Context, *api.Call, moderateRequest) (api.Result[view], error) {
	return func(ctx context.Context, c *api.Call, in moderateRequest) (out api.Result[view], err error) {
		if in.Status != "" && !slices.Contains(statuses, in.Status) {
			return out, errStatus.At("status")
		}
		if in.Answer != nil {
			text := strings.TrimSpace(*in.Answer)
			in.Answer = &text
		}
		_, r, err := rs.setStatus(ctx, rs.Store.Write, c, kind, in.ID, in.Status, in.Answer)
		return api.Wrap(memberView(r)), err
	}
}

type helpfulRequest struct {
	ID        shop.RemarkID  `path:"id" json:"-"`
	CompanyID shop.CompanyID `json:"company_id" doc:"the shop; by default that of the review or question"`
}

type helped struct {
	Helpful int `json:"helpful"`
}

func (rs *Reviews) helpful(kind remark.Kind) func(context.Context, *api.Call, helpfulRequest) (api.Result[helped], error) {
	return func(ctx context.Context, c *api.Call, in helpfulRequest) (out api.Result[helped], err error) {
		if err := rs.admit(c); err != nil {
			return out, err
		}
		company, err := rs.ofRemark(ctx, c, in.CompanyID, kind, in.ID)
		if err != nil {
			return out, err
		}
		seen, err := c.Reader(ctx, company)
		if err != nil {
			return out, err
		}
		vote, err := rs.vote(c, in.ID)
		if err != nil {
			return out, err
		}
		counted := false
		err = rs.Store.Write(ctx, company, func(tx *store.Tx) error {
			n, err := 0, error(nil)
			n, counted, err = remark.VoteHelpful(ctx, tx.Hiding(seen), kind, in.ID, c.Person)
			out = api.Wrap(helped{n})
			return err
		})
		if !counted {
			vote.GiveBack()
		}
		return out, err
	}
}
