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

// blobBytes returns how many bytes are in the blob store, of all shops.
func (l library) blobBytes() (bytes int64) {
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

// pending returns the number of pending bytes reported to the shop.
func (l library) pending() string {
	l.t.Helper()
	return fmt.Sprint(l.Result("GET", "/tariff/usage", l.Owner, nil)["storage_bytes"].(apitest.Map)["pending"])
}

// pdfOfSize returns a file of a given size; different seeds give different contents.
func pdfOfSize(seed byte, size int) []byte {
	return append([]byte("%PDF-1.7 "), bytes.Repeat([]byte{'a' + seed}, size-9)...)
}

func TestTenBodiesToOneUploadURLLeaveOne(t *testing.T) {
	t.Parallel()
	l := open(t)
	u := l.announce("file", "a.pdf")
	const size = 20 << 20
	for i := range byte(10) {
		l.put(u, pdfOfSize(i, size))
		if got := l.blobBytes(); got != size {
			t.Fatalf("after %d bodies %d MiB are on disk", i+1, got>>20)
		}
	}
	if got := l.pending(); got != fmt.Sprint(size) {
		t.Errorf("%s pending bytes are reported to the shop", got)
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
	l.put(first, pdfOfSize(1, 1000))
	l.put(second, pdfOfSize(2, 1000))
	answer := l.Refused("PUT", third.url, "", pdfOfSize(3, 1000), 429, "STORAGE_LIMIT_REACHED")
	if answer["limit_code"] != "storage_bytes" || l.blobBytes() != 2000 {
		t.Errorf("%v, %d bytes on disk", answer, l.blobBytes())
	}
	l.put(third, pdfOfSize(3, 500))
	l.Refused(
		"POST", "/v1/storages/files", l.Owner,
		apitest.Map{"section": "products", "file_type": "file", "original_name": "d.pdf"}, 429, "STORAGE_LIMIT_REACHED",
	)
	l.OK("DELETE", "/v1/storages/files/"+second.id, l.Owner, nil)
	if got := l.pending(); got != "1500" || l.blobBytes() != 1500 {
		t.Errorf("%s bytes pending, %d on disk after one upload expired", got, l.blobBytes())
	}
	l.done(first)
	l.done(third)
	l.Refused("PUT", l.announce("file", "e.pdf").url, "", pdfOfSize(5, 1001), 429, "STORAGE_LIMIT_REACHED")
}

// Concurrent uploads never store more bytes than the plan allows.
func TestConcurrentUploadsStayWithinThePlan(t *testing.T) {
	t.Parallel()
	l := open(t)
	const size, fitting = 1000, 7
	uploads := make([]apitest.Request, 100)
	for i := range uploads {
		uploads[i] = apitest.Request{Method: "PUT", Path: l.announce("file", "a.pdf").url, Body: pdfOfSize(byte(i), size)}
		if i%40 == 39 {
			l.Clock.Advance(time.Minute) // a new window of the rate limits
		}
	}
	l.Clock.Advance(time.Minute)
	l.Limit(companydb.Limits{store.LimitStorage: fitting*size + size/2})
	codes := apitest.Codes(l.AtOnce(uploads...))
	if codes[""] != fitting || codes["STORAGE_LIMIT_REACHED"] != len(uploads)-fitting {
		t.Errorf("%v", codes)
	}
	if l.blobBytes() != fitting*size || l.pending() != fmt.Sprint(fitting*size) {
		t.Errorf("%d bytes on disk, %s pending", l.blobBytes(), l.pending())
	}
}

// A body without a Content-Length gets a reservation of all free storage, and is refused if it
// exceeds that.
func TestAnUploadOfUnknownLengthStaysWithinItsReservation(t *testing.T) {
	t.Parallel()
	l := open(t)
	l.Limit(companydb.Limits{store.LimitStorage: 1500})
	chunked := func(size int) apitest.Answer {
		return l.Send(
			apitest.Request{
				Method: "PUT", Path: l.announce("file", "a.pdf").url,
				Body: struct{ *strings.Reader }{strings.NewReader(string(pdfOfSize(1, size)))},
			},
		)
	}
	if got := chunked(1501); got.Status != 429 || l.blobBytes() != 0 || l.pending() != "0" {
		t.Errorf("%d %s, %d bytes on disk, %s pending", got.Status, got.Body, l.blobBytes(), l.pending())
	}
	if got := chunked(1500); got.Status != 200 || l.pending() != "1500" {
		t.Errorf("%d %s, %s pending", got.Status, got.Body, l.pending())
	}
}

// The pending bytes of a shop are limited even if its plan has no storage limit.
func TestPendingBytesHaveTheirOwnLimit(t *testing.T) {
	t.Parallel()
	l := open(t)
	if err := mediadb.Reserve(t.Context(), l.Store, l.Shop.ID, []mediadb.Reservation{{Size: mediadb.MaxPendingBytes - 1000}}, time.Hour); err != nil {
		t.Fatal(err)
	}
	l.Refused("PUT", l.announce("file", "a.pdf").url, "", pdfOfSize(1, 1001), 429, "STORAGE_LIMIT_REACHED")
	u := l.announce("file", "b.pdf")
	l.put(u, pdfOfSize(1, 1000))
	l.done(u) // confirmed bytes count against the plan instead
	l.put(l.announce("file", "c.pdf"), pdfOfSize(2, 1000))
}
