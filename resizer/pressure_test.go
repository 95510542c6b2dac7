package resizer

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strconv"
	"sync"
	"testing"

	"github.com/h2non/bimg"

	"vitrine/internal/await"
)

// underPressure runs work while the garbage collector runs as often as possible and the
// heap is full of blocks as large as a picture.
func underPressure(size int, work func()) {
	stop := make(chan struct{})
	var garbage sync.WaitGroup
	garbage.Go(func() {
		for keep := make([][]byte, 64); ; {
			for i := range keep {
				select {
				case <-stop:
					return
				default:
					keep[i] = bytes.Repeat([]byte{byte(i)}, size)
				}
			}
			runtime.GC()
		}
	})
	work()
	close(stop)
	garbage.Wait()
}

// A JPEG that must be rotated became another picture when the collector ran while libvips
// still read its bytes. The test decodes in this process, where the bytes are in Go's heap,
// four hundred times.
func TestTurnedPicturesUnderCollectorPressure(t *testing.T) {
	r := start(t, Config{Workers: 2, Child: []string{}})
	file := tagged(jpegOf(t, noise(600, 400)), 6)
	want, _ := cut(t, r, file, 100, 0)
	underPressure(len(file), func() {
		var all sync.WaitGroup
		for worker := range 4 {
			all.Go(func() {
				for i := range 100 {
					src := Source{Key: strconv.Itoa(worker*1000 + i), Open: func(context.Context) ([]byte, error) {
						return slices.Clone(file), nil // garbage as soon as the resizer drops it
					}}
					v, err := r.Variant(context.Background(), src, 100, 0)
					if err != nil || !bytes.Equal(v.Body, want.Body) {
						t.Errorf("another picture, error %v", err)
					}
				}
			})
		}
		all.Wait()
	})
}

// brokenArgument makes the test binary rotate pictures with bimg until one is wrong. It is
// a separate process, since it reads freed memory.
const brokenArgument = "turn-with-bimg"

// bimg's resize fails under the same pressure; otherwise the test above would prove
// nothing.
func TestTheSamePressureBreaksBimg(t *testing.T) {
	if said, err := exec.CommandContext(await.Context(t), "/proc/self/exe", brokenArgument).CombinedOutput(); err == nil {
		t.Errorf("bimg rotated every picture correctly: %s", said)
	}
}

// turnWithBimg exits with code 3 at the first wrong picture.
func turnWithBimg() error {
	const width, height, tries = 1200, 800, 2000
	var file bytes.Buffer
	if err := encodeJPEG(&file, noise(width, height)); err != nil {
		return err
	}
	turned := tagged(file.Bytes(), 6)
	options := bimg.Options{Width: 100, Type: bimg.WEBP, Quality: 80}
	want, err := bimg.Resize(turned, options)
	if err != nil {
		return err
	}
	underPressure(len(turned), func() {
		var all sync.WaitGroup
		for range 2 {
			all.Go(func() {
				for range tries {
					got, err := bimg.Resize(turned, options)
					if err != nil || !bytes.Equal(got, want) {
						fmt.Fprintln(os.Stderr, "another picture, error", err)
						os.Exit(3)
					}
				}
			})
		}
		all.Wait()
	})
	return nil
}
