package movein

import (
	"context"
	"encoding/json"

	"vitrine/admin/job"
	"vitrine/compile/movein"
	"vitrine/compile/movein/header"
	"vitrine/internal/store"
	jobdb "vitrine/internal/store/job"
)

// planView is what an import would bring (CONTRACT, "Imports from other systems").
type planView struct {
	System     header.System  `json:"system"`
	Confidence float64        `json:"confidence"`
	Counts     countsView     `json:"counts"`
	Losses     []lossView     `json:"losses"`
	Questions  []questionView `json:"questions"`
	Rows       []rowView      `json:"rows"`
}

type countsView struct {
	Sections  int `json:"sections"`
	Products  int `json:"products"`
	Variants  int `json:"variants"`
	Pictures  int `json:"pictures"`
	Customers int `json:"customers"`
	Articles  int `json:"articles"`
	Pages     int `json:"pages"`
	Redirects int `json:"redirects"`
}

type lossView struct {
	What    string `json:"what"`
	Count   int    `json:"count"`
	Example string `json:"example"`
}

type questionView struct {
	Key     string   `json:"key"`
	Text    string   `json:"text"`
	Choices []string `json:"choices"`
	Default string   `json:"default"`
	Chosen  string   `json:"chosen"`
}

type rowView struct {
	File   string `json:"file"`
	Line   int    `json:"line"`
	Status string `json:"status" enum:"skipped,changed"`
	Code   string `json:"code"`
	Detail string `json:"detail"`
}

func viewPlan(p *movein.Plan) planView {
	c := p.Counts()
	v := planView{
		System: p.System, Confidence: p.Confidence, Losses: []lossView{}, Questions: []questionView{}, Rows: []rowView{},
		Counts: countsView{c.Sections, c.Products, c.Variants, c.Pictures, c.Customers, c.Articles, c.Pages, c.Redirects + len(generated(p))},
	}
	for _, l := range p.Losses {
		v.Losses = append(v.Losses, lossView(l))
	}
	for _, q := range p.Questions {
		v.Questions = append(v.Questions, questionView{q.Key, q.Text, append([]string{}, q.Choices...), q.Default, q.Chosen})
	}
	for _, r := range p.Rows {
		v.Rows = append(v.Rows, viewRow(r))
	}
	return v
}

func viewRow(r movein.Row) rowView { return rowView{r.File, r.Line, r.Status, r.Code, r.Detail} }

// lose adds a loss to a plan that is being written.
func (v *planView) lose(r movein.Row) {
	if len(v.Rows) < movein.MaxRows {
		v.Rows = append(v.Rows, viewRow(r))
	}
	for i := range v.Losses {
		if v.Losses[i].What == r.Code {
			v.Losses[i].Count++
			return
		}
	}
	v.Losses = append(v.Losses, lossView{r.Code, 1, r.Detail})
}

// planLarge is the dry run of large files.
func (ms *MoveIns) planLarge(ctx context.Context, r *job.Running) (any, func(*store.Tx) error, error) {
	var in input
	if err := json.Unmarshal(r.Input, &in); err != nil {
		return nil, nil, err
	}
	plan, spool, err := ms.planOf(ctx, r, in)
	if err != nil {
		return nil, nil, err
	}
	defer spool.Close() //nolint:errcheck // unlinked
	return viewPlan(plan), ms.drop(ctx, r), nil
}

// drop returns the effect of a job that no longer needs its files.
func (ms *MoveIns) drop(ctx context.Context, r *job.Running) func(*store.Tx) error {
	return func(tx *store.Tx) error {
		sha, err := jobdb.DetachRead(ctx, tx, r.Claimed)
		tx.AfterCommit(func(ctx context.Context) {
			if sha != "" {
				_ = ms.Intake.Discard(ctx, sha) // the upkeep removes it later
			}
		})
		return err
	}
}
