package span

import (
	"context"
	"log/slog"
	"sync/atomic"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace"
	"go.opentelemetry.io/otel/sdk/resource"
	sdk "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"
	otlp "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"

	"vitrine/internal/secret"
)

// Limits of what waits for the collector. Spans that end while the queue is full are dropped, and so
// are those that the collector does not take.
const (
	maxQueue  = 4096
	maxBatch  = 512
	sendEvery = 2 * time.Second
	sendTime  = 10 * time.Second
	maxText   = 256 // of an attribute
	stopTime  = 2 * time.Second
)

// Config is where traces go.
type Config struct {
	// Send sends a message of OTLP over HTTP.
	Send func(ctx context.Context, body []byte) error

	Share   float64 // of traces that are recorded, from 0 to 1; a trusted front decides for those that it began
	Version string  // of the program
	Roles   string  // of the process
	Log     *slog.Logger
}

// Tracer begins traces and sends them in the background. Nothing waits for it. A nil Tracer begins
// none.
type Tracer struct {
	tracer   trace.Tracer
	provider *sdk.TracerProvider
	client   *client
	ended    atomic.Int64
}

// New returns a Tracer that sends until Close.
func New(c Config) *Tracer {
	t := &Tracer{client: &client{send: c.Send, log: c.Log}}
	t.provider = sdk.NewTracerProvider(
		sdk.WithSampler(sdk.ParentBased(sdk.TraceIDRatioBased(c.Share))),
		sdk.WithRawSpanLimits(sdk.SpanLimits{AttributeValueLengthLimit: maxText, AttributeCountLimit: 32, EventCountLimit: 0, LinkCountLimit: 0}),
		sdk.WithResource(resource.NewSchemaless(
			attribute.String("service.name", "vitrine"), attribute.String("service.version", c.Version), attribute.String("vitrine.roles", c.Roles),
		)),
		sdk.WithSpanProcessor(counter{ended: &t.ended}),
		sdk.WithBatcher(
			otlptrace.NewUnstarted(t.client), sdk.WithMaxQueueSize(maxQueue), sdk.WithMaxExportBatchSize(maxBatch),
			sdk.WithBatchTimeout(sendEvery), sdk.WithExportTimeout(sendTime),
		),
	)
	t.tracer = t.provider.Tracer("vitrine")
	return t
}

// Close sends what waits, if the collector takes it soon.
func (t *Tracer) Close() {
	if t == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), stopTime)
	defer cancel()
	if err := t.provider.Shutdown(ctx); err != nil {
		t.client.log.Debug("the last traces were not sent", "error", err)
	}
}

// Counts are numbers of spans since the start. Those that were neither sent nor refused wait or were
// dropped.
type Counts struct{ Ended, Sent, Failed int64 }

// Counts returns the numbers of spans.
func (t *Tracer) Counts() Counts {
	return Counts{Ended: t.ended.Load(), Sent: t.client.sent.Load(), Failed: t.client.failed.Load()}
}

// counter counts the spans that ended.
type counter struct {
	sdk.SpanProcessor
	ended *atomic.Int64
}

func (counter) OnStart(context.Context, sdk.ReadWriteSpan) {}
func (c counter) OnEnd(sdk.ReadOnlySpan)                   { c.ended.Add(1) }
func (counter) Shutdown(context.Context) error             { return nil }
func (counter) ForceFlush(context.Context) error           { return nil }

// client sends spans. It tries once: the next spans matter more than those that a collector could
// not take.
type client struct {
	send         func(ctx context.Context, body []byte) error
	log          *slog.Logger
	sent, failed atomic.Int64
	failing      bool // since the last success; only the sender's goroutine uses it
}

func (*client) Start(context.Context) error { return nil }
func (*client) Stop(context.Context) error  { return nil }

// UploadTraces implements otlptrace.Client. TracesData has the form of the request of the protocol.
func (c *client) UploadTraces(ctx context.Context, spans []*otlp.ResourceSpans) error {
	body, err := proto.Marshal(&otlp.TracesData{ResourceSpans: spans})
	if err == nil {
		err = c.send(ctx, body)
	}
	count := int64(0)
	for _, r := range spans {
		for _, scope := range r.ScopeSpans {
			count += int64(len(scope.Spans))
		}
	}
	if err == nil {
		c.sent.Add(count)
		c.failing = false
		return nil
	}
	c.failed.Add(count)
	if !c.failing && ctx.Err() == nil {
		c.log.Warn("the collector takes no traces (VITRINE_TRACES_URL); they are dropped until it does", "error", secret.Mask(err.Error()))
	}
	c.failing = true
	return nil // it has been logged, and OpenTelemetry would log it for each batch
}
