package redirect

import (
	"context"
	"slices"

	"vitrine/admin/api"
	"vitrine/compile"
	"vitrine/internal/shop"
	"vitrine/internal/store"
	"vitrine/internal/store/catalog"
)

// Refusals of moving a category.
var (
	errMoveType = shop.Refuse(shop.InvalidArgument, "CATEGORY_MOVE_TYPE_UNKNOWN").When("type is not inside, before or after")
	errPinScope = api.ErrScopeMissing.With("required_scope redirects:write").WithField("required_scope", "redirects:write")
)

const maxExamples = 20 // examples in url_changes; counters and pinned rules cover all changes

// moveRequest moves a section and its subtree (document 3, 4.4). Type "inside" moves it into
// another section or the root (to_id 0), as the last child; "before" and "after" make it a
// sibling of another section. An empty type means "inside".
type moveRequest struct {
	FromID       shop.CategoryID `json:"from_id" required:"always"`
	ToID         shop.CategoryID `json:"to_id"`
	Type         string          `json:"type" enum:"inside,before,after"`
	DryRun       bool            `json:"dry_run"`
	PinRules     bool            `json:"pin_rules"`
	UnpinVersion shop.Int64      `json:"unpin_version" doc:"the rules_version of an earlier move, whose rules are taken back"`
}

type moveAnswer struct {
	CategoriesAffected int         `json:"categories_affected"`
	ProductsAffected   int         `json:"products_affected"`
	RulesCreated       int         `json:"rules_created"`
	RulesVersion       shop.Int64  `json:"rules_version" doc:"of the redirect set with the changed rules; 0: none changed"`
	URLChanges         []urlChange `json:"url_changes"`
}

// urlChange is a URL that the move changes. covered_by is what redirects from the old to the new
// URL without a pinned rule.
type urlChange struct {
	OldPath   string `json:"old_path"`
	NewPath   string `json:"new_path"`
	Kind      string `json:"kind"`       // category, product, article, file; folder: every URL below it
	CoveredBy string `json:"covered_by"` // auto, rule, fallback, none
}

// errRollback rolls back the transaction of a dry run.
var errRollback = shop.Refuse(shop.Aborted, "DRY_RUN")

func (rs *Redirects) moveCategory(ctx context.Context, c *api.Call, in moveRequest) (moveAnswer, error) {
	if in.FromID == in.ToID && in.FromID != 0 {
		return moveAnswer{}, catalog.ErrCategoryCycle.At("to_id").With("a category cannot be moved inside or next to itself")
	}
	rules := in.PinRules || in.UnpinVersion != 0
	if rules && !c.Role.CanManage() {
		return moveAnswer{}, errRulesForbidden.With("only owners and admins may pin rules")
	}
	if rules && !c.Has("redirects:write") {
		return moveAnswer{}, errPinScope
	}
	answer := moveAnswer{URLChanges: []urlChange{}}
	err := rs.store.Write(ctx, c.Company, func(tx *store.Tx) error {
		if err := tx.LockTree(ctx); err != nil {
			return err
		}
		if _, err := tx.LockRules(ctx); err != nil {
			return err
		}
		cached, err := rs.sites.Current(ctx, tx.Reader)
		if err != nil {
			return err
		}
		if err := moveRow(ctx, tx, in, c.Person); err != nil {
			return err
		}
		before, after := cached.Site, cached
		if after.Site, err = rs.sites.After(ctx, tx.Reader, cached, tx.Changes()...); err != nil {
			return err
		}
		set := newSet(after)
		changes := answer.compare(before, set.before)
		if in.UnpinVersion != 0 {
			if err := set.unpin(ctx, tx.Reader, in.UnpinVersion); err != nil {
				return err
			}
		}
		if in.PinRules {
			if answer.RulesCreated, err = newPinning(set, changes).pin(changes); err != nil {
				return err
			}
		}
		if answer.RulesVersion, err = set.storeMove(ctx, tx); err != nil {
			return err
		}
		if err := set.site().CheckLoops(before); err != nil {
			return err
		}
		if in.DryRun {
			return errRollback
		}
		return nil
	})
	if in.DryRun && err == errRollback {
		err = nil
	}
	return answer, err
}

