package blob

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// fakeS3 answers the six calls that Bucket makes, over real HTTP, for one
// bucket named "shop". It checks no signatures.
type fakeS3 struct {
	mu      sync.Mutex
	objects map[string][]byte
	put     map[string]time.Time
}

func (f *fakeS3) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	f.mu.Lock()
	defer f.mu.Unlock()
	bucket, key, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
	if bucket != "shop" {
		refuse(w, http.StatusNotFound, "NoSuchBucket")
		return
	}
	if _, asked := r.URL.Query()["location"]; asked {
		fmt.Fprint(w, `<LocationConstraint xmlns="http://s3.amazonaws.com/doc/2006-03-01/"></LocationConstraint>`)
		return
	}
	content, found := f.objects[key]
	switch {
	case r.URL.Query().Get("list-type") == "2":
		f.listing(w, r.URL.Query().Get("prefix"))
	case key == "":
		w.WriteHeader(http.StatusOK)
	case r.Method == http.MethodPut:
		body, err := putBody(r)
		if err != nil {
			refuse(w, http.StatusBadRequest, "IncompleteBody")
			return
		}
		f.objects[key], f.put[key] = body, time.Now().UTC().Truncate(time.Second)
		w.Header().Set("ETag", `"`+Sum(body)[:32]+`"`)
	case r.Method == http.MethodDelete:
		delete(f.objects, key)
		w.WriteHeader(http.StatusNoContent)
	case !found:
		refuse(w, http.StatusNotFound, "NoSuchKey")
	default:
		w.Header().Set("ETag", `"`+Sum(content)[:32]+`"`)
		http.ServeContent(w, r, "", f.put[key], bytes.NewReader(content))
	}
}

func (f *fakeS3) listing(w http.ResponseWriter, prefix string) {
	fmt.Fprint(w, `<ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/"><IsTruncated>false</IsTruncated>`)
	for key, content := range f.objects {
		if strings.HasPrefix(key, prefix) {
			fmt.Fprintf(w, `<Contents><Key>%s</Key><LastModified>%s</LastModified><Size>%d</Size></Contents>`,
				key, f.put[key].UTC().Format("2006-01-02T15:04:05.000Z"), len(content))
		}
	}
	fmt.Fprint(w, `</ListBucketResult>`)
}

func refuse(w http.ResponseWriter, status int, code string) {
	w.Header().Set("Content-Type", "application/xml")
	w.WriteHeader(status)
	fmt.Fprintf(w, "<Error><Code>%s</Code></Error>", code)
}

// putBody undoes the aws-chunked framing that clients sign plain HTTP with:
// "<hex length>;chunk-signature=…\r\n<bytes>\r\n", ended by a chunk of length 0.
func putBody(r *http.Request) ([]byte, error) {
	if !strings.HasPrefix(r.Header.Get("X-Amz-Content-Sha256"), "STREAMING-") {
		return io.ReadAll(r.Body)
	}
	in, body := bufio.NewReader(r.Body), []byte(nil)
	for {
		line, err := in.ReadString('\n')
		if err != nil {
			return nil, err
		}
		size, _, _ := strings.Cut(strings.TrimSpace(line), ";")
		n, err := strconv.ParseInt(size, 16, 32)
		if err != nil {
			return nil, err
		}
		if n == 0 {
			return body, nil
		}
		chunk := make([]byte, n+2)
		if _, err := io.ReadFull(in, chunk); err != nil {
			return nil, err
		}
		body = append(body, chunk[:n]...)
	}
}

// startFakeS3 returns the fake and the address that opens it.
func startFakeS3(t testing.TB) (*fakeS3, string) {
	t.Helper()
	t.Setenv("AWS_ACCESS_KEY_ID", "test")
	t.Setenv("AWS_SECRET_ACCESS_KEY", "test-secret")
	t.Setenv("TMPDIR", t.TempDir())
	fake := &fakeS3{objects: map[string][]byte{}, put: map[string]time.Time{}}
	server := httptest.NewServer(fake)
	t.Cleanup(server.Close)
	return fake, "s3://shop/some/prefix?endpoint=" + server.URL
}

func openTestBucket(t testing.TB) home {
	t.Helper()
	fake, address := startFakeS3(t)
	s, err := Open(address)
	if err != nil {
		t.Fatal(err)
	}
	return home{
		Store: s,
		list: func() []string {
			fake.mu.Lock()
			defer fake.mu.Unlock()
			return append(slices.Collect(maps.Keys(fake.objects)), filesBelow(t, os.TempDir())...)
		},
		spit: func(sha string, content []byte) {
			fake.mu.Lock()
			defer fake.mu.Unlock()
			fake.objects[s.(*Bucket).key(sha)] = content
		},
		age: func(sha string, put time.Time) {
			fake.mu.Lock()
			defer fake.mu.Unlock()
			fake.put[s.(*Bucket).key(sha)] = put
		},
	}
}

func TestKeysStandBelowThePrefix(t *testing.T) {
	s := openTestBucket(t)
	mustPut(t, s, "hello")
	if got := s.list(); len(got) != 1 || got[0] != "some/prefix/sha256/2c/"+helloSHA {
		t.Errorf("keys %v", got)
	}
}

func TestUnknownBucketFailsAtOpen(t *testing.T) {
	_, address := startFakeS3(t)
	if _, err := Open(strings.Replace(address, "//shop", "//other", 1)); err == nil {
		t.Error("a bucket that does not exist was opened")
	}
}

func TestEndpointOption(t *testing.T) {
	for option, want := range map[string]string{
		"": "s3.amazonaws.com true", "minio:9000": "minio:9000 true", "http://minio:9000/": "minio:9000 false",
		"https://s3.example.test": "s3.example.test true",
	} {
		if host, secure := endpointOf(option); fmt.Sprint(host, " ", secure) != want {
			t.Errorf("%q: %s %v, want %s", option, host, secure, want)
		}
	}
}
