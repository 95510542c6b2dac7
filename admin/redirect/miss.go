package redirect

import (
	"context"
	"unicode/utf8"

	"vitrine/admin/api"
	"vitrine/compile"
	"vitrine/internal/shop"
	"vitrine/internal/store"
	redirectdb "vitrine/internal/store/redirect"
)

const (
	maxHidden   = 1000 // paths in one request
	maxMissText = 200  // characters of q
)

type missesRequest struct {
	Hidden  bool   `query:"hidden" json:"-" doc:"list only hidden addresses; by default only the others"`
	Text    string `query:"q" json:"-" doc:"part of the path, at most 200 characters" len:"200" refuse:"INVALID_REQUEST"`
	MinHits int    `query:"min_hits" json:"-" doc:"only addresses with at least that many hits"`
	api.Paging
}

// missView is an address of the 404 log with a suggestion.
type missView struct {
	redirectdb.Miss
	Answers    int         `json:"answers"` // the current status of the address: 404, or that of a rule or page created since
	Suggestion *suggestion `json:"suggestion"`
}

// suggestion is a live page that the address may have meant, as the target of a rule. The reason
// is journal (the page had this slug), similar (its slug has a similar spelling) or section (the
// nearest section of the path).
type suggestion struct {
	To     string                `json:"to"`
	Reason compile.SuggestReason `json:"reason"`
}

// misses returns a page of the 404 log. It computes suggestions only for the addresses of the
// page that are still not found.
func (rs *Redirects) misses(ctx context.Context, c *api.Call, in missesRequest) (out api.List[missView], err error) {
	number, limit, err := in.Page(20)
	if err != nil {
		return out, err
	}
	if utf8.RuneCountInString(in.Text) > maxMissText {
		return out, shop.ErrInvalidRequest.At("q").With("at most 200 characters")
	}
	out = api.List[missView]{Result: []missView{}, CurrentPage: number}
	filter := redirectdb.MissFilter{Hidden: in.Hidden, Text: in.Text, MinHits: int64(in.MinHits)}
	err = rs.store.Snapshot(ctx, c.Company, func(r store.Reader) error {
		cached, err := rs.sites.Current(ctx, r)
		if err != nil {
			return err
		}
		var list []redirectdb.Miss
		if list, out.Total, err = redirectdb.Misses(ctx, r, filter, number, limit); err != nil || len(list) == 0 {
			return err
		}
		out.Result, err = viewMisses(ctx, cached.Site, list)
		return err
	})
	return out, err
}

// viewMisses compares each address with all slugs of the shop, so that the work depends on the
// size of the page and the shop, and not on what visitors send.
func viewMisses(ctx context.Context, site *compile.Site, list []redirectdb.Miss) ([]missView, error) {
	views := make([]missView, len(list))
	var walk compile.Walk
	host := site.Shop().Hosts[0]
	for i, miss := range list {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		decision := site.Resolve(&walk, host, miss.Path)
		views[i] = missView{Miss: miss, Answers: decision.HTTP()}
		if decision.Kind != compile.NotFound {
			continue
		}
		if found, ok := site.Suggest(miss.Path); ok {
			views[i].Suggestion = &suggestion{To: found.Target, Reason: found.Reason}
		}
	}
	return views, nil
}

type hideRequest struct {
	Paths  []string `json:"paths" max:"1000" len:"8192" spaces:"kept"`
	Unhide bool     `json:"unhide"`
}

type hiddenMisses struct {
	Changed int `json:"changed"` // the number of paths that are in the log
}

func (rs *Redirects) hideMisses(ctx context.Context, c *api.Call, in hideRequest) (out hiddenMisses, err error) {
	if len(in.Paths) > maxHidden {
		return out, shop.ErrInvalidRequest.At("paths").With("at most 1000")
	}
	err = rs.store.Write(ctx, c.Company, func(tx *store.Tx) error {
		out.Changed, err = redirectdb.HideMisses(ctx, tx, in.Paths, !in.Unhide)
		return err
	})
	return out, err
}
