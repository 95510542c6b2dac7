package movein

import (
	"context"
	"encoding/csv"
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"vitrine/compile"
	"vitrine/compile/movein"
	"vitrine/compile/redirect"
	"vitrine/internal/shop"
	"vitrine/internal/store"
	jobdb "vitrine/internal/store/job"
	moveindb "vitrine/internal/store/movein"
	redirectdb "vitrine/internal/store/redirect"
)

var rulePath = route{all: "/storefront-redirects", one: "/storefront-redirects/{id}"}

// rules are redirect rules. The shop writes them many at a time, so they are not created one by one.
var rules = kind{
	name: "redirect", undo: rulePath.put,
	read: func(ctx context.Context, h hand, of64 int64) (object, error) { return rulePath.read(ctx, h, of64) },
	remove: func(ctx context.Context, h hand, of64 int64) error {
		_, err := h.Do(ctx, h.who, "DELETE", rulePath.all, nil, object{"ids": []int64{of64}})
		return err
	},
}

// maxRules is how many rules an import leaves in a shop.
const maxRules = 20_000

// generated returns the rules for old addresses of a plan that is not written yet: as if each thing
// got the slug that it asks for.
func generated(p *movein.Plan) []redirect.Rule {
	paths := movein.Paths{Sections: map[string]string{}, Products: map[string]string{}, Articles: map[string]string{}, Pages: map[string]string{}}
	for _, s := range p.Sections {
		paths.Sections[s.Key] = "/" + planned(s.Slug, s.Name, "section")
	}
	for _, x := range p.Products {
		paths.Products[x.Key] = "/product/" + planned(x.Slug, x.Name, "product")
	}
	for _, a := range p.Articles {
		paths.Articles[a.Key] = "/article/" + planned(a.Slug, a.Title, "article")
	}
	for _, x := range p.Pages {
		paths.Pages[x.Key] = "/" + planned(x.Slug, x.Title, "section")
	}
	return movein.Redirects(p, paths)
}

func planned(slug, name, or string) string {
	if slug == "" {
		slug = shop.GenerateSlug(name, or)
	}
	return slug
}

// paths returns the addresses of what was written. What is not visible has none.
func (w *writing) paths(ctx context.Context) (p movein.Paths, err error) {
	shown, err := w.Sites.Current(ctx, w.Store.Shop(w.who.Company))
	if err != nil {
		return p, err
	}
	urls := func(entity compile.Entity, kinds ...*kind) map[string]string {
		out := map[string]string{}
		for _, k := range kinds {
			for key, id := range w.made[k.name] {
				if url := shown.Site.URL(compile.PageRef{Entity: entity, ID: id}); url != "" {
					out[key] = url
				}
			}
		}
		return out
	}
	return movein.Paths{
		Sections: urls(compile.EntityCategory, &sections), Products: urls(compile.EntityProduct, &products),
		Articles: urls(compile.EntityArticle, &articles), Pages: urls(compile.EntityCategory, &pages),
	}, nil
}

// wanted is a rule to write.
type wanted struct {
	redirect.Rule
	place movein.Place
	key   string // redirect.Rule.DuplicateKey
}

// writeRedirects writes the rules of old addresses and those of files of redirects.
func (w *writing) writeRedirects(ctx context.Context, p *movein.Plan) error {
	paths, err := w.paths(ctx)
	if err != nil {
		return err
	}
	var all []wanted
	seen := map[string]bool{}
	add := func(r redirect.Rule, at movein.Place) {
		if key := r.DuplicateKey(); !seen[key] {
			seen[key] = true
			r.Note = "import: " + w.system
			all = append(all, wanted{r, at, key})
		}
	}
	for _, r := range p.Redirects {
		add(r.Rule, r.Place)
	}
	for _, r := range movein.Redirects(p, paths) {
		add(r, movein.Place{})
	}
	w.report.Counts.Redirects = len(all)
	for part := range slices.Chunk(all, redirect.MaxImport) {
		var lost []movein.Row
		err := w.inTurn(ctx, func(ctx context.Context) (err error) {
			lost, err = w.rules(ctx, part)
			return err
		})
		if err != nil {
			return err
		}
		for _, r := range lost {
			w.report.lose(r)
		}
	}
	w.step(len(p.Redirects))
	return nil
}

// ruleNow is a rule of the shop by its key.
func rulesNow(ctx context.Context, r store.Reader) (map[string]redirectdb.Rule, error) {
	rows, err := redirectdb.Rules(ctx, r)
	now := make(map[string]redirectdb.Rule, len(rows))
	for _, row := range rows {
		now[redirect.Rule{Kind: redirect.Kind(row.Kind), From: row.From, QueryMatch: row.QueryMatch}.DuplicateKey()] = row
	}
	return now, err
}

