package compose

import (
	"vitrine/compile"
	"vitrine/internal/shop"
	"vitrine/internal/store"
	"vitrine/render"
)

// takes reports whether a product takes reviews, or questions: its own word counts
// before the shop's.
func takes(own string, settled bool) bool { return own == "true" || own == "" && settled }

// remarks gives the page of a product what is said about it, in one query, and the
// pictures of buyers behind its own.
func (p *page) remarks(pp *render.ProductPage, row store.Product, asked render.RemarksAsked) error {
	sh := p.site.Shop()
	out := render.Remarks{
		Asked: asked, Product: row.ID, TakesReviews: takes(row.CommentsEnabled, sh.Comments), TakesQuestions: takes(row.QuestionsEnabled, sh.Questions),
	}
	var find store.RemarksAsked
	if out.TakesReviews {
		find.Sort, find.Reviews = asked.Sort, max(asked.Reviews, 1)
	}
	if out.TakesQuestions {
		find.Questions = max(asked.Questions, 1)
	}
	if find == (store.RemarksAsked{}) {
		return nil
	}
	found, err := p.r.RemarksShown(p.ctx, row.ID, find)
	if err != nil {
		return err
	}
	if asked.Reviews > 1 && len(found.Reviews) == 0 || asked.Questions > 1 && len(found.Questions) == 0 {
		return shop.ErrNotFound
	}
	out.Stars = found.Stars
	all := 0
	for _, n := range found.Stars {
		all += n
	}
	out.ReviewPages = paging(find.Reviews, all, store.ShownOnPage).Pages
	out.QuestionPages = paging(find.Questions, found.AllQuestions, store.ShownOnPage).Pages
	for _, r := range found.Reviews {
		out.Reviews = append(out.Reviews, remarkOf(r, row.Name))
	}
	for _, r := range found.Questions {
		out.Questions = append(out.Questions, remarkOf(r, row.Name))
	}
	pp.Remarks = out
	for _, r := range found.Pictured {
		one := remarkOf(r, row.Name)
		for i := range one.Photos {
			pp.Product.Shown = append(pp.Product.Shown, render.Media{Kind: render.MediaImage, Image: one.Photos[i], ByBuyer: true})
		}
	}
	return nil
}

func remarkOf(r store.Remark, product string) render.Remark {
	one := render.Remark{
		ID: r.ID, Author: r.Author, Text: r.Text, Pros: r.Pros, Cons: r.Cons, Verified: r.Verified, Answer: r.Answer, Written: r.CreatedAt, Helpful: r.Helpful,
	}
	if r.Rating != nil {
		one.Rating = *r.Rating
	}
	for _, id := range r.Files {
		one.Photos = append(one.Photos, render.Image{Path: shop.FileURL(shop.ReviewPhoto(id.String())), Alt: product})
	}
	return one
}

// said is the frame of a page on which a visitor says something of a product.
func (p *page) said(id shop.ProductID) (c render.Content, err error) {
	p.uses(shop.Key{Kind: shop.KeyProduct, ID: int64(id)})
	row, err := p.r.Product(p.ctx, id)
	if err != nil {
		return c, err
	}
	if row.DeletedAt != nil || !row.IsPublished {
		return c, store.ErrProductNotFound
	}
	sh := p.site.Shop()
	c.Page = &render.RemarkPage{
		Product: render.Crumb{Name: row.Name, Path: p.site.URL(compile.PageRef{Entity: compile.EntityProduct, ID: int64(id)})},
		Remarks: render.Remarks{
			Product: id, TakesReviews: takes(row.CommentsEnabled, sh.Comments), TakesQuestions: takes(row.QuestionsEnabled, sh.Questions),
		},
	}
	return c, p.design(&c, systemPage)
}
