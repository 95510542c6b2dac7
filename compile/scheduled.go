package compile

import (
	"maps"
	"time"

	"vitrine/internal/shop"
)

// Scheduled is a published product or article with a publication date in the future. It appears
// when the date arrives, without a write. Until then it behaves like an unpublished one: it has no
// address, and lists for visitors leave it out (Site.Hidden).
type Scheduled struct {
	Page PageRef // a product or an article
	At   time.Time
}

// aheadByPage indexes the future-dated pages; it returns nil when there are none.
func aheadByPage(rows []Scheduled) map[PageRef]time.Time {
	if len(rows) == 0 {
		return nil
	}
	ahead := make(map[PageRef]time.Time, len(rows))
	for _, a := range rows {
		ahead[a.Page] = a.At
	}
	return ahead
}

// isAhead reports whether a product or an article is dated in the future.
func (s *Site) isAhead(kind Entity, id int64) bool {
	_, ahead := s.ahead[PageRef{kind, id}]
	return ahead
}

// AtTime returns the shop at a moment, with the future-dated pages that are due by then visible. It
// returns the Site itself when none is due.
func (s *Site) AtTime(now time.Time) *Site {
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

// Next returns the first moment after the given one at which pages change without a write: a
// discount starts or ends, or a future-dated page appears. It returns zero for none. Pages that
// are already due but still hidden, because the Site was compiled for an earlier moment, count.
func (s *Site) Next(after time.Time) time.Time {
	next := s.offers.Next(after)
	for _, at := range s.ahead {
		if next.IsZero() || at.Before(next) {
			next = at
		}
	}
	return next
}

// HidesAny reports whether some products, articles or sections are not visible to everybody:
// closed by a policy, dated in the future, or in an unpublished section.
func (s *Site) HidesAny() bool {
	return s.closing != nil || len(s.ahead)+len(s.tree.unpublished) > 0
}

// withUnseen adds to h everything that no visitor sees: future-dated pages and the contents of
// unpublished sections.
func (s *Site) withUnseen(h *shop.Hidden) *shop.Hidden {
	if h = h.WithUnpublished(s.tree.unpublished); len(s.ahead) == 0 {
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
