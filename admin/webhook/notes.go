package webhook

import (
	"sync"

	webhookdb "vitrine/internal/store/webhook"
)

// notes writes down how attempts ended: what ends while one write is under way is
// written by the next, all of it at once.
type notes struct {
	write func([]webhookdb.DeliveryEnd) error

	mu      sync.Mutex
	open    *page // that takes more
	writing sync.Mutex
}

// page is what is written at once.
type page struct {
	ends []webhookdb.DeliveryEnd
	done chan struct{}
	err  error
}

// add returns when the end is written.
func (n *notes) add(end webhookdb.DeliveryEnd) error {
	n.mu.Lock()
	p := n.open
	first := p == nil || len(p.ends) == batch
	if first {
		p = &page{done: make(chan struct{})}
		n.open = p
	}
	p.ends = append(p.ends, end)
	n.mu.Unlock()
	if !first {
		<-p.done
		return p.err
	}
	n.writing.Lock()
	n.mu.Lock()
	if n.open == p {
		n.open = nil
	}
	n.mu.Unlock()
	p.err = n.write(p.ends)
	n.writing.Unlock()
	close(p.done)
	return p.err
}
