package overview

import (
	"context"

	"vitrine/internal/store"
)

// Step is one step of setting up a new shop.
type Step struct {
	Key  StepKey `json:"key"`
	Done bool    `json:"done"`
}

// StepKey names a step.
type StepKey string

// Values lists the steps in their order.
func (StepKey) Values() (keys []string) {
	for _, s := range setupSteps {
		keys = append(keys, string(s.key))
	}
	return keys
}

// setupSteps are the steps in the order in which they are usually done, with their conditions.
var setupSteps = []struct {
	key  StepKey
	done string
}{
	{"contacts", `EXISTS (SELECT FROM company WHERE id = $1 AND (settings #>> '{contacts,email}' <> '' OR settings #>> '{contacts,phone}' <> ''))`},
	{"product", `EXISTS (SELECT FROM product WHERE company_id = $1 AND is_published AND deleted_at IS NULL)`},
	{"delivery", `EXISTS (SELECT FROM delivery_option WHERE company_id = $1 AND is_active AND deleted_at IS NULL)`},
	{"payment", `EXISTS (SELECT FROM payment_method WHERE company_id = $1 AND is_active AND method <> 'sandbox')`},
	{"pages", `EXISTS (SELECT FROM category WHERE company_id = $1 AND type = 'page' AND is_published AND deleted_at IS NULL)`},
	{"design", `EXISTS (SELECT FROM document WHERE company_id = $1 AND active_release_id <> 0 AND deleted_at IS NULL)
		OR EXISTS (SELECT FROM design_binding WHERE company_id = $1 AND resource_type <> 'system')`},
	{"domain", `EXISTS (SELECT FROM company_domain WHERE company_id = $1 AND active_at IS NOT NULL)`},
	{"open", `EXISTS (SELECT FROM company WHERE id = $1 AND NOT closed AND NOT blocked)`},
	{"order", `EXISTS (SELECT FROM shop_order WHERE company_id = $1)`},
}

// Setup reads which steps of setting up the shop are done, in one statement.
func Setup(ctx context.Context, r store.Reader) ([]Step, error) {
	sql := ""
	for _, s := range setupSteps {
		sql += ", " + s.done
	}
	done, err := []bool{}, error(nil)
	if err = r.DB.QueryRow(ctx, `SELECT ARRAY[`+sql[len(", "):]+`]`, r.Company).Scan(&done); err != nil {
		return nil, err
	}
	steps := make([]Step, len(setupSteps))
	for i, s := range setupSteps {
		steps[i] = Step{s.key, done[i]}
	}
	return steps, nil
}
