// Package span traces what the program works on, for an OpenTelemetry collector of the operator. A
// trace is a tree of spans: a visit, the calls of the API that it makes, their statements, and
// requests to other servers.
//
//	ctx, s := tracer.Start(ctx, "page", span.From{})   // a trace, if there is a collector
//	defer s.End()
//	ctx, s := span.Begin(ctx, "load shop")             // a part of it, if ctx is in a trace
//
// Without a collector the Tracer is nil, and no context has a span: all functions then do nothing.
//
// Names and attributes come from the program, apart from ids of shops and requests. What a visitor
// sends, such as a path or a query, may be a secret and is in none.
package span

import (
	"context"
	"sync/atomic"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/trace"
)

// maxSpans bounds the spans of one trace: an import sends as many statements as it has rows.
const maxSpans = 1000

// Span is a part of a trace. All methods may be called on nil.
type Span struct {
	span trace.Span
	of   *whole
}

// whole is what the spans of a trace share.
type whole struct {
	tracer trace.Tracer
	left   atomic.Int64 // spans that may still begin
}

type (
	spanKey   struct{}
	tracerKey struct{}
)

// Of returns the span that work in a context belongs to; nil if it is not traced.
func Of(ctx context.Context) *Span {
	s, _ := ctx.Value(spanKey{}).(*Span)
	return s
}

// In returns a context whose work belongs to the span.
func (s *Span) In(ctx context.Context) context.Context {
	if s == nil {
		return ctx
	}
	return context.WithValue(ctx, spanKey{}, s)
}

// From is where a trace begins.
type From struct {
	Traceparent string    // header of a trusted front, whose trace is continued; empty: none
	At          time.Time // zero: now
}

// Start begins a trace.
func (t *Tracer) Start(ctx context.Context, name string, from From) (context.Context, *Span) {
	return t.start(ctx, name, from, trace.SpanKindServer)
}

func (t *Tracer) start(ctx context.Context, name string, from From, kind trace.SpanKind) (context.Context, *Span) {
	if t == nil {
		return ctx, nil
	}
	parent := context.Background()
	if from.Traceparent != "" {
		parent = propagation.TraceContext{}.Extract(parent, propagation.MapCarrier{"traceparent": from.Traceparent})
	}
	options := []trace.SpanStartOption{trace.WithSpanKind(kind)}
	if !from.At.IsZero() {
		options = append(options, trace.WithTimestamp(from.At))
	}
	_, began := t.tracer.Start(parent, name, options...)
	if !began.IsRecording() {
		return ctx, nil // not in the share of traces that are recorded
	}
	s := &Span{began, &whole{tracer: t.tracer}}
	s.of.left.Store(maxSpans - 1)
	return s.In(ctx), s
}

// Carry returns a context in which Work begins traces.
func (t *Tracer) Carry(ctx context.Context) context.Context {
	if t == nil {
		return ctx
	}
	return context.WithValue(ctx, tracerKey{}, t)
}

// Work begins the trace of a piece of background work.
func Work(ctx context.Context, name string) (context.Context, *Span) {
	t, _ := ctx.Value(tracerKey{}).(*Tracer)
	return t.start(ctx, name, From{}, trace.SpanKindConsumer)
}

// Begin begins a part of the trace that a context is in.
func Begin(ctx context.Context, name string) (context.Context, *Span) {
	return Of(ctx).begin(ctx, name, trace.SpanKindInternal)
}

// Call begins the part of the trace in which another server works.
func Call(ctx context.Context, name string) (context.Context, *Span) {
	return Of(ctx).begin(ctx, name, trace.SpanKindClient)
}

func (s *Span) begin(ctx context.Context, name string, kind trace.SpanKind) (context.Context, *Span) {
	if s == nil || s.of.left.Add(-1) < 0 {
		return ctx, nil
	}
	_, began := s.of.tracer.Start(trace.ContextWithSpan(context.Background(), s.span), name, trace.WithSpanKind(kind))
	part := &Span{began, s.of}
	return part.In(ctx), part
}

// Rename replaces the name of the span.
func (s *Span) Rename(name string) {
	if s != nil {
		s.span.SetName(name)
	}
}

// Set adds an attribute.
func (s *Span) Set(key, value string) {
	if s != nil {
		s.span.SetAttributes(attribute.String(key, value))
	}
}

// SetNumber adds an attribute.
func (s *Span) SetNumber(key string, value int64) {
	if s != nil {
		s.span.SetAttributes(attribute.Int64(key, value))
	}
}

// Fail marks what the span is about as failed. The reason is one of a few, never the text of an
// error, which may quote a value.
func (s *Span) Fail(reason string) {
	if s != nil {
		s.span.SetStatus(codes.Error, reason)
	}
}

// End ends the span.
func (s *Span) End() {
	if s != nil {
		s.span.End()
	}
}

// EndWith ends the span as failed if err is not nil.
func (s *Span) EndWith(err error) {
	if err != nil {
		s.Fail("failed")
	}
	s.End()
}
