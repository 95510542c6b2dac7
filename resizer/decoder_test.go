package resizer

import (
	"bufio"
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"image"
	"io"
	"log/slog"
	"os"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"

	"pgregory.net/rapid"

	"vitrine/internal/await"
)

// quietResizer starts a resizer whose children are expected to die.
func quietResizer(t testing.TB, cfg Config) *Resizer {
	cfg.Log = slog.New(slog.DiscardHandler)
	return start(t, cfg)
}

// childOf is the child of the only worker, which must be idle.
func childOf(t *testing.T, r *Resizer) *os.Process {
	t.Helper()
	cut(t, r, jpegOf(t, quartered(40, 30)), 32, 0)
	return r.decoders[0].child.cmd.Process
}

// begun stops the child and requests a picture: it has received the request and cannot
// answer.
func begun(t *testing.T, r *Resizer, src Source) (*os.Process, asked) {
	t.Helper()
	child := childOf(t, r)
	if err := child.Signal(syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	before := r.Stats().Decodes
	a := ask(r, src, 320)
	until(func() bool { return r.Stats().Decodes > before })
	return child, a
}

func TestChildKilledDuringAPictureIsReplaced(t *testing.T) {
	r := quietResizer(t, Config{Workers: 1})
	child, a := begun(t, r, given(jpegOf(t, quartered(400, 300))))
	if err := child.Kill(); err != nil {
		t.Fatal(err)
	}
	if body, err := await.Next(t, a.body), await.Next(t, a.err); err != nil || len(body) == 0 {
		t.Errorf("the picture: %v", err)
	}
	cut(t, r, jpegOf(t, quartered(300, 400)), 320, 0)
	if s := r.Stats(); s.Deaths != 1 || s.Broken != 0 {
		t.Errorf("%+v", s)
	}
}

// A child with so little memory dies of a large picture, or reports that it has none;
// either way it is one error, and small pictures still work.
func TestTooLargePictureIsOneError(t *testing.T) {
	r := quietResizer(t, Config{Workers: 1, Child: children(100 << 20)})
	// An interlaced file is decoded in passes, so all rows are held: 8 bytes per pixel.
	large := interlacedPNG(t, 4500, 4500)
	small := jpegOf(t, quartered(400, 300))
	for range 2 {
		if _, err := r.Variant(t.Context(), given(large), 64, 0); !errors.Is(err, ErrBroken) {
			t.Errorf("the large one: %v", err)
		}
		cut(t, r, small, 320, 0)
	}
	if s := r.Stats(); s.Decodes != 3 {
		t.Errorf("%+v: want the large one tried once and the small one cut each time", s)
	}
	cut(t, quietResizer(t, Config{Workers: 1}), large, 64, 0)
}

func TestKilledChildrenFailNoRequestUnderLoad(t *testing.T) {
	r := quietResizer(t, Config{Workers: 2, Queue: 100})
	file := jpegOf(t, noise(600, 400))
	var all sync.WaitGroup
	for visitor := range 4 {
		all.Go(func() {
			for i := range 20 {
				src := Source{Key: strconv.Itoa(visitor*100 + i), Open: given(file).Open}
				if _, err := r.Variant(context.Background(), src, 320, 0); err != nil {
					t.Error(err)
				}
				if visitor > 0 || i%5 != 4 {
					continue
				}
				// Runs on a worker, so between that worker's pictures.
				if _, err := r.pool.do(context.Background(), 0, "kill", func(d *decoder) (outcome, error) {
					if d.child != nil {
						d.child.kill()
					}
					return outcome{}, nil
				}); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	if s := r.Stats(); s.Deaths == 0 || s.Decodes != 80 {
		t.Errorf("%+v", s)
	}
}

func TestChildThatCannotStartIsATemporaryError(t *testing.T) {
	r := quietResizer(t, Config{Child: []string{"/no/such/program"}})
	src := given(jpegOf(t, quartered(40, 30)))
	for range 2 {
		if _, err := r.Variant(t.Context(), src, 32, 0); !errors.Is(err, os.ErrNotExist) || isFinal(err) {
			t.Errorf("error %v", err)
		}
	}
}

func TestChildThatViolatesTheProtocolIsReplaced(t *testing.T) {
	for name, script := range map[string]string{
		"no output":        "exit 0",
		"another protocol": "echo HTTP/1.1 200 OK and more of that; cat >/dev/null",
		"too much":         `printf '\000\001\000\000\000\001\000\000\000\377\377\377\377\377\377\377\377'; cat >/dev/null`,
	} {
		r := quietResizer(t, Config{Workers: 1, Child: []string{"/bin/sh", "-c", script}})
		if _, err := r.Variant(t.Context(), given(jpegOf(t, quartered(40, 30))), 32, 0); !errors.Is(err, ErrBroken) {
			t.Errorf("%s: %v", name, err)
		}
		if s := r.Stats(); s.Deaths != 2 {
			t.Errorf("%s: %+v", name, s)
		}
	}
}

// A child can only do what it needs.
func TestChildIsConfined(t *testing.T) {
	t.Setenv("VITRINE_DATABASE_URL", "postgres://secret")
	child := childOf(t, start(t, Config{Workers: 1}))
	read := func(name string) string {
		text, err := os.ReadFile("/proc/" + strconv.Itoa(child.Pid) + "/" + name)
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	if strings.Contains(read("environ"), "secret") {
		t.Error("the child has the parent's environment")
	}
	limits := read("limits")
	for _, line := range []string{"Max file size             0 ", "Max open files            0 ", "Max core file size        0 "} {
		if !strings.Contains(limits, line) {
			t.Errorf("no %q in\n%s", line, limits)
		}
	}
	for line := range strings.Lines(limits) {
		if words := strings.Fields(line); strings.HasPrefix(line, "Max address space") || strings.HasPrefix(line, "Max cpu time") {
			if words[3] == "unlimited" {
				t.Error(line)
			}
		}
	}
	if !strings.Contains(read("status"), "NoNewPrivs:\t1") {
		t.Error("the child may gain privileges")
	}
}

// Libraries for formats that no upload may have, such as ImageMagick, are not even loaded, and
// child processes do not inherit the setting that leaves them out.
func TestModulesOfLibvipsAreLeftOut(t *testing.T) {
	maps, err := os.ReadFile("/proc/self/maps")
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Contains(maps, []byte("libvips.so")) {
		t.Errorf("loaded:\n%s", maps)
	}
	for line := range bytes.Lines(maps) {
		if bytes.Contains(line, []byte("vips-modules")) && !bytes.Contains(line, []byte("/vips-heif.so")) { // which tests load in this process
			t.Errorf("loaded: %s", line)
		}
	}
	if value, set := os.LookupEnv("VIPSHOME"); set {
		t.Errorf("VIPSHOME is %q", value)
	}
}

func TestCloseEndsTheChildren(t *testing.T) {
	r := quietResizer(t, Config{Workers: 1})
	child := childOf(t, r)
	r.Close()
	if err := child.Signal(syscall.Signal(0)); !errors.Is(err, os.ErrProcessDone) {
		t.Errorf("the child is still running: %v", err)
	}
}

func TestRequestsAndAnswersRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := shape{
			width: rapid.IntRange(1, 4096).Draw(t, "width"), height: rapid.IntRange(1, maxHeight).Draw(t, "height"),
			allFrames: rapid.Bool().Draw(t, "all"), orientation: rapid.IntRange(1, 8).Draw(t, "orientation"), quality: rapid.IntRange(0, 95).Draw(t, "q"),
		}
		ask, err := requestOf(nil, Info{Format: rapid.SampledFrom(formats[:]).Draw(t, "format")}, s)
		if err != nil || ask.shape() != s {
			t.Fatalf("%+v became %+v, %v", s, ask.shape(), err)
		}
		made := encoded{body: rapid.SliceOf(rapid.Byte()).Draw(t, "body"), width: s.width, height: s.height}
		var wrong error
		if rapid.Bool().Draw(t, "refused") {
			wrong = rapid.SampledFrom([]error{ErrBroken, ErrTooBig, ErrNotResizable}).Draw(t, "error")
		}
		var pipe bytes.Buffer
		head, body := answerOf(made, wrong)
		if err := send(bufio.NewWriter(&pipe), head, body); err != nil {
			t.Fatal(err)
		}
		var got answer
		if err := binary.Read(&pipe, binary.LittleEndian, &got); err != nil {
			t.Fatal(err)
		}
		picture, refusal, failure := got.outcome(&pipe)
		if failure != nil || !errors.Is(refusal, wrong) ||
			wrong == nil && (!bytes.Equal(picture.body, made.body) || picture.width != made.width) {
			t.Fatalf("%v, %v", refusal, failure)
		}
	})
}

// FuzzAnswer reads answers of a compromised child.
func FuzzAnswer(f *testing.F) {
	var whole bytes.Buffer
	head, body := answerOf(encoded{body: []byte("RIFF"), width: 3, height: 4}, nil)
	if err := send(bufio.NewWriter(&whole), head, body); err != nil {
		f.Fatal(err)
	}
	f.Add(whole.Bytes())
	f.Fuzz(func(t *testing.T, said []byte) {
		r := bytes.NewReader(said)
		var a answer
		if binary.Read(r, binary.LittleEndian, &a) != nil || a.Body > 1<<20 && a.Body <= maxAnswer {
			return
		}
		if _, refusal, failure := a.outcome(r); refusal != nil && !isFinal(refusal) || failure == nil && r.Len() == len(said) {
			t.Errorf("%v, %v", refusal, failure)
		}
	})
}

// FuzzChild reads arbitrary requests.
func FuzzChild(f *testing.F) {
	var whole bytes.Buffer
	file := pngOf(f, quartered(8, 8))
	ask, err := requestOf(file, Info{Format: PNG}, shape{width: 4, height: 4, quality: 80})
	if err != nil {
		f.Fatal(err)
	}
	if err := send(bufio.NewWriter(&whole), ask, file); err != nil {
		f.Fatal(err)
	}
	startVips()
	f.Add(whole.Bytes())
	f.Fuzz(func(t *testing.T, requests []byte) {
		if len(requests) > 8 && binary.LittleEndian.Uint64(requests) > 1<<20 || len(requests) > 1<<12 {
			return
		}
		_ = answerAll(bytes.NewReader(requests), io.Discard) // a truncated request is an error, never a crash
	})
}

// interlacedPNG is a file with four times sixteen bits per pixel in seven passes.
func interlacedPNG(t testing.TB, width, height int) []byte {
	t.Helper()
	out := []byte(pngSignature)
	header := binary.BigEndian.AppendUint32(nil, uint32(width))
	header = binary.BigEndian.AppendUint32(header, uint32(height))
	out = append(out, pngChunk("IHDR", append(header, 16, 6, 0, 0, 1))...)
	out = append(out, pngChunk("IDAT", deflated(t, adam7(image.Pt(width, height), 8)))...)
	return append(out, pngChunk("IEND", nil)...)
}
