package movein

import (
	"context"
	"encoding/json"
	"maps"
	"slices"

	"vitrine/admin/job"
	"vitrine/compile/movein"
	"vitrine/internal/shop"
	"vitrine/internal/store"
	jobdb "vitrine/internal/store/job"
	moveindb "vitrine/internal/store/movein"
)

// writing is an import that a job writes.
type writing struct {
	hand
	job    *job.Running
	system string
	report report
	done   int64
	total  int64

	made map[string]map[string]int64 // our ids by kind and key
}

// report is the result of an import.
type report struct {
	planView
	Written  []writtenView     `json:"written"`
	Pictures *moveindb.Fetched `json:"pictures"`
}

// writtenView counts what an import wrote of a kind.
type writtenView struct {
	Kind    string `json:"kind"`
	Created int    `json:"created"`
	Changed int    `json:"changed"`
}

// run is the job of an import.
func (ms *MoveIns) run(ctx context.Context, r *job.Running) (any, func(*store.Tx) error, error) {
	var in input
	if err := json.Unmarshal(r.Input, &in); err != nil {
		return nil, nil, err
	}
	plan, spool, err := ms.planOf(ctx, r, in)
	if err != nil {
		return nil, nil, err
	}
	defer spool.Close() //nolint:errcheck // unlinked
	w := &writing{
		hand: ms.as(r.Person, r.Company), job: r, system: string(plan.System), report: report{planView: viewPlan(plan)},
		made: map[string]map[string]int64{},
	}
	if !in.Customers {
		w.withoutCustomers(plan)
	}
	err = ms.Store.Write(ctx, r.Company, func(tx *store.Tx) error {
		return moveindb.Begin(ctx, tx, moveindb.Import{ID: r.ID, Person: r.Person, System: w.system, Files: in.Names, CreatedAt: r.CreatedAt})
	})
	if err == nil {
		err = w.all(ctx, plan)
	}
	if err != nil {
		return nil, nil, err
	}
	tallies, err := moveindb.Tallies(ctx, ms.Store.Shop(r.Company), r.ID)
	if err != nil {
		return nil, nil, err
	}
	w.report.Written = []writtenView{}
	for _, t := range tallies {
		w.report.Written = append(w.report.Written, writtenView(t))
	}
	effects := func(tx *store.Tx) error {
		if err := moveindb.End(ctx, tx, r.ID, w.report.Written); err != nil {
			return err
		}
		return ms.drop(ctx, r)(tx)
	}
	return w.report, effects, nil
}

// showImport returns the result of an import with how far its pictures are now.
func (ms *MoveIns) showImport(ctx context.Context, j jobdb.Job, _ shop.UserID) (any, error) {
	var r report
	if err := json.Unmarshal(j.Result, &r); err != nil {
		return nil, err
	}
	pictures, err := moveindb.Pictures(ctx, ms.Store.Shop(j.Company), j.ID)
	r.Pictures = &pictures
	return r, err
}

func (w *writing) withoutCustomers(plan *movein.Plan) {
	for _, c := range plan.Customers {
		w.report.lose(movein.Row{Place: c.Place, Status: movein.Skipped, Code: "CUSTOMERS_NOT_ALLOWED", Detail: c.Email})
	}
	plan.Customers = nil
}

// all writes the whole plan.
func (w *writing) all(ctx context.Context, p *movein.Plan) error {
	w.total = int64(len(p.Sections) + len(p.Products) + len(p.Articles) + len(p.Pages) + len(p.Customers) + len(p.Redirects))
	for _, step := range []func(context.Context, *movein.Plan) error{
		w.writeSections, w.writeAttributes, w.writeProducts, w.writeArticles, w.writePages, w.writeCustomers, w.writeRedirects,
	} {
		if err := step(ctx, p); err != nil {
			return err
		}
	}
	return nil
}

func (w *writing) step(n int) {
	w.done += int64(n)
	w.job.Progress(w.done, w.total)
}

// maxTextOfCall bounds the texts of things that are in memory at a time.
const maxTextOfCall = 4 << 20 // bytes

// writeEach writes n things of a kind, each of which is made just before: its texts are not in
// memory otherwise. One without fields is left out.
func (w *writing) writeEach(ctx context.Context, k *kind, n int, thingOf func(i int) (t thing, size int, err error)) error {
	var things []thing
	held := 0
	for i := range n {
		t, size, err := thingOf(i)
		if err != nil {
			return err
		}
		if t.item != nil {
			things = append(things, t)
		}
		if held += size; len(things) == k.chunk || held > maxTextOfCall || i == n-1 {
			if err := w.write(ctx, k, things); err != nil {
				return err
			}
			things, held = nil, 0
		}
	}
	return nil
}

// write writes things of a kind in chunks. It remembers their ids.
func (w *writing) write(ctx context.Context, k *kind, things []thing) error {
	made := w.made[k.name]
	if made == nil {
		made = map[string]int64{}
		w.made[k.name] = made
	}
	for part := range slices.Chunk(things, k.chunk) {
		c := &chunk{writing: w, kind: k}
		err := w.inTurn(ctx, func(ctx context.Context) error {
			c.reset()
			return c.run(ctx, part)
		})
		if err != nil {
			return err
		}
		maps.Copy(made, c.ids)
		for _, r := range c.rows {
			w.report.lose(r)
		}
		if k.counted {
			w.step(len(part))
		}
	}
	return nil
}

