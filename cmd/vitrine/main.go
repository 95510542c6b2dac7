// Vitrine is a storefront server: a multi-tenant online shop whose edge serves
// pages, uploaded websites, files and redirects from memory, and whose admin
// API owns every write.
//
// The program is one binary. "vitrine serve" runs everything in one process; edge, admin and
// worker run one role each against a shared database. The other verbs work on the same
// database (shop, key, member, letters, redirects, migrate) or call the admin API (push);
// example only writes files. They print one JSON object to standard output, and errors to
// standard error with exit code 1.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/alecthomas/kong"

	"vitrine/internal/shop"
)

type cli struct {
	Settings

	Version versionFlag `help:"Print the version."`

	Serve     serveCmd     `cmd:"" help:"Run every role in one process."`
	Edge      edgeCmd      `cmd:"" help:"Run only the storefront edge."`
	Admin     adminCmd     `cmd:"" help:"Run only the admin API."`
	Worker    workerCmd    `cmd:"" help:"Run only the background worker."`
	Migrate   migrateCmd   `cmd:"" help:"Migrate the database to the newest schema."`
	Installed installCmd   `cmd:"" name:"installation" help:"Accept new public addresses of this installation."`
	Backup    backupCmd    `cmd:"" help:"Keep the whole installation in a folder, or check that it can be restored from there. One shop: shop export."`
	Restore   restoreCmd   `cmd:"" help:"Fill an empty database and an empty bucket from a backup of the whole installation. One shop: shop import."`
	Shop      shopCmd      `cmd:"" help:"Create shops and change settings reserved for the operator."`
	Member    memberCmd    `cmd:"" help:"Manage the members of a shop."`
	Letters   lettersCmd   `cmd:"" help:"Print pending emails about accounts."`
	Key       keyCmd       `cmd:"" help:"Issue API keys."`
	Push      pushCmd      `cmd:"" help:"Publish a folder on a shop's storefront."`
	Example   exampleCmd   `cmd:"" help:"Write an example to try out: a website, a handbook, redirects."`
	Redirects redirectsCmd `cmd:"" help:"Import redirect rules."`
	MoveIn    moveInCmd    `cmd:"" name:"move-in" help:"Import the exports of another shop system."`
	Deploy    deployCmd    `cmd:"" help:"Print the configuration of a front or a service manager that runs with vitrine."`
	Doctor    doctorCmd    `cmd:"" help:"Check what processes with these settings depend on: exits with 0 where all is well."`
	Help      struct{}     `cmd:"" help:"Explain a command: help shop create."`
	Pictures  picturesCmd  `cmd:"" hidden:"" name:"decode-pictures" help:"Decode pictures for another process over pipes."`
}

func main() {
	var c cli
	parser := kong.Must(&c, kong.Name("vitrine"), kong.Description("A storefront server for many shops."))
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	handleSignals(stop)
	run, err := parser.Parse(helpArgs(os.Args[1:]))
	if err != nil {
		err = fmt.Errorf("%w; see --help", err)
	} else {
		run.BindTo(ctx, (*context.Context)(nil))
		err = run.Run(&c.Settings)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "vitrine:", errorText(err))
		stop()
		os.Exit(1)
	}
}

// helpArgs reads "help shop create" as "shop create --help".
func helpArgs(args []string) []string {
	if len(args) > 0 && args[0] == "help" {
		return append(args[1:len(args):len(args)], "--help")
	}
	return args
}

// handleSignals cancels the program at the first signal and kills it at the second, however soon
// that comes.
func handleSignals(stop func()) {
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	go func() {
		<-signals
		stop()
		again := (<-signals).(syscall.Signal)
		signal.Reset()
		if err := syscall.Kill(syscall.Getpid(), again); err != nil { // as if the signal had not been caught
			os.Exit(1)
		}
	}()
}

// errorText formats an error for people. The format of refusals is for clients of the API; here
// their code and detail suffice.
func errorText(err error) string {
	refusal, ok := shop.AsRefusal(err)
	if !ok {
		return err.Error()
	}
	_, short, _ := strings.Cut(refusal.Error(), " desc = ")
	return strings.Replace(err.Error(), refusal.Error(), short, 1)
}

// printJSON prints the one object that is the output of a verb.
func printJSON(v any) error {
	enc := json.NewEncoder(os.Stdout)
	enc.SetEscapeHTML(false)
	return enc.Encode(v)
}
