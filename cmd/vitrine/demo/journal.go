package demo

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/google/uuid"

	"vitrine/internal/shop"
	"vitrine/internal/store"
)

type articleAnswer struct {
	Result struct {
		ID shop.ArticleID `json:"id"`
	} `json:"result"`
	ContentBlocks []struct {
		Sections []struct {
			Type string `json:"type"`
		} `json:"sections"`
	} `json:"content_blocks"`
}

// told reports whether the article has its text.
func (a articleAnswer) told() bool {
	for _, b := range a.ContentBlocks {
		for _, s := range b.Sections {
			if s.Type == "text" {
				return true
			}
		}
	}
	return false
}

// articles writes the journal, the oldest first.
func (d *desk) articles(ctx context.Context, c *content, sections map[string]shop.CategoryID, pictures map[string]uuid.UUID) error {
	for _, a := range c.Articles {
		there, err := ask[articleAnswer](ctx, d, "GET", "/articles/by-slug/{slug}", params{"slug": a.Slug}, nil)
		if errors.Is(err, store.ErrArticleNotFound) {
			by, ok := c.Authors[a.Author]
			if !ok || sections[a.Rubric] == 0 {
				return fmt.Errorf("%s: author %q or rubric %q is missing", a.Slug, a.Author, a.Rubric)
			}
			there, err = ask[articleAnswer](ctx, d, "POST", "/articles", nil, object{"item": object{
				"category_id": sections[a.Rubric], "title": a.Title, "announce": a.Announce, "slug": a.Slug, "badge": a.Badge,
				"cover_id": pictures[a.shotName()], "is_published": true, "published_at": a.date(d.now),
				"author": object{"mode": "manual", "name": by.Name, "description": by.Description},
			}})
		}
		if err != nil {
			return err
		}
		if there.told() {
			continue
		}
		if err := d.attach(ctx, "/articles/{id}/content-blocks", there.Result.ID.String(), a.Title, object{
			"type": "text", "payload": object{"v": 2, "kind": "text", "props": object{"text": strings.Join(a.Text, "\n\n")}},
		}); err != nil {
			return err
		}
	}
	return nil
}

// date is nine in the morning, so many days from now; nil without any.
func (a article) date(now time.Time) *time.Time {
	if a.Days == nil {
		return nil
	}
	y, m, day := now.UTC().Date()
	at := time.Date(y, m, day+*a.Days, 9, 0, 0, 0, time.UTC)
	return &at
}

// attach makes a block of one section and puts it on a page as its only one.
func (d *desk) attach(ctx context.Context, path, owner, name string, section object) error {
	block, err := ask[result[struct {
		ID shop.BlockID `json:"id"`
	}]](ctx, d, "POST", "/content-blocks", nil, object{"item": object{"name": name, "sections": []object{section}}})
	if err != nil {
		return err
	}
	return d.tell(ctx, "PUT", path, params{"id": owner}, object{"items": []object{{"block_id": block.Result.ID, "sort_order": 1}}})
}