// chunk is things that are written in one transaction.
type chunk struct {
	*writing
	kind    *kind
	rows    []movein.Row
	ids     map[string]int64
	written []moveindb.Written
	places  []moveindb.Place
}

func (c *chunk) reset() {
	c.rows, c.ids, c.written, c.places = nil, map[string]int64{}, nil, nil
}

// lose notes that a thing was skipped or changed, and why.
func (c *chunk) lose(t thing, status, code, detail string) {
	c.rows = append(c.rows, movein.Row{Place: t.place, Status: status, Code: code, Detail: shop.Clip(detail, 200)})
}

func (c *chunk) run(ctx context.Context, things []thing) error {
	keys := make([]string, len(things))
	for i, t := range things {
		keys[i] = keyOf(t.key)
	}
	known, err := moveindb.Origins(ctx, c.Store.Shop(c.job.Company), c.system, c.kind.name, keys)
	if err != nil {
		return err
	}
	var fresh []thing
	for i, t := range things {
		origin, ok := known[keys[i]]
		if !ok {
			fresh = append(fresh, t)
			continue
		}
		c.ids[t.key] = origin.Object
		if err := c.update(ctx, t, origin); err != nil {
			return err
		}
	}
	if err := c.create(ctx, fresh); err != nil {
		return err
	}
	if len(c.written) == 0 {
		return nil
	}
	return c.Store.Write(ctx, c.job.Company, func(tx *store.Tx) error {
		if err := moveindb.Write(ctx, tx, c.job.ID, c.system, c.written); err != nil {
			return err
		}
		if err := moveindb.Places(ctx, tx, c.job.ID, c.places, c.Now()); err != nil {
			return err
		}
		if err := c.placeKnown(ctx, tx); err != nil {
			return err
		}
		return jobdb.Hold(ctx, tx, c.job.Claimed)
	})
}

// create creates things that no import brought before.
func (c *chunk) create(ctx context.Context, fresh []thing) error {
	if len(fresh) == 0 {
		return nil
	}
	all := make([]map[string]string, len(fresh)) // as the files have them, whatever is left out for a refusal
	for i, t := range fresh {
		var err error
		if all[i], err = t.fields(); err != nil {
			return err
		}
	}
	ids, err := c.kind.create(ctx, c, fresh)
	if err != nil {
		return err
	}
	for i, t := range fresh {
		if ids[i] == 0 {
			continue // refused
		}
		c.ids[t.key] = ids[i]
		change := moveindb.Change{Kind: c.kind.name, Key: keyOf(t.key), Object: ids[i]}
		c.written = append(c.written, moveindb.Written{Change: change, Now: all[i]})
		if err := c.show(t, ids[i]); err != nil {
			return err
		}
	}
	return nil
}

// update writes the fields that differ from those of the last import.
func (c *chunk) update(ctx context.Context, t thing, origin moveindb.Origin) error {
	fields, err := t.fields()
	if err != nil {
		return err
	}
	var changed []string
	for name, h := range fields {
		if origin.Fields[name] != h {
			changed = append(changed, name)
		}
	}
	if len(changed) == 0 {
		return nil
	}
	slices.Sort(changed)
	now, err := c.kind.read(ctx, c.hand, origin.Object)
	if gone(err) {
		c.lose(t, movein.Skipped, "DELETED_SINCE", t.label())
		return nil
	}
	if err != nil {
		return err
	}
	before, err := json.Marshal(pick(now, c.kind.before(changed)...))
	if err != nil {
		return err
	}
	item := pick(t.item, changed...)
	if len(item) > 0 {
		t.slug = "" // the address stays as it is
		err = c.retried(ctx, &t, item, func(item object) error { return c.kind.update(ctx, c.hand, origin.Object, item, now) })
		if refusal, ok := refused(err); ok {
			c.lose(t, movein.Skipped, refusal.Code, t.label()+": "+refusal.Message())
			return nil
		}
		if err != nil {
			return err
		}
	}
	change := moveindb.Change{Kind: c.kind.name, Key: keyOf(t.key), Object: origin.Object, Before: before, Fields: origin.Fields}
	c.written = append(c.written, moveindb.Written{Change: change, Now: fields})
	return c.show(t, origin.Object)
}

// show queues the pictures of an object.
func (c *chunk) show(t thing, object int64) error {
	addresses := t.shows.addresses()
	if len(addresses) == 0 {
		return nil
	}
	places, err := json.Marshal(t.shows)
	if err == nil {
		c.places = append(c.places, moveindb.Place{Kind: c.kind.name, Object: object, Addresses: addresses, Places: places})
	}
	return err
}

// placeKnown places the pictures of objects whose pictures were all fetched before.
func (c *chunk) placeKnown(ctx context.Context, tx *store.Tx) error {
	for _, p := range c.places {
		ready, err := moveindb.PlacingOf(ctx, tx, p.Kind, p.Object)
		if err != nil {
			return err
		}
		for _, one := range ready {
			if err := c.place(ctx, tx, one); err != nil {
				return err
			}
		}
	}
	return nil
}

// refused returns the refusal of an object. Failures that may pass are none.
func refused(err error) (*shop.Refusal, bool) {
	refusal, ok := shop.AsRefusal(err)
	if !ok || refusal.Class == shop.Unavailable || refusal.Class == shop.Internal || refusal.RetryAfterHeader() != "" {
		return nil, false
	}
	return refusal, true
}

// gone reports whether a call found no object.
func gone(err error) bool {
	refusal, ok := shop.AsRefusal(err)
	return ok && refusal.Class == shop.NotFound
}
