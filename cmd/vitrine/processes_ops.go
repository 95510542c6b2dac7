package main

import (
	"bytes"
	"context"
	"net/http"
	"slices"
	"strconv"
	"sync"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
)

// operators speaks for all processes to operators. Series of metrics have the label process, because
// counters of a process that is replaced begin again.
func (p *parent) operators() *http.ServeMux {
	own := prometheus.NewRegistry()
	prometheus.WrapRegistererWith(prometheus.Labels{processLabel: "parent"}, own).MustRegister(
		collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}), buildMetric(thisBuild()))
	own.MustRegister(
		prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: "vitrine_edge_processes", Help: "Processes of this edge that answer."}, func() float64 {
			return float64(len(p.askAll("/healthz")))
		}),
		prometheus.NewCounterFunc(prometheus.CounterOpts{Name: "vitrine_edge_process_deaths_total", Help: "Processes of this edge that ended by themselves and were replaced."}, func() float64 {
			return float64(p.deaths.Load())
		}))
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", promhttp.HandlerFor(prometheus.Gatherers{own, prometheus.GathererFunc(p.gather)}, promhttp.HandlerOpts{}))
	// An edge is ready when all its processes were: then one that it replaces may end. Later one process
	// suffices, because those that cannot serve have not opened the address.
	mux.HandleFunc("GET /readyz", func(w http.ResponseWriter, _ *http.Request) {
		if !p.whole.Load() {
			writeText(w, http.StatusServiceUnavailable, starting)
			return
		}
		p.best(w, "/readyz", func(a answered) bool { return a.status == http.StatusOK })
	})
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) {
		p.best(w, "/healthz", func(a answered) bool { return string(a.body) != healthy })
	})
	mux.HandleFunc("GET /ask", func(w http.ResponseWriter, r *http.Request) {
		p.best(w, "/ask?"+r.URL.RawQuery, func(a answered) bool { return a.status != http.StatusServiceUnavailable })
	})
	profiles(mux)
	mux.HandleFunc("GET /processes/{number}/{target...}", p.one)
	return mux
}

const processLabel = "process"

// askAll asks all processes at once. Those that do not answer are left out.
func (p *parent) askAll(target string) map[int]answered {
	ctx, cancel := context.WithTimeout(context.Background(), askTime)
	defer cancel()
	var asking sync.WaitGroup
	var mu sync.Mutex
	all := map[int]answered{}
	for _, s := range p.slots {
		if c := s.now.Load(); c != nil {
			asking.Go(func() {
				if a, err := c.ask(ctx, target); err == nil {
					mu.Lock()
					defer mu.Unlock()
					all[s.number] = a
				}
			})
		}
	}
	asking.Wait()
	return all
}

// best passes on the answer of the first process that is wanted, else of the first one.
func (p *parent) best(w http.ResponseWriter, target string, wanted func(answered) bool) {
	all := p.askAll(target)
	var list []answered
	for _, s := range p.slots {
		if a, ok := all[s.number]; ok {
			list = append(list, a)
		}
	}
	if len(list) == 0 {
		writeText(w, http.StatusServiceUnavailable, "no process answers\n")
		return
	}
	a := list[max(slices.IndexFunc(list, wanted), 0)]
	a.write(w)
}

func (a answered) write(w http.ResponseWriter) {
	w.Header().Set("Content-Type", a.kind)
	w.WriteHeader(a.status)
	_, _ = w.Write(a.body) // fails if the client has disconnected
}

// one passes a request to one process: /processes/1/debug/pprof/heap.
func (p *parent) one(w http.ResponseWriter, r *http.Request) {
	number, err := strconv.Atoi(r.PathValue("number"))
	if err != nil || number < 0 || number >= len(p.slots) {
		writeText(w, http.StatusNotFound, "there is no such process\n")
		return
	}
	c := p.slots[number].now.Load()
	if c == nil {
		writeText(w, http.StatusServiceUnavailable, "the process is being replaced\n")
		return
	}
	a, err := c.ask(r.Context(), "/"+r.PathValue("target")+"?"+r.URL.RawQuery)
	if err != nil {
		writeText(w, http.StatusServiceUnavailable, "the process does not answer\n")
		return
	}
	a.write(w)
}

// gather returns the metrics of all processes.
func (p *parent) gather() ([]*dto.MetricFamily, error) {
	byName := map[string]*dto.MetricFamily{}
	for number, a := range p.askAll("/metrics") {
		parser := expfmt.NewTextParser(model.UTF8Validation)
		families, err := parser.TextToMetricFamilies(bytes.NewReader(a.body))
		if err != nil {
			return nil, err
		}
		label := &dto.LabelPair{Name: new(processLabel), Value: new(strconv.Itoa(number))}
		for name, family := range families {
			for _, metric := range family.Metric {
				metric.Label = append(metric.Label, label)
			}
			if byName[name] == nil {
				byName[name] = family
			} else {
				byName[name].Metric = append(byName[name].Metric, family.Metric...)
			}
		}
	}
	list := make([]*dto.MetricFamily, 0, len(byName))
	for _, family := range byName {
		list = append(list, family)
	}
	return list, nil
}
