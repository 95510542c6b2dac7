package movein

import (
	"context"
	"html"
	"regexp"
	"strings"
	"time"

	"vitrine/compile/movein"
	"vitrine/internal/shop"
)

// pictureInText finds the addresses of pictures in a text; those of other servers are fetched.
var pictureInText = regexp.MustCompile(`(?i)<img\b[^>]*?\ssrc\s*=\s*("[^"]*"|'[^']*')`)

// picturesIn returns the pictures of a text that are on other servers.
func picturesIn(of string) (found []textPicture) {
	seen := map[string]bool{}
	for _, m := range pictureInText.FindAllStringSubmatch(of, -1) {
		written := m[1][1 : len(m[1])-1]
		address := strings.TrimSpace(html.UnescapeString(written))
		if strings.HasPrefix(address, "//") {
			address = "https:" + address
		}
		if scheme := strings.ToLower(address); (strings.HasPrefix(scheme, "https://") || strings.HasPrefix(scheme, "http://")) && !seen[written] {
			seen[written] = true
			found = append(found, textPicture{written, address})
		}
	}
	return found
}

const (
	maxTitle   = 255
	maxSummary = 2000
)

func (w *writing) writePages(ctx context.Context, p *movein.Plan) error {
	return w.writeEach(ctx, &pages, len(p.Pages), func(i int) (thing, int, error) {
		page := p.Pages[i]
		err := page.Load()
		t := textThing(page)
		t.item["name"], t.item["type"], t.item["description"], t.item["is_show_menu"] = shop.Clip(page.Title, maxTitle), "page", page.Text, false
		return t, len(page.Text), err
	})
}

func textThing(page movein.Page) thing {
	return thing{
		key: page.Key, slug: page.Slug, place: page.Place, shows: shows{Cover: page.Picture, Text: picturesIn(page.Text)},
		item: object{"is_published": page.Published, "seo": seoOf(page.Seo)},
	}
}

// noRubric is the key of the rubric of articles that have none.
const noRubric = ""

func (w *writing) writeArticles(ctx context.Context, p *movein.Plan) error {
	var things []thing
	seen := map[string]bool{}
	for _, a := range p.Articles {
		name := rubricOf(a)
		if seen[name] {
			continue
		}
		seen[name] = true
		title := name
		if name == noRubric {
			title = "Blog"
		}
		things = append(things, thing{key: name, place: a.Place, item: object{
			"name": shop.Clip(title, maxTitle), "type": "news", "is_published": true,
		}})
	}
	if err := w.write(ctx, &rubrics, things); err != nil {
		return err
	}
	return w.writeEach(ctx, &articles, len(p.Articles), func(i int) (t thing, size int, err error) {
		a := p.Articles[i]
		rubric := w.made[rubrics.name][rubricOf(a)]
		if rubric == 0 {
			w.report.lose(movein.Row{Place: a.Place, Status: movein.Skipped, Code: "NO_RUBRIC", Detail: a.Title})
			return t, 0, nil
		}
		err = a.Load()
		t = textThing(a.Page)
		t.item["title"], t.item["announce"], t.item["category_id"] = shop.Clip(a.Title, maxTitle), shop.Clip(a.Summary, maxSummary), rubric
		t.item["text"] = a.Text
		if !a.PublishedAt.IsZero() {
			t.item["published_at"] = a.PublishedAt.UTC().Format(time.RFC3339)
		}
		return t, len(a.Text), err
	})
}

func rubricOf(a movein.Article) string {
	if len(a.Rubrics) > 0 {
		return a.Rubrics[0]
	}
	return noRubric
}

var articlePath = route{all: "/articles", one: "/articles/{id}"}

// Articles have their text in a content block, which they begin with.
var articles = kind{
	name: "article", chunk: 20, counted: true, shown: "cover_id",
	create: func(ctx context.Context, c *chunk, things []thing) ([]int64, error) {
		plain := make([]thing, len(things))
		for i, t := range things {
			plain[i] = t
			plain[i].item = without(t.item, "text")
		}
		ids, err := articlePath.create(ctx, c, plain)
		if err != nil {
			return nil, err
		}
		for i, n := range ids {
			if n != 0 {
				if err := setArticleText(ctx, c.hand, n, text(things[i].item["text"])); err != nil {
					return nil, err
				}
			}
		}
		return ids, nil
	},
	read: func(ctx context.Context, h hand, of64 int64) (object, error) {
		now, err := articlePath.read(ctx, h, of64)
		if err != nil {
			return nil, err
		}
		now["text"], _, err = articleText(ctx, h, of64)
		return now, err
	},
	update: func(ctx context.Context, h hand, of64 int64, item, now object) error {
		return putArticle(ctx, h, of64, onto(item, now))
	},
	undo:   putArticle,
	remove: articlePath.remove,
}

func without(item object, name string) object {
	out := object{}
	for n, value := range item {
		if n != name {
			out[n] = value
		}
	}
	return out
}

func putArticle(ctx context.Context, h hand, of64 int64, item object) error {
	if body, ok := item["text"].(string); ok {
		if err := setArticleText(ctx, h, of64, body); err != nil {
			return err
		}
		item = without(item, "text")
	}
	if len(item) == 0 {
		return nil
	}
	return articlePath.put(ctx, h, of64, item)
}

// articleText returns the text of the first block of an article that is one, and the block.
func articleText(ctx context.Context, h hand, of64 int64) (string, object, error) {
	out, err := h.call(ctx, "GET", articlePath.one, of(of64), object{})
	if err != nil {
		return "", nil, err
	}
	for _, entry := range list(out["content_blocks"]) {
		block, _ := entry.(object)
		for _, s := range list(block["sections"]) {
			section, _ := s.(object)
			payload, _ := section["payload"].(object)
			if text(section["type"]) == "text" && text(payload["kind"]) == "text" {
				return text(payload["text"]), block, nil
			}
		}
	}
	return "", nil, nil
}

func setArticleText(ctx context.Context, h hand, of64 int64, body string) error {
	_, block, err := articleText(ctx, h, of64)
	if err != nil || block == nil {
		return err
	}
	for _, s := range list(block["sections"]) {
		section, _ := s.(object)
		payload, _ := section["payload"].(object)
		if text(section["type"]) == "text" && text(payload["kind"]) == "text" {
			payload["text"] = body
			break
		}
	}
	_, err = h.Do(ctx, h.who, "PUT", "/content-blocks/{id}", of(id(block["id"])), object{"item": pick(block, "name", "sections")})
	return err
}
