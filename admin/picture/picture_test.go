package picture_test

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"sync"
	"testing"

	"vitrine/admin"
	"vitrine/admin/api/apitest"
	"vitrine/admin/media"
	"vitrine/admin/picture"
	"vitrine/internal/shop"
	mediadb "vitrine/internal/store/media"
)

// studio is an API that accepts uploads as pictures, and a worker that records what it prepares.
type studio struct {
	*apitest.API
	t      *testing.T
	mu     sync.Mutex
	made   []string                            // sha256
	answer func(sha256 string) (string, error) // the colour
}

func open(t *testing.T) *studio {
	t.Parallel()
	s := &studio{t: t, answer: func(string) (string, error) { return "#aabbcc", nil }}
	s.API = apitest.New(t, func(cfg *admin.Config) {
		cfg.Media.Inspect = func([]byte) (media.Picture, error) { return media.Picture{Format: "gif", Width: 3, Height: 2}, nil }
	})
	return s
}

// worker returns a worker of one process; a restarted process has another.
func (s *studio) worker() *picture.Worker {
	return picture.New(s.Store, func(_ context.Context, sha256 string) (mediadb.Picture, error) {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.made = append(s.made, sha256)
		colour, err := s.answer(sha256)
		return mediadb.Picture{Width: 700, Height: 400, Colour: colour}, err
	}, slog.New(slog.DiscardHandler))
}

// upload stores a picture and returns its path below /files/.
func (s *studio) upload(kind, bytes string) string {
	s.t.Helper()
	answer := s.OK("POST", "/v1/storages/files", s.Owner, apitest.Map{"section": "content", "file_type": kind, "original_name": "a.gif"})
	up := answer["upload"].(apitest.Map)
	s.OK("PUT", up["url"].(string), "", []byte(bytes))
	path := s.Result("POST", "/v1/storages/files/"+up["id"].(string)+"/done", s.Owner, nil)["public_path"].(string)
	return path[len("/files/"):]
}

func (s *studio) colour(path string) string {
	s.t.Helper()
	known, err := mediadb.Pictures(context.Background(), s.Store.Shop(s.Shop.ID), []string{path, "none"})
	if err != nil || len(known) != 1 {
		s.t.Fatalf("%v, %v", known, err)
	}
	return known[path].Colour
}

// prepared returns how many pictures were prepared since the last call.
func (s *studio) prepared() int {
	n := len(s.made)
	s.made = nil
	return n
}

func TestEachNewPictureIsPreparedOnce(t *testing.T) {
	s := open(t)
	one := s.upload("image", "GIF89a one")
	s.upload("image", "<svg xmlns='http://www.w3.org/2000/svg'/>")
	s.upload("file", "GIF89a as a file")
	for _, want := range []int{1, 0} {
		if err := s.worker().Round(t.Context()); err != nil {
			t.Fatal(err)
		}
		if n := s.prepared(); n != want {
			t.Errorf("%d prepared, want %d", n, want)
		}
	}
	if got := s.colour(one); got != "#aabbcc" {
		t.Errorf("its colour is %q", got)
	}
}

// The next process prepares what a stopped one did not get to.
func TestARestartContinuesTheWork(t *testing.T) {
	s := open(t)
	for _, name := range []string{"a", "b", "c", "d"} {
		s.upload("image", "GIF89a "+name)
	}
	ctx, stop := context.WithCancel(t.Context())
	s.answer = func(string) (string, error) {
		if len(s.made) == 3 {
			stop() // the process stops while preparing the third
			return "", ctx.Err()
		}
		return "", nil
	}
	if err := s.worker().Round(ctx); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	before := s.made
	s.made = nil
	if err := s.worker().Round(t.Context()); err != nil {
		t.Fatal(err)
	}
	if len(before) != 3 || len(s.made) != 2 || s.made[0] != before[2] || slices.Contains(before, s.made[1]) {
		t.Errorf("first %q, then %q", before, s.made)
	}
}

func TestAFailingPictureDoesNotBlockOthers(t *testing.T) {
	s := open(t)
	for _, name := range []string{"a", "b", "c"} {
		s.upload("image", "GIF89a "+name)
	}
	away := errors.New("the bytes are unavailable")
	s.answer = func(string) (string, error) {
		switch len(s.made) {
		case 1:
			return "", away
		case 2:
			return "", picture.ErrHopeless
		}
		return "#010203", nil
	}
	if err := s.worker().Round(t.Context()); !errors.Is(err, away) || s.prepared() != 3 {
		t.Errorf("error %v", err)
	}
	if err := s.worker().Round(t.Context()); err == nil || s.prepared() != 1 {
		t.Errorf("the failed picture was not retried, or a hopeless one was: %v", err)
	}
	s.answer = func(string) (string, error) { return "", shop.ErrUnavailable }
	s.upload("image", "GIF89a d")
	if err := s.worker().Round(t.Context()); !errors.Is(err, shop.ErrUnavailable) || s.prepared() != 1 {
		t.Errorf("the worker continued while the image service was busy: %v", err)
	}
}
