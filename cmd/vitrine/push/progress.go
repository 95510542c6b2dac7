package push

import (
	"io"
	"sync"

	"github.com/schollz/progressbar/v3"
)

// progress is a progress bar in bytes on a terminal; elsewhere it shows nothing.
type progress struct {
	mu  sync.Mutex
	bar *progressbar.ProgressBar // nil: nothing to show
}

func newProgress(o Options, total int64) *progress {
	if !o.Terminal || total == 0 {
		return &progress{}
	}
	return &progress{bar: progressbar.NewOptions64(total,
		progressbar.OptionSetWriter(o.Log), progressbar.OptionSetDescription("uploading"),
		progressbar.OptionShowBytes(true), progressbar.OptionClearOnFinish(), progressbar.OptionSetWidth(30))}
}

// add advances the bar. If it cannot be drawn, it is given up; the upload continues.
func (p *progress) add(n int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.bar != nil && p.bar.Add64(n) != nil {
		p.bar = nil
	}
}

func (p *progress) end() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.bar != nil && p.bar.Clear() != nil {
		p.bar = nil
	}
}

// share is one file's part of the bar. A file that is sent again advances it only beyond its
// previous position.
type share struct {
	bar  *progress
	most int64
}

func (s *share) of(r io.ReadCloser) io.ReadCloser { return &counting{ReadCloser: r, share: s} }

type counting struct {
	io.ReadCloser
	share *share
	read  int64
}

func (c *counting) Read(b []byte) (int, error) {
	n, err := c.ReadCloser.Read(b)
	c.read += int64(n)
	if c.read > c.share.most {
		c.share.bar.add(c.read - c.share.most)
		c.share.most = c.read
	}
	return n, err
}
