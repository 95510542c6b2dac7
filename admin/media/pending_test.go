package media_test

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"vitrine/admin/api/apitest"
	"vitrine/internal/blob"
	"vitrine/internal/store"
	companydb "vitrine/internal/store/company"
	mediadb "vitrine/internal/store/media"
)

// lying is how many bytes lie in the blob store, whoever they belong to.
func (l library) lying() (bytes int64) {
	l.t.Helper()
	for shard := range blob.Shards() {
		err := l.Blobs.Each(context.Background(), shard, func(sha string, _ time.Time) error {
			body, size, err := l.Blobs.Open(context.Background(), sha)
			if err == nil {
				bytes += size
				err = body.Close()
			}
			return err
		})
		if err != nil {
			l.t.Fatal(err)
		}
	}
	return bytes
}

// pending is what the shop is told about its bytes that nothing holds yet.
func (l library) pending() string {
	l.t.Helper()
	return fmt.Sprint(l.Result("GET", "/tariff/usage", l.Owner, nil)["storage_bytes"].(apitest.Map)["pending"])
}

// sheet is a file of a size, unlike those of other seeds.
func sheet(seed byte, size int) []byte {
	return append([]byte("%PDF-1.7 "), bytes.Repeat([]byte{'a' + seed}, size-9)...)
}

func TestTenBodiesToOneAddressLeaveOne(t *testing.T) {
	t.Parallel()
	l := open(t)
	u := l.announce("file", "a.pdf")
	const size = 20 << 20
	for i := range byte(10) {
		l.put(u, sheet(i, size))
		if got := l.lying(); got != size {
			t.Fatalf("after %d bodies %d MiB lie on disk", i+1, got>>20)
		}
	}
	if got := l.pending(); got != fmt.Sprint(size) {
		t.Errorf("the shop is told of %s pending bytes", got)
	}
	l.done(u)
	if got := l.pending(); got != "0" || l.used() != size {
		t.Errorf("%s bytes pending and %d used when the upload is confirmed", got, l.used())
	}
}

func TestPendingBytesCountAgainstThePlan(t *testing.T) {
	t.Parallel()
	l := open(t)
	l.Limit(companydb.Limits{store.LimitStorage: 2500})
	first, second, third := l.announce("file", "a.pdf"), l.announce("file", "b.pdf"), l.announce("file", "c.pdf")
	l.put(first, sheet(1, 1000))
	l.put(second, sheet(2, 1000))
	answer := l.Refused("PUT", third.url, "", sheet(3, 1000), 429, "STORAGE_LIMIT_REACHED")
	if answer["limit_code"] != "storage_bytes" || l.lying() != 2000 {
		t.Errorf("%v, %d bytes on disk", answer, l.lying())
	}
	l.put(third, sheet(3, 500))
	l.Refused(
		"POST", "/v1/storages/files", l.Owner,
		apitest.Map{"section": "products", "file_type": "file", "original_name": "d.pdf"}, 429, "STORAGE_LIMIT_REACHED",
	)
	l.OK("DELETE", "/v1/storages/files/"+second.id, l.Owner, nil)
	if got := l.pending(); got != "1500" || l.lying() != 1500 {
		t.Errorf("%s bytes pending, %d on disk after one upload was given up", got, l.lying())
	}
	l.done(first)
	l.done(third)
	l.Refused("PUT", l.announce("file", "e.pdf").url, "", sheet(5, 1001), 429, "STORAGE_LIMIT_REACHED")
}

// However many come at once, what lies on disk fits.
func TestAHundredUploadsAtTheEdgeOfThePlan(t *testing.T) {
	t.Parallel()
	l := open(t)
	const size, room = 1000, 7
	uploads := make([]apitest.Request, 100)
	for i := range uploads {
		uploads[i] = apitest.Request{Method: "PUT", Path: l.announce("file", "a.pdf").url, Body: sheet(byte(i), size)}
		if i%40 == 39 {
			l.Clock.Advance(time.Minute) // of the rate limits
		}
	}
	l.Clock.Advance(time.Minute)
	l.Limit(companydb.Limits{store.LimitStorage: room*size + size/2})
	codes := apitest.Codes(l.AtOnce(uploads...))
	if codes[""] != room || codes["STORAGE_LIMIT_REACHED"] != len(uploads)-room {
		t.Errorf("%v", codes)
	}
	if l.lying() != room*size || l.pending() != fmt.Sprint(room*size) {
		t.Errorf("%d bytes on disk, %s pending", l.lying(), l.pending())
	}
}

// A body whose length nobody announced gets the room that is left, and is
// refused when that does not do.
func TestAnUploadOfUnknownLengthStaysInItsRoom(t *testing.T) {
	t.Parallel()
	l := open(t)
	l.Limit(companydb.Limits{store.LimitStorage: 1500})
	chunked := func(size int) apitest.Answer {
		return l.Send(
			apitest.Request{
				Method: "PUT", Path: l.announce("file", "a.pdf").url,
				Body: struct{ *strings.Reader }{strings.NewReader(string(sheet(1, size)))},
			},
		)
	}
	if got := chunked(1501); got.Status != 429 || l.lying() != 0 || l.pending() != "0" {
		t.Errorf("%d %s, %d bytes on disk, %s pending", got.Status, got.Body, l.lying(), l.pending())
	}
	if got := chunked(1500); got.Status != 200 || l.pending() != "1500" {
		t.Errorf("%d %s, %s pending", got.Status, got.Body, l.pending())
	}
}

// A shop without a plan limit may not fill the disk with what it never confirms.
func TestPendingBytesHaveACapOfTheirOwn(t *testing.T) {
	t.Parallel()
	l := open(t)
	if err := mediadb.Reserve(t.Context(), l.Store, l.Shop.ID, []mediadb.Reserved{{Size: mediadb.MaxPendingBytes - 1000}}, l.Clock.Now().Add(time.Hour)); err != nil {
		t.Fatal(err)
	}
	l.Refused("PUT", l.announce("file", "a.pdf").url, "", sheet(1, 1001), 429, "STORAGE_LIMIT_REACHED")
	u := l.announce("file", "b.pdf")
	l.put(u, sheet(1, 1000))
	l.done(u) // confirmed bytes are the plan's
	l.put(l.announce("file", "c.pdf"), sheet(2, 1000))
}
