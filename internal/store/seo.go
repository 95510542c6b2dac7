package store

import (
	"encoding/json"

	"github.com/google/uuid"

	"vitrine/internal/shop"
)

// SEO is what a page tells search engines (document 1, 2.2). The slug stands
// in a column of its own and is filled in by the reader of the row.
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
	Twins           []shop.Twin `json:"alternates" max:"20" doc:"the same page in other languages, for hreflang"`
}

// noIndex is whether a row's page keeps search engines away.
const noIndex = `coalesce((seo -> 'noindex')::boolean, false)`

// modified is when a row was last changed, in seconds since 1970.
const modified = `extract(epoch FROM updated_at)::bigint`

// MarshalJSON writes no list as null, neither into an answer nor into a column:
// what is read and written again stays the same, and a draft knows it.
func (s SEO) MarshalJSON() ([]byte, error) {
	type fields SEO
	if s.MetaKeywords == nil {
		s.MetaKeywords = []string{}
	}
	if s.Twins == nil {
		s.Twins = []shop.Twin{}
	}
	return json.Marshal(fields(s))
}

// read fills in everything but the slug from its column. Lists are never nil.
func (s *SEO) read(column []byte) error {
	slug := s.Slug
	err := json.Unmarshal(column, s)
	s.Slug = slug
	if s.MetaKeywords == nil {
		s.MetaKeywords = []string{}
	}
	if s.Twins == nil {
		s.Twins = []shop.Twin{}
	}
	return err
}
