package purge

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"vitrine/internal/outbound"
	"vitrine/internal/shop"
)

// record is a Log in memory. A moment is the number of changes that were seen.
type record struct {
	mu     sync.Mutex
	list   []Changes
	told   map[string]int
	holder map[string]*process
}

type process struct {
	*record
	dead bool
}

func (p *process) Claim(_ context.Context, target string) (int, bool, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if now := p.holder[target]; now != nil && now != p && !now.dead {
		return 0, false, nil
	}
	p.holder[target] = p
	return p.told[target], true, nil
}

func (p *process) After(_ context.Context, since int) (Changes, int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	out := Changes{Keys: map[shop.CompanyID][]shop.Key{}}
	for _, c := range p.list[since:] {
		out.All = out.All || c.All
		for id, keys := range c.Keys {
			out.Keys[id] = append(out.Keys[id], keys...)
		}
	}
	return out, len(p.list), nil
}

func (p *process) Told(_ context.Context, target string, upTo int) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.told[target] = upTo
	return nil
}

func (r *record) change(company shop.CompanyID, keys ...shop.Key) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.list = append(r.list, Changes{Keys: map[shop.CompanyID][]shop.Key{company: keys}})
}

// cache is a target that can be down.
type cache struct {
	mu   sync.Mutex
	down bool
	got  []string
	at   []time.Time
}

func (c *cache) do(_ context.Context, r outbound.Request) (*outbound.Answer, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.down {
		return nil, errors.New("down")
	}
	c.got, c.at = append(c.got, r.Header["Surrogate-Key"]), append(c.at, time.Now())
	return &outbound.Answer{Status: 200, Body: noBody{}}, nil
}

type noBody struct{}

func (noBody) Read([]byte) (int, error) { return 0, io.EOF }
func (noBody) Close() error             { return nil }

func (c *cache) set(down bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.down = down
}

func newRecord() *record { return &record{told: map[string]int{}, holder: map[string]*process{}} }

func worker(t *testing.T, p *process, c *cache) *Worker[int] {
	targets, err := Parse("varnish:http://cache")
	if err != nil {
		t.Fatal(err)
	}
	return &Worker[int]{Targets: targets, Log: p, Do: c.do, Now: time.Now}
}

func TestAChangeIsPurgedOnceTheEdgesHaveSeenIt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, c := newRecord(), &cache{}
		w := worker(t, &process{record: r}, c)
		ctx, cancel := context.WithCancel(t.Context())
		go w.Run(ctx, slog.New(slog.DiscardHandler))
		time.Sleep(10 * time.Minute)
		changed := time.Now()
		r.change(7, shop.Key{Kind: shop.KeyProduct, ID: 5})
		r.change(8, shop.Key{Kind: shop.KeyAccess}, shop.Key{Kind: shop.KeyProduct, ID: 6})
		time.Sleep(10 * time.Second)
		synctest.Wait()
		if want := []string{"s7-product s7-product-5 s8"}; !slices.Equal(c.got, want) {
			t.Errorf("%q, want %q", c.got, want)
		}
		if took := c.at[0].Sub(changed); took < settle || took > settle+2*interval {
			t.Errorf("after %v", took)
		}
		if r.told["varnish:http://cache"] != 2 {
			t.Errorf("the moment is not stored: %v", r.told)
		}
		cancel()
		synctest.Wait()
	})
}

func TestATargetThatIsDownIsToldLater(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, c := newRecord(), &cache{down: true}
		w := worker(t, &process{record: r}, c)
		ctx, cancel := context.WithCancel(t.Context())
		go w.Run(ctx, slog.New(slog.DiscardHandler))
		r.change(7, shop.Key{Kind: shop.KeyProduct, ID: 5})
		time.Sleep(time.Hour)
		r.change(7, shop.Key{Kind: shop.KeyDesign})
		time.Sleep(time.Hour)
		synctest.Wait()
		if len(c.got) > 0 || w.Failures()["varnish:http://cache"] < 60 {
			t.Errorf("%q, %v", c.got, w.Failures())
		}
		c.set(false)
		time.Sleep(2 * maxPause)
		synctest.Wait()
		if want := []string{"s7-design s7-product s7-product-5"}; !slices.Equal(c.got, want) {
			t.Errorf("%q, want %q", c.got, want)
		}
		cancel()
		synctest.Wait()
	})
}

// What a process has not told when it dies, the next one tells.
func TestAnotherProcessTellsWhatADeadOneDidNot(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, c := newRecord(), &cache{}
		first, second := &process{record: r}, &process{record: r}
		ctx, kill := context.WithCancel(t.Context())
		go worker(t, first, c).Run(ctx, slog.New(slog.DiscardHandler))
		time.Sleep(time.Second)
		rest, cancel := context.WithCancel(t.Context())
		go worker(t, second, c).Run(rest, slog.New(slog.DiscardHandler))
		r.change(7, shop.Key{Kind: shop.KeyRules})
		time.Sleep(settle / 2)
		r.mu.Lock()
		first.dead = true
		r.mu.Unlock()
		kill()
		time.Sleep(time.Minute)
		synctest.Wait()
		if want := []string{"s7-rules"}; !slices.Equal(c.got, want) {
			t.Errorf("%q, want %q", c.got, want)
		}
		cancel()
		synctest.Wait()
	})
}

func TestSurrogatesOfChanges(t *testing.T) {
	many := []shop.Key{}
	for n := range maxKeys + 1 {
		many = append(many, shop.Key{Kind: shop.KeyProduct, ID: int64(n + 1)})
	}
	for want, c := range map[string]Changes{
		"":                                     {},
		"vitrine":                              {All: true, Whole: map[shop.CompanyID]bool{3: true}},
		"s3":                                   {Whole: map[shop.CompanyID]bool{3: true}, Keys: map[shop.CompanyID][]shop.Key{3: {{Kind: shop.KeyDesign}}}},
		"s4":                                   {Keys: map[shop.CompanyID][]shop.Key{4: many}},
		"s5":                                   {Keys: map[shop.CompanyID][]shop.Key{5: {{Kind: shop.KeyShop}, {Kind: shop.KeyDesign}}}},
		"s6-document s6-document-9 s6-folders": {Keys: map[shop.CompanyID][]shop.Key{6: {{Kind: shop.KeyDocument, ID: 9}}}},
	} {
		if got := strings.Join(surrogates(c), " "); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
