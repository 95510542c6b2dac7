// Vitrine is a storefront server: a multi-tenant online shop whose edge serves
// pages, uploaded websites, files and redirects from memory, and whose admin
// API owns every write.
//
// The program is one binary. "vitrine serve" runs everything in one process;
// edge, admin and worker run one role each against a shared database. The other
// verbs talk to the same database (shop, key, member, letters, redirects, migrate) or to the admin
// API (push); example writes files and talks to nobody. They print one JSON object on standard output, and errors on
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

	Version versionFlag `help:"Say which version this is."`

	Serve     serveCmd     `cmd:"" help:"Run every role in one process."`
	Edge      edgeCmd      `cmd:"" help:"Run the storefront edge alone."`
	Admin     adminCmd     `cmd:"" help:"Run the admin API alone."`
	Worker    workerCmd    `cmd:"" help:"Run the background work alone."`
	Migrate   migrateCmd   `cmd:"" help:"Bring the database to the newest schema."`
	Shop      shopCmd      `cmd:"" help:"Create shops and change what only the operator may."`
	Member    memberCmd    `cmd:"" help:"Say who may work in a shop."`
	Letters   lettersCmd   `cmd:"" help:"Print the letters about accounts that wait."`
	Key       keyCmd       `cmd:"" help:"Issue API keys."`
	Push      pushCmd      `cmd:"" help:"Publish a folder on a shop's storefront."`
	Example   exampleCmd   `cmd:"" help:"Write an example to try things with: a website, a handbook, redirects."`
	Redirects redirectsCmd `cmd:"" help:"Import redirect rules."`
	Help      struct{}     `cmd:"" help:"Say what a command takes: help shop create."`
	Pictures  picturesCmd  `cmd:"" hidden:"" name:"decode-pictures" help:"Decode pictures for another process, by pipes."`
}

func main() {
	var c cli
	parser := kong.Must(&c, kong.Name("vitrine"), kong.Description("A storefront server for many shops."))
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	heed(stop)
	run, err := parser.Parse(asked(os.Args[1:]))
	if err != nil {
		err = fmt.Errorf("%w; --help says what it takes", err)
	} else {
		run.BindTo(ctx, (*context.Context)(nil))
		err = run.Run(&c.Settings)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "vitrine:", plain(err))
		stop()
		os.Exit(1)
	}
}

// asked reads "help shop create" as "shop create --help", as people type it.
func asked(args []string) []string {
	if len(args) > 0 && args[0] == "help" {
		return append(args[1:len(args):len(args)], "--help")
	}
	return args
}

// heed stops the program at the first signal, and ends it at once at the second,
// however soon that comes.
func heed(stop func()) {
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	go func() {
		<-signals
		stop()
		again := (<-signals).(syscall.Signal)
		signal.Reset()
		if err := syscall.Kill(syscall.Getpid(), again); err != nil { // as if nobody had heeded it
			os.Exit(1)
		}
	}()
}

// plain is what people are told of an error. The form of a refusal is for clients
// of the API; here its code and detail are enough.
func plain(err error) string {
	refusal, ok := shop.AsRefusal(err)
	if !ok {
		return err.Error()
	}
	_, short, _ := strings.Cut(refusal.Error(), " desc = ")
	return strings.Replace(err.Error(), refusal.Error(), short, 1)
}

// printJSON writes the one object that a verb answers.
func printJSON(v any) error {
	enc := json.NewEncoder(os.Stdout)
	enc.SetEscapeHTML(false)
	return enc.Encode(v)
}
