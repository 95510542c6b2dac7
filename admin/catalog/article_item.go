package catalog

import (
	"context"
	"strings"
	"unicode/utf8"

	"vitrine/admin/api"
	"vitrine/internal/shop"
	"vitrine/internal/store"
	"vitrine/internal/store/catalog"
	"vitrine/internal/store/people"
)

// Refusals of articles (document 1, sections 2.7 and 7).
var (
	errArticleTitle  = shop.Refuse(shop.InvalidArgument, "ARTICLE_TITLE_REQUIRED").When("title is missing or empty")
	errArticleFile   = shop.Refuse(shop.NotFound, "ARTICLE_FILE_NOT_FOUND").When("cover_id, author.photo_id or seo.og_image_id is not a live picture of the shop")
	errArticleBadge  = shop.Refuse(shop.InvalidArgument, "ARTICLE_BADGE_TOO_LONG").When("badge has more than 48 characters")
	errArticleAuthor = shop.Refuse(shop.InvalidArgument, "ARTICLE_AUTHOR_INVALID").When("author has an unknown mode, a text that is too long, or a user_id that is not a member of the shop")
)

const (
	maxBadge       = 48
	maxAuthorName  = 255
	maxAuthorAbout = 500
	maxQuery       = 100
)

// authorItem is an author in a request: an empty mode means none, and so does an empty
// photo_id.
type authorItem struct {
	catalog.Author
	PhotoID optionalID `json:"photo_id"`
}

func (i authorItem) value() catalog.Author {
	author := i.Author
	author.PhotoID = i.PhotoID.ID
	if author.Mode == "" {
		author.Mode = "none"
	}
	return author
}

// articleItem is an article in a request: absent fields keep their values.
type articleItem struct {
	CategoryID  *shop.CategoryID `json:"category_id" required:"POST"`
	Title       *string          `json:"title" required:"POST"`
	Slug        *string          `json:"slug" len:"1000" refuse:"SLUG_INVALID"`
	Announce    *string          `json:"announce" len:"2000"`
	CoverID     optionalID       `json:"cover_id"`
	Badge       *string          `json:"badge" len:"48" refuse:"ARTICLE_BADGE_TOO_LONG"`
	Author      *authorItem      `json:"author"`
	SEO         *seoItem         `json:"seo"`
	IsPublished *bool            `json:"is_published"`
	IsDeleted   *bool            `json:"is_deleted"`
	PublishedAt api.OptionalTime `json:"published_at"`
	galleryLinks
}

// apply sets the sent fields on a row and checks the result. The top-level slug takes
// precedence over seo.slug (document 1, 2.7).
func (i articleItem) apply(ctx context.Context, tx *store.Tx, a *catalog.Article) error {
	api.Set(&a.Category, i.CategoryID)
	api.Set(&a.Title, i.Title)
	api.Set(&a.Announce, i.Announce)
	api.Set(&a.Badge, i.Badge)
	api.Set(&a.IsPublished, i.IsPublished)
	if i.PublishedAt.Set {
		a.PublishedAt = i.PublishedAt.At
	}
	if i.Author != nil {
		a.Author = i.Author.value()
	}
	if i.CoverID.Set {
		a.CoverID = i.CoverID.ID
	}
	slug := a.SEO.Slug
	if i.SEO != nil {
		if a.SEO = i.SEO.value(); a.SEO.Slug == "" {
			a.SEO.Slug = slug
		}
	}
	if i.Slug != nil && *i.Slug != "" {
		a.SEO.Slug = *i.Slug
	}
	if err := i.check(*a); err != nil {
		return err
	}
	return i.checkLinks(ctx, tx, a)
}

// checkLinks checks the rubric, the person, the files and the galleries that the sent fields
// name. Other links may have been deleted meanwhile; but restoring an article requires a live
// rubric.
func (i articleItem) checkLinks(ctx context.Context, tx *store.Tx, a *catalog.Article) error {
	if i.CategoryID != nil || a.ID == 0 || i.IsDeleted != nil {
		if err := isRubric(ctx, tx, a.Category); err != nil {
			return shop.At(err, "category_id")
		}
	}
	files := []namedFile{{"cover_id", i.CoverID.ID}}
	if i.Author != nil {
		if err := checkAuthor(ctx, tx.Reader, &a.Author, a.UpdatedBy); err != nil {
			return shop.At(err, "author")
		}
		files = append(files, namedFile{"author.photo_id", a.Author.PhotoID})
	}
	if i.SEO != nil {
		files = append(files, namedFile{"seo.og_image_id", a.SEO.OGImageID})
	}
	if err := requireFiles(ctx, tx.Reader, errArticleFile, files...); err != nil {
		return err
	}
	return i.share(ctx, tx, maxArticleGalleries)
}

func (i articleItem) check(a catalog.Article) error {
	switch {
	case strings.TrimSpace(a.Title) == "":
		return errArticleTitle.At("title")
	case utf8.RuneCountInString(a.Badge) > maxBadge:
		return errArticleBadge.At("badge").With("at most 48 characters")
	case a.Author.Mode != "none" && a.Author.Mode != "member" && a.Author.Mode != "manual":
		return errArticleAuthor.At("author.mode").With("none, member or manual")
	case utf8.RuneCountInString(a.Author.Name) > maxAuthorName:
		return errArticleAuthor.At("author.name").With("at most 255 characters")
	case utf8.RuneCountInString(a.Author.Description) > maxAuthorAbout:
		return errArticleAuthor.At("author.description").With("at most 500 characters")
	}
	return checkPublished(i.PublishedAt)
}

// checkAuthor requires a member of the shop if an author names a person. The mode member
// without a person means the caller, and without a name the name of that person.
func checkAuthor(ctx context.Context, r store.Reader, author *catalog.Author, writer shop.UserID) error {
	if author.UserID == 0 && author.Mode == "member" {
		author.UserID = writer
	}
	if author.UserID == 0 {
		return nil
	}
	name, ok, err := people.MemberName(ctx, r, author.UserID)
	if err == nil && !ok {
		err = errArticleAuthor.At("user_id").With("not a member of the shop")
	}
	if author.Mode == "member" && author.Name == "" {
		author.Name = name
	}
	return err
}

// isRubric checks that a section is a live section of type news, and locks it until the end of
// the transaction.
func isRubric(ctx context.Context, tx *store.Tx, id shop.CategoryID) error {
	types, err := catalog.LockCategoryTypes(ctx, tx, []shop.CategoryID{id})
	if err == nil && types[id] != "news" {
		err = catalog.ErrCategoryNotFound.With("articles must be in a section of type news")
	}
	return err
}
