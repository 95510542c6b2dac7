package resizer

import (
	"context"
	"fmt"
	"image"
	"os"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"vitrine/resizer/ceiling"
)

// photos are four pictures like those of cameras, one of them rotated.
func photos(b *testing.B) map[string][]byte {
	return map[string][]byte{
		"2MP":         jpegOf(b, scene(1840, 1228)),
		"6MP":         jpegOf(b, scene(3000, 2000)),
		"12MP-turned": tagged(jpegOf(b, scene(4000, 3000)), 6),
		"24MP":        jpegOf(b, scene(6000, 4000)),
	}
}

// BenchmarkVariant compares variants made by a child with the bare calls of libvips, in
// turns: by wall-clock time (x-plain) and by processor time of all processes (x-plain-cpu).
// 1 means no overhead; the target is 0.95.
func BenchmarkVariant(b *testing.B) {
	startVips()
	all := photos(b)
	for _, name := range []string{"2MP", "6MP", "12MP-turned", "24MP"} {
		photo := all[name]
		for _, width := range []int{320, 640, 1600} {
			b.Run(fmt.Sprintf("%s/%d", name, width), func(b *testing.B) {
				r := start(b, Config{Workers: 1})
				cut(b, r, photo, 64, 0) // starts the child
				var plain, ours cost
				for i := 0; b.Loop(); i++ {
					measure(b, r, &plain, func() error {
						_, err := ceiling.Plain(photo, width, defaultQuality(width))
						return err
					})
					src := Source{Key: strconv.Itoa(i), Open: given(photo).Open}
					measure(b, r, &ours, func() error {
						_, err := r.Variant(context.Background(), src, width, 0)
						return err
					})
				}
				b.ReportMetric(float64(plain.clock)/float64(ours.clock), "x-plain")
				b.ReportMetric(float64(plain.cpu)/float64(ours.cpu), "x-plain-cpu")
				b.ReportMetric(float64(ours.cpu.Milliseconds())/float64(b.N), "cpu-ms/picture")
				b.ReportMetric(0, "ns/op")
			})
		}
	}
}

// BenchmarkMemory makes two thousand variants with two workers and reports the memory of
// their children: after the first two hundred, after all, and at the peak.
func BenchmarkMemory(b *testing.B) {
	all := photos(b)
	names := []string{"2MP", "6MP", "2MP", "12MP-turned", "2MP", "24MP", "2MP", "6MP"}
	for b.Loop() {
		r := start(b, Config{Workers: 2})
		var next atomic.Int64
		until := func(last int64) {
			var clients sync.WaitGroup
			for range 4 {
				clients.Go(func() {
					for i := next.Add(1); i <= last; i = next.Add(1) {
						src := Source{Key: strconv.FormatInt(i, 10), Open: given(all[names[i%8]]).Open}
						if _, err := r.Variant(context.Background(), src, 320, 0); err != nil {
							b.Error(err)
						}
					}
				})
			}
			clients.Wait()
		}
		until(200)
		early, _ := childMemory(b, r)
		next.Store(200)
		until(2000)
		late, most := childMemory(b, r)
		b.ReportMetric(float64(early)/1024, "MB-after-200")
		b.ReportMetric(float64(late)/1024, "MB-after-2000")
		b.ReportMetric(float64(most)/1024, "MB-at-most")
		b.ReportMetric(0, "ns/op")
	}
}

// BenchmarkKept measures a variant from the cache.
func BenchmarkKept(b *testing.B) {
	r, src := start(b, Config{Cache: cacheFor(b)}), given(jpegOf(b, scene(1200, 800)))
	for b.Loop() {
		if _, err := r.Variant(context.Background(), src, 640, 80); err != nil {
			b.Fatal(err)
		}
	}
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

// cost is the time used by all pictures.
type cost struct{ clock, cpu time.Duration }

func measure(b *testing.B, r *Resizer, c *cost, work func() error) {
	children := pids(b, r)
	clock, cpu := time.Now(), processorTime(b, children)
	if err := work(); err != nil {
		b.Fatal(err)
	}
	c.clock += time.Since(clock)
	c.cpu += processorTime(b, children) - cpu
}

// processorTime is the time of this process and the children.
func processorTime(b *testing.B, children []int) (all time.Duration) {
	for _, clock := range append(children, 0) {
		id := int32(unix.CLOCK_PROCESS_CPUTIME_ID)
		if clock != 0 {
			id = int32(^clock<<3 | 2) // the CPU clock of another process (clock_getcpuclockid)
		}
		var t unix.Timespec
		if err := unix.ClockGettime(id, &t); err != nil {
			b.Fatal(err)
		}
		all += time.Duration(t.Nano())
	}
	return all
}

// pids are the children of an idle resizer; missing children are started.
func pids(b *testing.B, r *Resizer) (all []int) {
	for _, d := range r.decoders {
		if d.child == nil {
			var err error
			if d.child, err = startChild(d.command); err != nil {
				b.Fatal(err)
			}
		}
		all = append(all, d.child.cmd.Process.Pid)
	}
	return all
}

// childMemory returns the current and the peak memory of the children, in kB.
func childMemory(b *testing.B, r *Resizer) (now, most int) {
	for _, pid := range pids(b, r) {
		status, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/status")
		if err != nil {
			b.Fatal(err)
		}
		for line := range strings.Lines(string(status)) {
			words := strings.Fields(line)
			switch n, err := strconv.Atoi(words[min(1, len(words)-1)]); {
			case err == nil && words[0] == "VmRSS:":
				now += n
			case err == nil && words[0] == "VmHWM:":
				most += n
			}
		}
	}
	return now, most
}

// scene is a picture with the detail of a photo: soft shapes, edges and grain.
func scene(width, height int) image.Image {
	m := image.NewYCbCr(image.Rect(0, 0, width, height), image.YCbCrSubsampleRatio420)
	grain := uint32(1)
	for y := range height {
		for x := range width {
			grain = grain*1664525 + 1013904223
			v := 60*lattice(x, y, width/4) + 40*lattice(x, y, width/24) + 25*lattice(x, y, 9)
			if lattice(x+width, y, width/9) > .5 {
				v += 40
			}
			m.Y[y*m.YStride+x] = uint8(v + 20 + float64(grain>>28))
		}
	}
	for y := range height / 2 {
		for x := range width / 2 {
			m.Cb[y*m.CStride+x] = uint8(108 + 40*lattice(x, y, width/12))
			m.Cr[y*m.CStride+x] = uint8(108 + 40*lattice(y, x, width/10))
		}
	}
	return m
}

// lattice is smooth noise between 0 and 1 with one independent value per every pixels.
func lattice(x, y, every int) float64 {
	corner := func(cx, cy int) float64 {
		h := uint32(cx)*0x9e3779b1 ^ uint32(cy)*0x85ebca77
		h ^= h >> 15
		return float64(h*0x2c1b3c6d>>16) / (1 << 16)
	}
	cx, cy := x/every, y/every
	fx, fy := float64(x%every)/float64(every), float64(y%every)/float64(every)
	top := corner(cx, cy)*(1-fx) + corner(cx+1, cy)*fx
	bottom := corner(cx, cy+1)*(1-fx) + corner(cx+1, cy+1)*fx
	return top*(1-fy) + bottom*fy
}
