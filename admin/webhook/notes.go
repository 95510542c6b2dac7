package webhook

import (
	"sync"

	webhookdb "vitrine/internal/store/webhook"
)

// recorder stores the results of attempts in batches: results that arrive during a write are stored
// together by the next one.
type recorder struct {
	write func([]webhookdb.DeliveryResult) error

	mu      sync.Mutex
	open    *resultBatch // accepts more results
	writing sync.Mutex
}

// resultBatch is a batch that is stored in one write.
type resultBatch struct {
	ends []webhookdb.DeliveryResult
	done chan struct{}
	err  error
}

// add returns once the result is stored.
func (n *recorder) add(end webhookdb.DeliveryResult) error {
	n.mu.Lock()
	p := n.open
	first := p == nil || len(p.ends) == batch
	if first {
		p = &resultBatch{done: make(chan struct{})}
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
