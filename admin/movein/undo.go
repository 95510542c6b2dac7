package movein

import (
	"context"
	"encoding/json"

	"vitrine/admin/api"
	"vitrine/admin/job"
	"vitrine/internal/shop"
	"vitrine/internal/store"
	jobdb "vitrine/internal/store/job"
	moveindb "vitrine/internal/store/movein"
)

var errBusy = shop.Refuse(shop.FailedPrecondition, "IMPORT_RUNNING").When("the import is still running; stop it with DELETE /v1/jobs/{id} first, or wait")

// undoInput is what an undo needs.
type undoInput struct {
	Import shop.JobID `json:"import"`
}

type jobAnswer struct {
	Result job.View `json:"result"`
}

func (ms *MoveIns) beginUndo(ctx context.Context, c *api.Call, in named) (out jobAnswer, err error) {
	var j jobdb.Job
	err = ms.Store.Write(ctx, c.Company, func(tx *store.Tx) error {
		i, err := moveindb.Lock(ctx, tx, in.ID)
		if err != nil {
			return err
		}
		if i.UndoneAt != nil {
			return moveindb.ErrUndone
		}
		for id, refusal := range map[shop.JobID]*shop.Refusal{i.ID: errBusy, undoing(i): moveindb.ErrUndone} {
			if running, err := ms.runs(ctx, tx, id); err != nil || running {
				if err == nil {
					err = refusal
				}
				return err
			}
		}
		if j, err = jobdb.Begin(ctx, tx, jobdb.New{Person: c.Person, Kind: undoKind, Input: undoInput{in.ID}}, ms.Now()); err != nil {
			return err
		}
		return moveindb.Undoing(ctx, tx, in.ID, j.ID)
	})
	if err != nil {
		return out, err
	}
	out.Result, err = ms.jobs.Show(ctx, j, c.Person)
	return out, err
}

func undoing(i moveindb.Import) shop.JobID {
	if i.UndoJob == nil {
		return 0
	}
	return *i.UndoJob
}

// runs reports whether a job waits or runs.
func (ms *MoveIns) runs(ctx context.Context, tx *store.Tx, id shop.JobID) (bool, error) {
	if id == 0 {
		return false, nil
	}
	j, err := jobdb.Get(ctx, tx.Reader, 0, id)
	if gone(err) {
		return false, nil
	}
	return j.State == jobdb.Queued || j.State == jobdb.Running, err
}

// undone is the result of an undo.
type undone struct {
	Import shop.JobID `json:"import"`
	Undone int64      `json:"undone" doc:"objects"`
}

const undoChunk = 50

// undo is the job that undoes an import, kind by kind.
func (ms *MoveIns) undo(ctx context.Context, r *job.Running) (any, func(*store.Tx) error, error) {
	var in undoInput
	if err := json.Unmarshal(r.Input, &in); err != nil {
		return nil, nil, err
	}
	reader := ms.Store.Shop(r.Company)
	i, err := moveindb.Get(ctx, reader, in.Import)
	if err != nil {
		return nil, nil, err
	}
	total, err := moveindb.CountChanges(ctx, reader, i.ID)
	if err != nil {
		return nil, nil, err
	}
	u := undo{hand: ms.as(r.Person, r.Company), job: r, of: i}
	done := int64(0)
	for _, k := range kinds {
		for {
			n, err := u.some(ctx, k)
			if err != nil {
				return nil, nil, err
			}
			if n == 0 {
				break
			}
			done += int64(n)
			r.Progress(done, total)
		}
	}
	if err := u.files(ctx); err != nil {
		return nil, nil, err
	}
	return undone{i.ID, done}, func(tx *store.Tx) error { return moveindb.Undone(ctx, tx, i.ID, ms.Now()) }, nil
}

type undo struct {
	hand
	job *job.Running
	of  moveindb.Import
}

