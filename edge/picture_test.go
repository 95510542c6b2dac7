package edge

import (
	"context"
	"net"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"vitrine/compile"
	"vitrine/internal/await"
	"vitrine/internal/shop"
)

const cutByID = "/w/640/webp/pics/0b6f3a52-7d0c-4c53-9a5e-1d2f3c4b5a69.webp"

func TestResizedPicturesAreCached(t *testing.T) {
	asked, standIn := 0, true
	w := newWorld(t, func(c *Config) {
		c.Resize = resizeFunc(func(_ shop.CompanyID, path string, width, _ int) (Image, error) {
			asked++
			if strings.HasSuffix(path, "gone.webp") {
				return Image{}, shop.ErrNotFound
			}
			return Image{Body: []byte("small"), ETag: `"w"`, StandIn: standIn}, nil
		})
	})
	w.expect("while busy", w.get(cutByID), 200, "Cache-Control", standInCaching)
	standIn = false
	for range 3 {
		w.expect("cached", w.get(cutByID), 200, "Cache-Control", immutableCaching, "ETag", `"w"`)
	}
	w.expect("its 304", w.get(cutByID, `If-None-Match: "w"`), 304)
	w.expect("HEAD of a cached picture", w.ask("HEAD", cutByID), 404)
	w.expect("no ranges", w.get(cutByID, "Range: bytes=0-1"), 200)
	if asked != 2 {
		t.Errorf("the resizer was asked %d times", asked)
	}
	w.get(cutByID + "?q=80")
	w.get(strings.Replace(cutByID, "640", "641", 1))
	w.expect("the other shop", w.askHost("GET", "other.test", cutByID), 200)
	if asked != 5 {
		t.Errorf("asked %d times: entries must differ by width, quality and shop", asked)
	}
	w.change(7, compile.Delta{}, nil, shop.Key{Kind: shop.KeyDesign})
	w.get(cutByID)
	if asked != 6 {
		t.Error("a file that may have been deleted was served from memory")
	}
}

// If a client disconnects, its request for a picture is cancelled, so that work which has
// not begun never does.
func TestDisconnectCancelsResizing(t *testing.T) {
	begun, ended := make(chan struct{}), make(chan error, 1)
	var calls atomic.Int32
	w := newWorld(t, func(c *Config) {
		c.Resize = func(ctx context.Context, _ shop.CompanyID, _ string, _, _ int) (Image, error) {
			if calls.Add(1) > 1 {
				return Image{Body: []byte("small"), ETag: `"w"`}, nil
			}
			close(begun)
			<-ctx.Done()
			ended <- ctx.Err()
			return Image{}, ctx.Err()
		}
	})
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	served := make(chan error, 1)
	go func() { served <- w.edge.Serve(l) }()
	t.Cleanup(func() {
		if err := w.edge.Shutdown(context.Background()); err != nil {
			t.Error(err)
		}
		await.Next(t, served)
	})
	c, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	if err := c.SetDeadline(time.Now().Add(await.Limit)); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Write([]byte("GET " + cutByID + " HTTP/1.1\r\nHost: shop.localhost\r\n\r\n")); err != nil {
		t.Fatal(err)
	}
	await.Next(t, begun)
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
	if err := await.Next(t, ended); err != context.Canceled {
		t.Errorf("it ended with %v", err)
	}
	w.expect("the next visitor", w.get(cutByID), 200)
}
