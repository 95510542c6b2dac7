package customer

import (
	"context"
	"errors"
	"slices"
	"strings"

	"vitrine/admin/api"
	"vitrine/internal/shop"
	"vitrine/internal/store"
	"vitrine/internal/store/people"
)

type importRequest struct {
	Text   string `json:"text" required:"always" len:"body" doc:"CSV with the columns of the export: email identifies the customer; non-empty cells of name (or first_name and last_name), phone, note and groups (names separated by ;) replace the stored values"`
	DryRun bool   `json:"dry_run" doc:"only report what the import would do"`
}

// importRow is the result of one line.
type importRow struct {
	Line   int    `json:"line"`
	Email  string `json:"email"`
	Status string `json:"status" enum:"created,updated,skipped,error"`
	Reason reason `json:"reason" doc:"reason why the line was skipped or refused: LINE_MALFORMED, NO_EMAIL, EMAIL_INVALID, TEXT_TOO_LONG, TEXT_INVALID, GROUP_UNKNOWN, DUPLICATE_IN_FILE, LIMIT_REACHED or UNCHANGED; else empty"`
}

// importReport is the result of an import.
type importReport struct {
	Rows    []importRow `json:"rows"`
	Ignored []string    `json:"ignored_columns" doc:"columns that are not read, at most 100"`
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

// attempts is how often an import is retried because a new customer in it was created
// concurrently.
const attempts = 10

// imports imports the valid lines of a CSV: an invalid line does not affect the others, and
// importing the same CSV again changes nothing.
func (cs *Customers) imports(ctx context.Context, c *api.Call, in importRequest) (out api.Result[importReport], err error) {
	lines, ignored, err := readSheet(in.Text)
	if err != nil {
		return out, err
	}
	for range attempts {
		err = cs.Store.Write(ctx, c.Company, func(tx *store.Tx) error {
			out.Result = importReport{Rows: make([]importRow, 0, len(lines)), Ignored: ignored}
			return importer{tx, in.DryRun}.run(ctx, lines, &out.Result)
		})
		if !errors.Is(err, people.ErrCustomerExists) {
			break
		}
	}
	return out, err
}

// importer writes the customers of a sheet, or only reports what it would write.
type importer struct {
	*store.Tx
	dry bool
}

func (i importer) run(ctx context.Context, lines []sheetLine, report *importReport) error {
	var emails []string
	for _, line := range lines {
		if line.reason == "" {
			emails = append(emails, address(line.cells["email"]))
		}
	}
	groups, err := people.CustomerGroups(ctx, i.Tx.Reader)
	if err != nil {
		return err
	}
	there, err := people.LockCustomers(ctx, i.Tx, emails)
	if err != nil {
		return err
	}
	left, err := people.CustomersLeft(ctx, i.Tx.Reader)
	if err != nil {
		return err
	}
	var added, changed []people.Customer
	seen := map[string]bool{}
	for _, line := range lines {
		at := address(line.cells["email"])
		was, known := there[at]
		one := was
		one.Email = at
		why := line.reason
		if why == "" && seen[at] {
			why = duplicate
		}
		if why == "" {
			why = line.onto(&one, groups)
		}
		if why == "" && !known && len(added) == left {
			why = limitReached
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
	if err := people.AddCustomers(ctx, i.Tx, added); err != nil {
		return err
	}
	return people.SaveCustomers(ctx, i.Tx, changed)
}

// onto applies the non-empty cells to a customer. The named groups replace those that the
// customer was assigned to by hand.
func (l sheetLine) onto(c *people.Customer, groups []people.CustomerGroup) reason {
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
		if g.HasRule() && slices.Contains(c.Groups, g.ID) {
			in = append(in, g.ID)
		}
	}
	for _, name := range strings.Split(l.cells["groups"], ";") {
		if name = strings.TrimSpace(name); name == "" {
			continue
		}
		at := slices.IndexFunc(groups, func(g people.CustomerGroup) bool { return strings.EqualFold(g.Name, name) })
		if at < 0 {
			return noGroup
		}
		if g := groups[at]; !g.HasRule() && !slices.Contains(in, g.ID) {
			in = append(in, g.ID)
		}
	}
	slices.Sort(in)
	c.Groups = in
	return ""
}