// moveRow updates the parent of the section and the order of its new siblings.
func moveRow(ctx context.Context, tx *store.Tx, in moveRequest, by shop.UserID) error {
	old, err := catalog.GetCategory(ctx, tx.Reader, in.FromID)
	if err != nil {
		return err
	}
	moved := old
	moved.UpdatedBy = by
	switch in.Type {
	case "inside", "":
		moved.Parent = in.ToID
	case "before", "after":
		sibling, err := catalog.GetCategory(ctx, tx.Reader, in.ToID)
		if err != nil {
			return err
		}
		moved.Parent = sibling.Parent
	default:
		return errMoveType.At("type").With("inside, before or after")
	}
	if err := catalog.UpdateCategory(ctx, tx, old, moved); err != nil {
		return err
	}
	tree, err := catalog.CategoryAddresses(ctx, tx.Reader)
	if err != nil {
		return err
	}
	var siblings []shop.CategoryID
	for _, row := range tree {
		if row.Parent == moved.Parent && row.ID != in.FromID {
			siblings = append(siblings, row.ID)
		}
	}
	at := len(siblings)
	if i := slices.Index(siblings, in.ToID); i >= 0 && in.Type == "before" {
		at = i
	} else if i >= 0 && in.Type == "after" {
		at = i + 1
	}
	return catalog.SetCategoryOrder(ctx, tx, slices.Insert(siblings, at, in.FromID))
}

// compare counts the changed URLs and returns all of them. The answer keeps the first examples,
// with sections before products and articles.
func (a *moveAnswer) compare(before, after *compile.Site) []urlChange {
	var changes []urlChange
	var walk compile.Walk
	host := after.Shop().Hosts[0]
	for ref, path := range before.Pages() {
		now := after.URL(ref)
		if now == path || now == "" {
			continue
		}
		switch ref.Entity {
		case compile.EntityCategory:
			a.CategoriesAffected++
		case compile.EntityProduct:
			a.ProductsAffected++
		}
		changes = append(changes, urlChange{
			OldPath: path, NewPath: now, Kind: ref.Entity.String(), CoveredBy: covered(after.Resolve(&walk, host, path), now),
		})
	}
	for ref, path := range before.Pages() { // the website of a moved section moves as well
		now := after.URL(ref)
		if _, folder := before.FolderAt(ref); !folder || now == path || now == "" {
			continue
		}
		const inside = "/page" // represents any URL below the folder
		changes = append(changes, urlChange{
			OldPath: path + "/*", NewPath: now + "/*", Kind: "folder", CoveredBy: covered(after.Resolve(&walk, host, path+inside), now+inside),
		})
	}
	for f, path := range before.Files() {
		if _, now, ok := after.File(f.ID); ok && now != path {
			changes = append(changes, urlChange{
				OldPath: path, NewPath: now, Kind: "file", CoveredBy: covered(after.Resolve(&walk, host, path), now),
			})
		}
	}
	slices.SortStableFunc(changes, func(x, y urlChange) int { return rank(x.Kind) - rank(y.Kind) })
	a.URLChanges = append(a.URLChanges, changes[:min(len(changes), maxExamples)]...)
	return changes
}

func rank(kind string) int {
	if kind == "category" {
		return 0
	}
	return 1
}

// covered returns, in terms of the API, what responds at an old URL. If the storefront redirects
// it to another page than the page's new URL, it is not covered.
func covered(d compile.Decision, now string) string {
	switch {
	case d.Kind != compile.Redirect:
		return "none"
	case d.By == compile.ByRule:
		return "rule"
	case d.By == compile.ByFallback:
		return "fallback"
	case d.Location != now:
		return "none"
	}
	return "auto"
}