// rules writes rules in one transaction. A rule of the shop's own is never changed.
func (w *writing) rules(ctx context.Context, part []wanted) (lost []movein.Row, err error) {
	reader := w.Store.Shop(w.who.Company)
	lose := func(r wanted, code string) {
		at := r.From
		if r.QueryMatch != "" {
			at += "?" + r.QueryMatch
		}
		lost = append(lost, movein.Row{Place: r.place, Status: movein.Skipped, Code: code, Detail: shop.Clip(at+" → "+r.To, 200)})
	}
	keys := make([]string, len(part))
	for i, r := range part {
		keys[i] = keyOf(r.key)
	}
	known, err := moveindb.Origins(ctx, reader, w.system, rules.name, keys)
	if err != nil {
		return nil, err
	}
	now, err := rulesNow(ctx, reader)
	if err != nil {
		return nil, err
	}
	var send []wanted
	left := maxRules - len(now)
	for i, r := range part {
		origin, imported := known[keys[i]]
		row, there := now[r.key]
		switch {
		case imported && (origin.Fields["rule"] == hashOf(r.Rule) || !there):
		case there && !imported:
			if row.To != r.To {
				lose(r, "REDIRECT_EXISTS")
			}
		case !there && left <= 0:
			lose(r, "REDIRECTS_TOO_MANY")
		default:
			if !there {
				left--
			}
			send = append(send, r)
		}
	}
	if len(send) == 0 {
		return lost, nil
	}
	refusedFor, err := w.sendRules(ctx, send)
	if err != nil {
		return nil, err
	}
	after, err := rulesNow(ctx, reader)
	if err != nil {
		return nil, err
	}
	var written []moveindb.Written
	for _, r := range send {
		row, there := after[r.key]
		if reason := refusedFor[r.key]; reason != "" || !there {
			lose(r, strings.ToUpper("REDIRECT_"+reason))
			continue
		}
		change := moveindb.Change{Kind: rules.name, Key: keyOf(r.key), Object: int64(row.ID)}
		if old, was := now[r.key]; was {
			if change.Before, err = json.Marshal(old); err != nil {
				return nil, err
			}
			change.Fields = known[keyOf(r.key)].Fields
		}
		written = append(written, moveindb.Written{Change: change, Now: map[string]string{"rule": hashOf(r.Rule)}})
	}
	return lost, w.Store.Write(ctx, w.who.Company, func(tx *store.Tx) error {
		if err := moveindb.Write(ctx, tx, w.job.ID, w.system, written); err != nil {
			return err
		}
		return jobdb.Hold(ctx, tx, w.job.Claimed)
	})
}

func hashOf(r redirect.Rule) string {
	r.Note = ""
	text, _ := json.Marshal(r) //nolint:errchkjson // texts and numbers
	return hash(text)
}

// sendRules writes rules with the call that imports them, and returns why some were refused, by key.
// Disabled ones, which a sheet cannot have, are created apart.
func (w *writing) sendRules(ctx context.Context, send []wanted) (map[string]string, error) {
	refusedFor := map[string]string{}
	var sheet strings.Builder
	lines := csv.NewWriter(&sheet)
	lines.Comma = ';'
	var sent []wanted
	for _, r := range send {
		if !r.Enabled {
			_, err := w.Do(ctx, w.who, "POST", rulePath.all, nil, object{"item": object{
				"kind": r.Kind, "from_path": r.From, "to_target": r.To, "external": r.External, "code": r.Code, "override_live": r.OverrideLive,
				"drop_query": r.DropQuery, "query_match": r.QueryMatch, "note": r.Note,
			}})
			if refusal, ok := refused(err); ok {
				refusedFor[r.key] = refusal.Code
			} else if err != nil {
				return nil, err
			}
			continue
		}
		params := "keep"
		if r.DropQuery {
			params = "drop"
		}
		err := lines.Write([]string{r.From, r.To, strconv.Itoa(r.Code), string(r.Kind), params, r.QueryMatch, strconv.FormatBool(r.OverrideLive), r.Note})
		if err != nil {
			return nil, err
		}
		sent = append(sent, r)
	}
	lines.Flush()
	if len(sent) == 0 {
		return refusedFor, lines.Error()
	}
	out, err := w.hand.result(ctx, "POST", "/storefront-redirects/import", nil, object{"text": sheet.String(), "allow_external": true})
	if err != nil {
		return nil, err
	}
	for n, entry := range list(out["rows"]) {
		row, _ := entry.(object)
		if n < len(sent) && text(row["status"]) == "error" {
			refusedFor[sent[n].key] = text(row["reason"])
		}
	}
	return refusedFor, nil
}
