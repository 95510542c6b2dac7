package draft

import (
	"context"
	"errors"

	"vitrine/compile/release"
	"vitrine/internal/shop"
	"vitrine/internal/store"
	"vitrine/internal/store/draft"
)

// maxRehearsed bounds the cached conflicts of all shops together.
const maxRehearsed = 20_000

// rehearsal holds the conflicts of publishing a whole draft at one version of it.
type rehearsal struct {
	version int64
	found   map[draft.Ref][]draft.Conflict
}

// conflicts returns the conflicts that publishing the draft of a shop would report. They are
// determined by a publish that is rolled back, once per version of the shop and its draft.
func (d *Draft) conflicts(ctx context.Context, company shop.CompanyID) (map[draft.Ref][]draft.Conflict, error) {
	version, err := draft.Version(ctx, d.store.Shop(company))
	if err != nil {
		return nil, err
	}
	if found, known := d.known(company, version); known {
		return found, nil
	}
	var computed rehearsal
	err = d.store.DryRun(ctx, company, func(tx *store.Tx) (err error) {
		computed.found, computed.version, err = draft.Conflicts(ctx, tx, func(version int64) bool {
			_, known := d.known(company, version) // a concurrent call computed it while this one waited for the locks
			return known
		})
		return err
	})
	if found, known := d.known(company, computed.version); known && err == nil {
		return found, nil
	}
	if err == nil {
		err = d.pending(ctx, company, computed.found)
	}
	if err != nil {
		return nil, err
	}
	weight := 1
	for _, list := range computed.found {
		weight += len(list)
	}
	d.mu.Lock()
	d.rehearsed.Put(company, computed, int64(weight))
	d.mu.Unlock()
	return computed.found, nil
}

// known returns the cached conflicts of a version, if there are any.
func (d *Draft) known(company shop.CompanyID, version int64) (map[draft.Ref][]draft.Conflict, bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	computed, ok := d.rehearsed.Get(company)
	return computed.found, ok && computed.version == version
}

// pending adds the documents whose release has lost bytes.
func (d *Draft) pending(ctx context.Context, company shop.CompanyID, found map[draft.Ref][]draft.Conflict) error {
	releases, err := d.releases(ctx, company, draft.Selection{All: true})
	if err != nil {
		return err
	}
	for document, id := range releases {
		err := d.whole(ctx, d.store.Shop(company), id)
		if errors.Is(err, release.ErrFilesPending) {
			ref := draft.Ref{Kind: "document", ID: document.String()}
			found[ref] = append(found[ref], draft.Conflict{Ref: ref, Field: "active_release_id", Code: release.ErrFilesPending.Code, Draft: id})
			continue
		}
		if err != nil {
			return err
		}
	}
	return nil
}
