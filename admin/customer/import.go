package customer

import (
	"context"
	"errors"
	"slices"
	"strings"

	"vitrine/admin/api"
	"vitrine/internal/shop"
	"vitrine/internal/store"
)

type importRequest struct {
	Text   string `json:"text" len:"body" doc:"the columns of the export: email finds the customer; name (or first_name and last_name), phone, note and groups, by names between ;, are taken over where a cell is not empty"`
	DryRun bool   `json:"dry_run" doc:"write nothing: answer what would come of it"`
}

// importRow is what became of a line.
type importRow struct {
	Line   int    `json:"line"`
	Email  string `json:"email"`
	Status string `json:"status" enum:"created,updated,skipped,error"`
	Reason reason `json:"reason" doc:"why it was skipped or refused: LINE_MALFORMED, NO_EMAIL, EMAIL_INVALID, TEXT_TOO_LONG, TEXT_INVALID, GROUP_UNKNOWN, DUPLICATE_IN_FILE, LIMIT_REACHED or UNCHANGED; else empty"`
}

// importReport is what became of an import.
type importReport struct {
	Rows    []importRow `json:"rows"`
	Ignored []string    `json:"ignored_columns" doc:"that are not read, at most 100"`
	Created int         `json:"created"`
	Updated int         `json:"updated"`
	Skipped int         `json:"skipped"`
	Errors  int         `json:"errors"`
}

func (r *importReport) note(line sheetLine, status string, why reason) {
	at := line.cells["email"]
	r.Rows = append(r.Rows, importRow{line.number, at, status, why})
	switch status {
	case "created":
		r.Created++
	case "updated":
		r.Updated++
	case "skipped":
		r.Skipped++
	default:
		r.Errors++
	}
}

// attempts is how often an import begins anew because somebody on it has just ordered for
// the first time.
const attempts = 10

// imports takes what it can of a CSV: a bad line never disturbs its neighbours, and an
// import once more changes nothing.
func (cs *Customers) imports(ctx context.Context, c *api.Call, in importRequest) (out api.Result[importReport], err error) {
	read, err := readSheet(in.Text)
	if err != nil {
		return out, err
	}
	for range attempts {
		err = cs.Store.Write(ctx, c.Company, func(tx *store.Tx) error {
			out.Result = importReport{Rows: make([]importRow, 0, len(read.lines)), Ignored: read.ignored}
			return intake{tx, in.DryRun}.take(ctx, read, &out.Result)
		})
		if !errors.Is(err, store.ErrCustomerExists) {
			break
		}
	}
	return out, err
}

// intake writes a sheet, or only looks what would come of it.
type intake struct {
	*store.Tx
	dry bool
}

func (i intake) take(ctx context.Context, read sheet, report *importReport) error {
	var emails []string
	for _, line := range read.lines {
		if line.reason == "" {
			emails = append(emails, address(line.cells["email"]))
		}
	}
	groups, err := i.CustomerGroups(ctx)
	if err != nil {
		return err
	}
	there, err := i.LockCustomers(ctx, emails)
	if err != nil {
		return err
	}
	room, err := i.RoomForCustomers(ctx)
	if err != nil {
		return err
	}
	var added, changed []store.Customer
	seen := map[string]bool{}
	for _, line := range read.lines {
		at := address(line.cells["email"])
		was, known := there[at]
		one := was
		one.Email = at
		why := line.reason
		if why == "" && seen[at] {
			why = twice
		}
		if why == "" {
			why = line.onto(&one, groups)
		}
		if why == "" && !known && len(added) == room {
			why = full
		}
		switch {
		case why == noEmail:
			report.note(line, "skipped", why)
			continue
		case why != "":
			report.note(line, "error", why)
			continue
		case !known:
			added = append(added, one)
			report.note(line, "created", "")
		case one.Name == was.Name && one.Phone == was.Phone && one.Note == was.Note && slices.Equal(one.Groups, was.Groups):
			report.note(line, "skipped", unchanged)
		default:
			changed = append(changed, one)
			report.note(line, "updated", "")
		}
		seen[at] = true
	}
	if i.dry {
		return nil
	}
	if err := i.AddCustomers(ctx, added); err != nil {
		return err
	}
	return i.SaveCustomers(ctx, changed)
}

// onto puts the cells that say something onto a customer. The groups that are named take
// the place of those that somebody put the customer in.
func (l sheetLine) onto(c *store.Customer, groups []store.CustomerGroup) reason {
	for column, to := range map[string]*string{"name": &c.Name, "phone": &c.Phone, "note": &c.Note} {
		if cell := l.cells[column]; cell != "" {
			*to = cell
		}
	}
	if l.cells["groups"] == "" {
		return ""
	}
	var in []shop.CustomerGroupID
	for _, g := range groups {
		if g.Rules() && slices.Contains(c.Groups, g.ID) {
			in = append(in, g.ID)
		}
	}
	for _, name := range strings.Split(l.cells["groups"], ";") {
		if name = strings.TrimSpace(name); name == "" {
			continue
		}
		at := slices.IndexFunc(groups, func(g store.CustomerGroup) bool { return strings.EqualFold(g.Name, name) })
		if at < 0 {
			return noGroup
		}
		if g := groups[at]; !g.Rules() && !slices.Contains(in, g.ID) {
			in = append(in, g.ID)
		}
	}
	slices.Sort(in)
	c.Groups = in
	return ""
}