// some undoes a few changes of a kind and returns how many.
func (u undo) some(ctx context.Context, k *kind) (n int, err error) {
	err = u.inTurn(ctx, func(ctx context.Context) error {
		changes, err := moveindb.Changes(ctx, u.Store.Shop(u.who.Company), u.of.ID, k.name, undoChunk)
		if err != nil || len(changes) == 0 {
			return err
		}
		n = len(changes)
		for _, c := range changes {
			if err := u.revert(ctx, k, c); err != nil {
				return err
			}
		}
		return u.Store.Write(ctx, u.who.Company, func(tx *store.Tx) error { return jobdb.Hold(ctx, tx, u.job.Claimed) })
	})
	return n, err
}

// revert undoes one change. An object that is gone stays gone.
func (u undo) revert(ctx context.Context, k *kind, c moveindb.Change) error {
	if c.Before == nil {
		if err := k.remove(ctx, u.hand, c.Object); err != nil {
			if _, ok := refused(err); !ok {
				return err
			}
		}
		return u.Store.Write(ctx, u.who.Company, func(tx *store.Tx) error { return moveindb.Revert(ctx, tx, u.of.ID, u.of.System, c, nil) })
	}
	before, err := decode(c.Before)
	if err != nil {
		return err
	}
	reader := u.Store.Shop(u.who.Company)
	known, err := moveindb.Origins(ctx, reader, u.of.System, k.name, []string{c.Key})
	if err != nil {
		return err
	}
	origin := known[c.Key]
	if origin.Object != c.Object {
		origin.Fields = map[string]string{}
	}
	later, err := moveindb.LaterChanges(ctx, reader, u.of.ID, k.name, c.Object)
	if err != nil {
		return err
	}
	if err := u.passOn(ctx, c, before, later); err != nil {
		return err
	}
	if len(before) > 0 {
		if err := k.undo(ctx, u.hand, c.Object, before); err != nil {
			if _, ok := refused(err); !ok {
				return err
			}
		}
	}
	for name := range origin.Fields {
		if field := fieldBefore(k, name); has(before, field) {
			origin.Fields[name] = c.Fields[name]
		}
	}
	return u.Store.Write(ctx, u.who.Company, func(tx *store.Tx) error {
		return moveindb.Revert(ctx, tx, u.of.ID, u.of.System, c, origin.Fields)
	})
}

func fieldBefore(k *kind, name string) string {
	if names := k.before([]string{name}); len(names) == 1 {
		return names[0]
	}
	return name
}

func has(o object, name string) bool {
	_, ok := o[name]
	return ok
}

// passOn moves the values of fields that a later import changed again to what that one restores.
func (u undo) passOn(ctx context.Context, c moveindb.Change, before object, later []moveindb.Later) error {
	k := kindOf(c.Kind)
	for _, l := range later {
		moved := false
		for name := range l.Before {
			value, mine := before[name]
			if !mine {
				continue
			}
			text, err := json.Marshal(value)
			if err != nil {
				return err
			}
			l.Before[name], moved = text, true
			delete(before, name)
			for field, h := range c.Fields {
				if fieldBefore(k, field) == name {
					l.Fields[field] = h
				}
			}
		}
		if !moved {
			continue
		}
		if err := u.Store.Write(ctx, u.who.Company, func(tx *store.Tx) error { return moveindb.SetBefore(ctx, tx, c.Kind, c.Key, l) }); err != nil {
			return err
		}
	}
	return nil
}

// files deletes the pictures that the import fetched and that nothing shows any more.
func (u undo) files(ctx context.Context) error {
	ids, err := moveindb.FetchedFiles(ctx, u.Store.Shop(u.who.Company), u.of.ID)
	if err != nil {
		return err
	}
	for _, file := range ids {
		at := map[string]string{"id": file.String()}
		usage, err := u.call(ctx, "GET", "/v1/storages/files/{id}/usage", at, object{})
		if err == nil && !unused(usage) {
			continue
		}
		if err == nil {
			_, err = u.Do(ctx, u.who, "DELETE", "/v1/storages/files/{id}", at, object{})
		}
		if _, ok := refused(err); err != nil && !ok {
			return err
		}
	}
	return nil
}

func unused(usage object) bool {
	if r, ok := usage["result"].(object); ok {
		usage = r
	}
	return id(usage["total"]) == 0
}
