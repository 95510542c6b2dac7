package compile

import (
	"maps"
	"time"

	"vitrine/internal/shop"
)

// Ahead is a published product or article that visitors do not see yet: it is dated
// ahead, and appears when its time has come, without a write. Until then it is
// nowhere, as if it were not published: it has no address, and who lists anything
// for visitors leaves it out (Site.Hidden).
type Ahead struct {
	Page PageRef // a product or an article
	At   time.Time
}

// aheadOf is what is dated ahead by what it is; nil: nothing is.
func aheadOf(rows []Ahead) map[PageRef]time.Time {
	if len(rows) == 0 {
		return nil
	}
	ahead := make(map[PageRef]time.Time, len(rows))
	for _, a := range rows {
		ahead[a.Page] = a.At
	}
	return ahead
}

// waits reports whether a product or an article is dated ahead.
func (s *Site) waits(kind Entity, id int64) bool {
	_, waits := s.ahead[PageRef{kind, id}]
	return waits
}

// At is the shop at a moment: what was dated ahead and is due is there. It is the
// Site itself where nothing is due.
func (s *Site) At(now time.Time) *Site {
	due := false
	for _, at := range s.ahead {
		due = due || !at.After(now)
	}
	if !due {
		return s
	}
	next := *s
	next.ahead = maps.Clone(s.ahead)
	maps.DeleteFunc(next.ahead, func(_ PageRef, at time.Time) bool { return !at.After(now) })
	return &next
}

// Next is the first moment after one at which pages change without a write: a
// discount starts or ends, or what is dated ahead appears; zero for none. What is due
// already and still waits, because the Site is that of an earlier moment, counts.
func (s *Site) Next(after time.Time) time.Time {
	next := s.offers.Next(after)
	for _, at := range s.ahead {
		if next.IsZero() || at.Before(next) {
			next = at
		}
	}
	return next
}

// Conceals reports whether anything that is published is not for everybody: closed by
// a policy, dated ahead, or in a section that is not published.
func (s *Site) Conceals() bool {
	return s.closing != nil || len(s.ahead)+len(s.tree.unpublished) > 0
}

// unseen is what is hidden from somebody, with what nobody sees who visits: what is
// dated ahead, and what stands in sections that are not published.
func (s *Site) unseen(h *shop.Hidden) *shop.Hidden {
	if h = h.Unlisted(s.tree.unpublished); len(s.ahead) == 0 {
		return h
	}
	var products []shop.ProductID
	var articles []shop.ArticleID
	for page := range s.ahead {
		if page.Entity == EntityArticle {
			articles = append(articles, shop.ArticleID(page.ID))
		} else {
			products = append(products, shop.ProductID(page.ID))
		}
	}
	return h.And(products, articles)
}
