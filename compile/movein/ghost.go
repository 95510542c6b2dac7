package movein

import (
	"cmp"
	"encoding/json"
	"io"
	"slices"
	"strings"

	"vitrine/internal/shop"
)

// ghostPost is a post or a page of Ghost.
type ghostPost struct {
	ID          loose  `json:"id"`
	Title       string `json:"title"`
	Slug        string `json:"slug"`
	HTML        string `json:"html"`
	Status      string `json:"status"`
	Visibility  string `json:"visibility"`
	Type        string `json:"type"`
	Page        loose  `json:"page"` // older versions
	Picture     string `json:"feature_image"`
	Image       string `json:"image"` // older versions
	PublishedAt string `json:"published_at"`
	Excerpt     string `json:"custom_excerpt"`
	ghostSeo

	text kept   // HTML as the shop has it
	long string // the beginning of a text that was too long
}

type ghostSeo struct {
	Title       string `json:"meta_title"`
	Description string `json:"meta_description"`
}

// ghost reads an export of posts and pages.
func (e *engine) ghost(name string, r io.Reader) error {
	type link struct {
		Post loose `json:"post_id"`
		Tag  loose `json:"tag_id"`
		Sort int   `json:"sort_order"`
	}
	var posts []ghostPost
	var links []link
	tagNames, seo := map[loose]string{}, map[loose]ghostSeo{}
	err := e.elements(name, r, map[string]func(*json.Decoder) error{
		"posts": func(d *json.Decoder) error {
			var p ghostPost
			if err := d.Decode(&p); err != nil {
				return err
			}
			e.ghostText(&p)
			if posts = append(posts, p); len(posts) > maxProducts {
				return ErrInvalid.With("the file has too many posts")
			}
			return nil
		},
		"tags": func(d *json.Decoder) error {
			var t struct {
				ID   loose  `json:"id"`
				Name string `json:"name"`
			}
			err := d.Decode(&t)
			tagNames[t.ID] = shop.Clip(line(t.Name), maxTags)
			return err
		},
		"posts_tags": func(d *json.Decoder) error {
			var l link
			err := d.Decode(&l)
			links = append(links, l)
			return err
		},
		"posts_meta": func(d *json.Decoder) error {
			var m struct {
				Post loose `json:"post_id"`
				ghostSeo
			}
			err := d.Decode(&m)
			seo[m.Post] = m.ghostSeo
			return err
		},
	})
	slices.SortStableFunc(links, func(a, b link) int { return cmp.Compare(a.Sort, b.Sort) })
	tagsOf := map[loose][]string{}
	for _, l := range links {
		if label := tagNames[l.Tag]; label != "" && label[0] != '#' { // # is for the site's own use
			tagsOf[l.Post] = append(tagsOf[l.Post], label)
		}
	}
	for _, p := range posts {
		if found, ok := seo[p.ID]; ok {
			p.ghostSeo = found
		}
		e.ghostPost(Place{File: name}, p, tagsOf[p.ID])
	}
	return err
}

// ghostSite stands for the address of the site; links become paths.
const ghostSite = "__GHOST_URL__"

// ghostText replaces the HTML of a post by its text: all posts of a file are held until their tags
// are known.
func (e *engine) ghostText(p *ghostPost) {
	text := strings.NewReplacer(ghostSite+"/", "/", ghostSite, "/").Replace(p.HTML)
	text = strings.TrimSpace(scripts.ReplaceAllString(blockComment.ReplaceAllString(dropControls(text), ""), ""))
	clipped := shop.Clip(text, maxDescription)
	if clipped != text {
		p.long, clipped = strings.Clone(shop.Shorten(text, shownOfLong)), strings.TrimSpace(clipped)
	}
	p.text, p.HTML = e.spool.keep(clipped), ""
}

// ghostPost adds a post or a page.
func (e *engine) ghostPost(at Place, p ghostPost, labels []string) {
	out := Page{
		Title: e.short(at, or(line(p.Title), line(p.Slug)), maxText), Place: at, Published: p.Status == "published" && (p.Visibility == "" || p.Visibility == "public"),
		text: p.text, Seo: Seo{shop.Clip(line(p.ghostSeo.Title), maxText), shop.Clip(line(p.Description), 4*maxText)},
	}
	if p.long != "" {
		e.lose(at, Changed, "TEXT_TOO_LONG", p.long)
	}
	if out.text.isEmpty() {
		e.lose(at, Changed, "TEXT_MISSING", out.Title)
	}
	out.Picture = e.address(&wordPressPictures, at, strings.ReplaceAll(or(p.Picture, p.Image), ghostSite, ""))
	e.pageKey(&out, p.Slug)
	if p.Slug != "" {
		out.Old = []string{"/" + segment(p.Slug)}
	}
	if p.Type == "page" || isYes(string(p.Page)) {
		e.plan.Pages = append(e.plan.Pages, out)
		return
	}
	a := Article{Page: out, Summary: e.short(at, strings.TrimSpace(dropControls(p.Excerpt)), 2000), PublishedAt: date(p.PublishedAt), Tags: labels}
	if len(labels) > 0 {
		a.Rubrics = labels[:1]
	}
	e.plan.Articles = append(e.plan.Articles, a)
}
