package compose

import (
	"vitrine/compile"
	"vitrine/internal/shop"
	"vitrine/internal/store/catalog"
	"vitrine/internal/store/remark"
	"vitrine/render"
)

// accepts reports whether a product accepts reviews, or questions: the product's own setting
// overrides the shop's.
func accepts(own string, byDefault bool) bool { return own == "true" || own == "" && byDefault }

// remarks adds reviews and questions to a product's page, with one query, and buyers' photos
// after the product's own pictures.
func (p *page) remarks(pp *render.ProductPage, row catalog.Product, asked render.RemarksQuery) error {
	sh := p.site.Shop()
	out := render.Remarks{
		Asked: asked, Product: row.ID, TakesReviews: accepts(row.CommentsEnabled, sh.Comments), TakesQuestions: accepts(row.QuestionsEnabled, sh.Questions),
	}
	var find remark.Query
	if out.TakesReviews {
		find.Sort, find.Reviews = asked.Sort, max(asked.Reviews, 1)
	}
	if out.TakesQuestions {
		find.Questions = max(asked.Questions, 1)
	}
	if find == (remark.Query{}) {
		return nil
	}
	found, err := remark.Shown(p.ctx, p.r, row.ID, find)
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
	out.ReviewPages = paging(find.Reviews, all, remark.ShownOnPage).Pages
	out.QuestionPages = paging(find.Questions, found.AllQuestions, remark.ShownOnPage).Pages
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

func remarkOf(r remark.Remark, product string) render.Remark {
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

// remarkPage composes the frame of the page on which a visitor writes a review or question.
func (p *page) remarkPage(id shop.ProductID) (c render.Content, err error) {
	p.uses(shop.Key{Kind: shop.KeyProduct, ID: int64(id)})
	row, err := catalog.GetProduct(p.ctx, p.r, id)
	if err != nil {
		return c, err
	}
	if row.DeletedAt != nil || !row.IsPublished {
		return c, catalog.ErrProductNotFound
	}
	sh := p.site.Shop()
	c.Page = &render.RemarkPage{
		Product: render.Crumb{Name: row.Name, Path: p.site.URL(compile.PageRef{Entity: compile.EntityProduct, ID: int64(id)})},
		Remarks: render.Remarks{
			Product: id, TakesReviews: accepts(row.CommentsEnabled, sh.Comments), TakesQuestions: accepts(row.QuestionsEnabled, sh.Questions),
		},
	}
	return c, p.design(&c, systemPage)
}
