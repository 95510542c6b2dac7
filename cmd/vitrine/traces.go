package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"strings"

	"github.com/prometheus/client_golang/prometheus"

	"vitrine/internal/outbound"
	"vitrine/internal/span"
)

const (
	tracesPath     = "/v1/traces" // of OTLP over HTTP
	maxTraceAnswer = 64 << 10
)

// collector is the request that sends traces to the collector of the settings; without an address
// there is none.
func (s *Settings) collector() (r outbound.Request, err error) {
	if s.TracesURL == "" {
		return r, nil
	}
	to, err := url.Parse(s.TracesURL)
	if err != nil || to.Scheme != "http" && to.Scheme != "https" || to.Host == "" || to.User != nil || to.RawQuery != "" || to.Fragment != "" {
		return r, errors.New("VITRINE_TRACES_URL must be an address such as http://127.0.0.1:4318, without a query; credentials belong into VITRINE_TRACES_HEADERS")
	}
	if !(s.TracesShare > 0 && s.TracesShare <= 1) {
		return r, errors.New("VITRINE_TRACES_SHARE must be above 0 and at most 1")
	}
	headers := map[string]string{"Content-Type": "application/x-protobuf"}
	for field := range strings.SplitSeq(s.TracesHeaders, ",") {
		if field = strings.TrimSpace(field); field == "" {
			continue
		}
		name, value, ok := strings.Cut(field, "=")
		if name = strings.TrimSpace(name); !ok || name == "" || strings.ContainsAny(field, "\r\n") {
			return r, errors.New("VITRINE_TRACES_HEADERS must be fields such as Authorization=Bearer TOKEN, separated by commas")
		}
		headers[name] = strings.TrimSpace(value)
	}
	return outbound.Request{Method: "POST", URL: to.JoinPath(tracesPath).String(), Header: headers, MaxBody: maxTraceAnswer}, nil
}

// tracer sends traces to the collector; nil if there is none.
func (s *Settings) tracer(r roles, log *slog.Logger) (*span.Tracer, error) {
	request, err := s.collector()
	if err != nil || request.URL == "" {
		return nil, err
	}
	do := toOperators()
	return span.New(span.Config{
		Share: s.TracesShare, Version: thisBuild().version, Roles: r.names(), Log: log,
		Send: func(ctx context.Context, body []byte) error {
			request := request
			request.Body = body
			answer, err := do(ctx, request)
			if err != nil {
				return err
			}
			if answer.Status/100 != 2 {
				err = fmt.Errorf("it answers %d", answer.Status)
			}
			return errors.Join(err, answer.Body.Close())
		},
	}), nil
}

// names are the roles of a process, for operators.
func (r roles) names() string {
	var list []string
	for _, role := range []struct {
		has  bool
		name string
	}{{r.edge, "edge"}, {r.admin, "admin"}, {r.worker, "worker"}} {
		if role.has {
			list = append(list, role.name)
		}
	}
	return strings.Join(list, " ")
}

// watchTraces exposes how many spans reached the collector.
func (o *ops) watchTraces(t *span.Tracer) {
	if t == nil {
		return
	}
	desc := prometheus.NewDesc("vitrine_trace_spans_total", "Spans that ended, were sent to the collector, or were refused by it.", []string{"outcome"}, nil)
	o.registry.MustRegister(gauges(func(to chan<- prometheus.Metric) {
		now := t.Counts()
		for outcome, n := range map[string]int64{"ended": now.Ended, "sent": now.Sent, "failed": now.Failed} {
			to <- prometheus.MustNewConstMetric(desc, prometheus.CounterValue, float64(n), outcome)
		}
	}))
}
