package company

import (
	"context"
	"encoding/json"

	"vitrine/compile/design"
	"vitrine/internal/shop"
	"vitrine/internal/store"
	designdb "vitrine/internal/store/design"
)

// object is a JSON object of a block's sections.
type object = map[string]any

// seedDesign gives a new shop the groups that render its rubrics and articles (document 3,
// 2.2). They are bound at the system level: bindings of the shop or of its layout take
// precedence, and removing those restores the system ones.
func seedDesign(ctx context.Context, tx *store.Tx) error {
	s := &seeder{ctx: ctx, tx: tx}
	crumbs := s.widget("breadcrumbs", object{})
	heading := s.widget("pageHeading", object{})
	grid := s.widget("articleGrid", object{"articleGrid": object{"view": "tiles", "columns": 3, "coverAspect": "3/4", "limit": 20}})
	news := s.block("News", "news", section("group", object{"widgets": []shop.BlockID{crumbs, heading, grid}}))

	crumbs = s.widget("breadcrumbs", object{})
	header := s.widget("articleHeader", object{})
	latest := s.widget("articleListing", object{"articles": object{"source": "news", "limit": 5}})
	article := s.block("Article", "article", section("group", object{
		"widgets": []shop.BlockID{crumbs, header, latest},
		"grid":    object{"main": []shop.BlockID{crumbs, header}, "aside": []shop.BlockID{latest}},
	}))
	if s.err != nil {
		return s.err
	}
	return designdb.Bind(ctx, tx, design.System, 0, map[string]shop.BlockID{design.BodyNews: news, design.BodyArticle: article})
}

// seeder adds blocks and stops at the first error.
type seeder struct {
	ctx context.Context
	tx  *store.Tx
	err error
}

// widget adds a block that consists of one widget and has its name.
func (s *seeder) widget(kind string, props object) shop.BlockID {
	return s.block(kind, shop.SingleBlock, section(kind, props))
}

func (s *seeder) block(name string, groupType shop.GroupType, section object) shop.BlockID {
	b := designdb.Block{Name: name, GroupType: groupType}
	if s.err == nil {
		b.Sections, s.err = json.Marshal([]object{section})
	}
	if s.err == nil {
		s.err = designdb.InsertBlock(s.ctx, s.tx, &b)
	}
	return b.ID
}

func section(kind string, props object) object {
	return object{"type": "text", "payload": object{"v": 2, "kind": kind, "props": props}}
}
