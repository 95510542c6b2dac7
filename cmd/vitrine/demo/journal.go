package demo

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"

	"vitrine/internal/shop"
	"vitrine/internal/store/catalog"
)

// articles creates the articles of the journal.
func (d *client) articles(ctx context.Context, c *content, sections map[string]shop.CategoryID, pictures map[string]uuid.UUID) error {
	for _, a := range c.Articles {
		there, err := d.article(ctx, a)
		if errors.Is(err, catalog.ErrArticleNotFound) {
			if err := d.createArticle(ctx, c, a, sections[a.Rubric], pictures[a.photograph()]); err != nil {
				return err
			}
			there, err = d.article(ctx, a)
		}
		if err != nil {
			return err
		}
		if err := d.writeText(ctx, a, there); err != nil {
			return err
		}
	}
	return nil
}

func (d *client) article(ctx context.Context, a article) (page, error) {
	return ask[page](ctx, d, "GET", "/articles/by-slug/{slug}", params{"slug": a.Slug}, nil)
}

// createArticle creates the article without its text.
func (d *client) createArticle(ctx context.Context, c *content, a article, rubric shop.CategoryID, cover uuid.UUID) error {
	by, ok := c.Authors[a.Author]
	if !ok || rubric == 0 {
		return fmt.Errorf("%s: author %q or rubric %q is missing", a.Slug, a.Author, a.Rubric)
	}
	return d.send(ctx, "POST", "/articles", nil, object{"item": object{
		"category_id": rubric, "title": a.Title, "announce": a.Announce, "slug": a.Slug, "badge": a.Badge, "cover_id": cover,
		"is_published": true, "published_at": a.date(d.now), "author": object{"mode": "manual", "name": by.Name, "description": by.Description},
	}})
}

// writeText fills the empty text block that a new article comes with.
func (d *client) writeText(ctx context.Context, a article, there page) error {
	story := section("text", object{"text": strings.Join(a.Text, "\n\n")})
	empty, text, ok := there.find("text")
	switch {
	case text != "":
		return nil // filled by an earlier start
	case ok:
		return d.send(
			ctx, "PUT", "/content-blocks/{id}", params{"id": empty.ID.String()},
			object{"item": object{"name": a.Title, "sections": story}},
		)
	}
	return d.attach(ctx, "/articles/{id}/content-blocks", strconv.FormatInt(there.Result.ID, 10), a.Title, story)
}

// date is 9:00 UTC, the given number of days from now; nil without a number.
func (a article) date(now time.Time) *time.Time {
	if a.Days == nil {
		return nil
	}
	y, m, day := now.UTC().Date()
	at := time.Date(y, m, day+*a.Days, 9, 0, 0, 0, time.UTC)
	return &at
}
