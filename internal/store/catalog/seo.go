package catalog

import (
	"encoding/json"

	"github.com/google/uuid"

	"vitrine/internal/shop"
)

// SEO holds the fields of a page for search engines (document 1, 2.2). The slug has a
// separate column and is filled in by the reader of the row.
type SEO struct {
	Slug            string      `json:"slug" len:"1000" refuse:"SLUG_INVALID"`
	PageTitle       string      `json:"page_title" len:"1000"`
	MetaTitle       string      `json:"meta_title" len:"1000"`
	MetaDescription string      `json:"meta_description" len:"1000"`
	MetaKeywords    []string    `json:"meta_keywords" max:"64" len:"1000"`
	OGImageID       *uuid.UUID  `json:"og_image_id"`
	OGImageURL      string      `json:"og_image_url" len:"1000"`
	NoIndex         bool        `json:"noindex"`
	NoFollow        bool        `json:"nofollow"`
	Alternates      []shop.Twin `json:"alternates" max:"20" doc:"the same page in other languages, for hreflang"`
}

// noIndex is an expression: the row's page excludes search engines.
const noIndex = `coalesce((seo -> 'noindex')::boolean, false)`

// Modified is an expression: when the row was last changed, in seconds since 1970.
const Modified = `extract(epoch FROM updated_at)::bigint`

// MarshalJSON never writes a list as null, neither into an answer nor into a column: a
// value that is read and written again stays the same, so that a draft detects no change.
func (s SEO) MarshalJSON() ([]byte, error) {
	type fields SEO
	if s.MetaKeywords == nil {
		s.MetaKeywords = []string{}
	}
	if s.Alternates == nil {
		s.Alternates = []shop.Twin{}
	}
	return json.Marshal(fields(s))
}

// read fills in everything but the slug from the column. Lists are never nil.
func (s *SEO) read(column []byte) error {
	slug := s.Slug
	err := json.Unmarshal(column, s)
	s.Slug = slug
	if s.MetaKeywords == nil {
		s.MetaKeywords = []string{}
	}
	if s.Alternates == nil {
		s.Alternates = []shop.Twin{}
	}
	return err
}
