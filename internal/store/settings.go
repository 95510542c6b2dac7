package store

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// SettingsError reports that connections do not have the settings that were asked for. A
// pooler between the program and the server drops or refuses them. Waiting does not help.
type SettingsError struct {
	Got            []string // what differs: "jit is on instead of off"
	Asked          map[string]string
	role, database string
}

func (e *SettingsError) Error() string {
	var b strings.Builder
	names := slices.Sorted(maps.Keys(e.Asked))
	fmt.Fprintf(&b, "connections to the database lack settings that vitrine asks for: %s. Poolers such as pgbouncer do not pass them on: "+
		"let it ignore them (ignore_startup_parameters = %s), set them for the role by the following SQL, once and without the pooler, "+
		"and restart the pooler: SELECT show_limit();", strings.Join(e.Got, ", "), strings.Join(names, ", "))
	for _, name := range names {
		fmt.Fprintf(&b, " ALTER ROLE %s IN DATABASE %s SET %s = '%s';",
			pgx.Identifier{e.role}.Sanitize(), pgx.Identifier{e.database}.Sanitize(), name, e.Asked[name])
	}
	return b.String()
}

// verifySettings returns a check of new connections. A connection without the planner's
// settings would read the rows of all shops, one without a timeout would never end a statement,
// and one with another search_path would read other tables.
func verifySettings(asked map[string]string) func(context.Context, *pgx.Conn) error {
	asked = askedFor(asked)
	// The second call returns the value as the server writes it: a minute for 60000. It ends
	// with the statement.
	sql := `SELECT 'search_path', array_to_string(current_schemas(false), ', '), 'public'`
	var args [][]byte
	for _, name := range slices.Sorted(maps.Keys(asked)) {
		args = append(args, []byte(name), []byte(asked[name]))
		sql += fmt.Sprintf(` UNION ALL SELECT $%[1]d::text, current_setting($%[1]d, true), set_config($%[1]d, $%[2]d, true)`, len(args)-1, len(args))
	}
	return func(ctx context.Context, conn *pgx.Conn) error {
		// Without the tracer, which counts the statements of the program.
		result := conn.PgConn().ExecParams(ctx, sql, args, nil, nil, nil).Read()
		if result.Err != nil {
			return result.Err
		}
		failed := &SettingsError{Asked: asked, role: conn.Config().User, database: conn.Config().Database}
		for _, row := range result.Rows {
			if name, got, want := string(row[0]), string(row[1]), string(row[2]); got == "" {
				failed.Got = append(failed.Got, name+" is not set")
			} else if got != want {
				failed.Got = append(failed.Got, fmt.Sprintf("%s is %s instead of %s", name, got, want))
			}
		}
		if len(failed.Got) > 0 {
			return failed
		}
		return nil
	}
}

// askedFor returns the parameters of a connection that statements depend on.
func askedFor(params map[string]string) map[string]string {
	asked := maps.Clone(params)
	delete(asked, "application_name")
	return asked
}

// explainRefusal turns a pooler's refusal of a setting into the explanation.
func explainRefusal(err error, config *pgx.ConnConfig) error {
	var refused *pgconn.PgError
	if !errors.As(err, &refused) || !strings.HasPrefix(refused.Message, "unsupported startup parameter") {
		return err
	}
	return &SettingsError{Got: []string{refused.Message}, Asked: askedFor(config.RuntimeParams), role: config.User, database: config.Database}
}
