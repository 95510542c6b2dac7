package span

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	otlp "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"

	"vitrine/internal/await"
)

// collector keeps what it receives.
type collector struct {
	mu    sync.Mutex
	spans []*otlp.Span
	err   error
}

func (c *collector) take(_ context.Context, body []byte) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	var data otlp.TracesData
	if err := proto.Unmarshal(body, &data); err != nil {
		return err
	}
	for _, r := range data.ResourceSpans {
		for _, s := range r.ScopeSpans {
			c.spans = append(c.spans, s.Spans...)
		}
	}
	return c.err
}

func tracing(t *testing.T, share float64) (*Tracer, *collector) {
	c := &collector{}
	tracer := New(Config{Send: c.take, Share: share, Log: slog.New(slog.DiscardHandler)})
	t.Cleanup(tracer.Close)
	return tracer, c
}

func TestPartsBelongToTheirTrace(t *testing.T) {
	t.Parallel()
	tracer, c := tracing(t, 1)
	ctx, root := tracer.Start(t.Context(), "visit", From{At: time.Now().Add(-time.Second)})
	inner, part := Begin(ctx, "load shop")
	_, call := Call(inner, "select product")
	call.Set("k", strings.Repeat("v", 1000))
	call.Fail("timeout")
	call.End()
	part.EndWith(nil)
	root.Rename("page")
	root.End()
	tracer.Close()
	if len(c.spans) != 3 {
		t.Fatalf("%d spans", len(c.spans))
	}
	statement, shop, page := c.spans[0], c.spans[1], c.spans[2]
	if page.Name != "page" || len(page.ParentSpanId) != 0 || !slices.Equal(shop.ParentSpanId, page.SpanId) || !slices.Equal(statement.ParentSpanId, shop.SpanId) ||
		!slices.Equal(statement.TraceId, page.TraceId) {
		t.Errorf("%v", c.spans)
	}
	if page.EndTimeUnixNano-page.StartTimeUnixNano < uint64(time.Second) {
		t.Error("the trace does not begin with its request")
	}
	if statement.Status.GetCode() != otlp.Status_STATUS_CODE_ERROR || len(statement.Attributes[0].Value.GetStringValue()) != maxText {
		t.Errorf("%v", statement)
	}
	if got := tracer.Counts(); got != (Counts{Ended: 3, Sent: 3}) {
		t.Errorf("%+v", got)
	}
}

func TestATraceOfAFrontIsContinued(t *testing.T) {
	t.Parallel()
	tracer, c := tracing(t, 0.000001)
	for _, parent := range []string{
		"00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01", "00-1af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-00", "00-garbage",
	} {
		_, s := tracer.Start(t.Context(), "page", From{Traceparent: parent})
		s.End()
	}
	tracer.Close()
	if len(c.spans) != 1 || c.spans[0].TraceId[0] != 0x0a || c.spans[0].ParentSpanId[0] != 0xb7 {
		t.Errorf("%v", c.spans)
	}
}

// Work goes on at its pace, whatever the collector does, and what waits for it is bounded.
func TestACollectorThatAnswersNothingDelaysNothing(t *testing.T) {
	t.Parallel()
	stuck := make(chan struct{})
	tracer := New(Config{Send: func(context.Context, []byte) error { <-stuck; return errors.New("down") }, Share: 1, Log: slog.New(slog.DiscardHandler)})
	const traces = 5 * maxQueue
	for range traces { // would never end if one of them waited
		_, s := tracer.Start(context.Background(), "page", From{})
		s.End()
	}
	if got := tracer.Counts(); got != (Counts{Ended: traces}) {
		t.Errorf("%+v", got)
	}
	close(stuck)
	if !await.Until(func() bool { n := tracer.Counts().Failed; return n >= maxBatch && n <= maxQueue+2*maxBatch }) {
		t.Errorf("%+v", tracer.Counts())
	}
	tracer.Close()
	if got := tracer.Counts(); got.Failed > maxQueue+2*maxBatch || got.Sent != 0 {
		t.Errorf("%+v", got)
	}
}

func TestATraceHasABoundedNumberOfSpans(t *testing.T) {
	t.Parallel()
	tracer, _ := tracing(t, 1)
	ctx, root := tracer.Start(t.Context(), "import", From{})
	for range 3 * maxSpans {
		_, s := Call(ctx, "insert product")
		s.End()
	}
	root.End()
	if got := tracer.Counts().Ended; got != maxSpans {
		t.Errorf("%d spans", got)
	}
}

func TestWithoutACollectorNothingIsAllocated(t *testing.T) {
	var tracer *Tracer
	ctx := tracer.Carry(t.Context())
	if n := testing.AllocsPerRun(1000, func() {
		within, root := tracer.Start(ctx, "page", From{})
		within, part := Begin(within, "load shop")
		_, call := Call(within, "select product")
		_, work := Work(within, "letters")
		for _, s := range []*Span{root, part, call, work} {
			s.Set("k", "v")
			s.SetNumber("n", 1)
			s.EndWith(nil)
		}
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
	tracer.Close()
}
