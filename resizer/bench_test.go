package resizer

import (
	"context"
	"strconv"
	"syscall"
	"testing"
	"time"

	"github.com/h2non/bimg"
)

// BenchmarkVariant compares a variant with the bare libvips call that makes it,
// the ceiling (x-ceiling: 1 is no overhead), and with bimg's own resize
// (x-bimg: below 1 is faster). A variant that is kept costs no pixels at all.
func BenchmarkVariant(b *testing.B) {
	photo := jpegOf(b, noise(2400, 1600))
	for _, c := range []struct {
		name string
		file []byte
	}{{"upright jpeg", photo}, {"turned jpeg", tagged(photo, 6)}, {"png", pngOf(b, noise(1200, 800))}} {
		b.Run(c.name, func(b *testing.B) {
			r := start(b, Config{Workers: 1})
			info, err := Inspect(c.file)
			if err != nil {
				b.Fatal(err)
			}
			var ceiling, other, ours time.Duration
			for i := 0; b.Loop(); i++ {
				ceiling += timed(b, func() error {
					_, err := encode(c.file, info, wishFor(640, 80).shape(info))
					return err
				})
				other += timed(b, func() error {
					_, err := bimg.Resize(c.file, bimg.Options{Width: 640, Type: bimg.WEBP, Quality: 80, OutputICC: "srgb"})
					return err
				})
				src := Source{Key: strconv.Itoa(i), Open: given(c.file).Open}
				ours += timed(b, func() error {
					_, err := r.Variant(context.Background(), src, 640, 80)
					return err
				})
			}
			b.ReportMetric(float64(ours)/float64(ceiling), "x-ceiling")
			b.ReportMetric(float64(ours)/float64(other), "x-bimg")
		})
	}
	b.Run("kept", func(b *testing.B) {
		r, src := start(b, Config{Cache: cacheFor(b)}), given(photo)
		once := func() error {
			_, err := r.Variant(context.Background(), src, 640, 80)
			return err
		}
		timed(b, once)
		for b.Loop() {
			if err := once(); err != nil {
				b.Fatal(err)
			}
		}
	})
}

// timed returns processor time: whatever else the machine does, the ratios stay.
func timed(b *testing.B, work func() error) time.Duration {
	begun := processorTime(b)
	if err := work(); err != nil {
		b.Fatal(err)
	}
	return processorTime(b) - begun
}

func processorTime(b *testing.B) time.Duration {
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		b.Fatal(err)
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}

func BenchmarkInspect(b *testing.B) {
	for format, file := range samples(b) {
		b.Run(string(format), func(b *testing.B) {
			for b.Loop() {
				if _, err := Inspect(file); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
