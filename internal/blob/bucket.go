package blob

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"path"
	"strings"
	"time"

	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"
)

// openTimeout bounds the check at start that the bucket exists.
const openTimeout = 15 * time.Second

// tries is how often a call is made before it fails with ErrUnavailable; the caller waits
// meanwhile.
const tries = 4

// Bucket is a Store in an S3 bucket. An object is written by one PUT, which S3 makes
// visible completely or not at all.
type Bucket struct {
	client *minio.Client
	bucket string
	prefix string
}

var _ Store = (*Bucket)(nil)

// openBucket opens s3://bucket/prefix?endpoint=…&region=…. An endpoint without a scheme
// uses https; the default endpoint is Amazon's.
func openBucket(u *url.URL) (Store, error) {
	for name := range u.Query() {
		if name != "endpoint" && name != "region" {
			return nil, fmt.Errorf("blob: s3 address: unknown option %q", name)
		}
	}
	if u.Host == "" || u.User != nil {
		return nil, errors.New("blob: s3 address: s3://bucket/prefix, credentials from the environment")
	}
	endpoint, secure := endpointOf(u.Query().Get("endpoint"))
	client, err := minio.New(endpoint, &minio.Options{
		Creds: credentials.NewChainCredentials([]credentials.Provider{
			&credentials.EnvAWS{}, &credentials.EnvMinio{}, &credentials.FileAWSCredentials{},
		}),
		Secure:     secure,
		Transport:  stalls(),
		MaxRetries: tries,
		Region:     u.Query().Get("region"),
	})
	if err != nil {
		return nil, fmt.Errorf("blob: s3 endpoint: %w", err)
	}
	b := &Bucket{client: client, bucket: u.Host, prefix: strings.Trim(u.Path, "/")}
	ctx, cancel := context.WithTimeout(context.Background(), openTimeout)
	defer cancel()
	exists, err := client.BucketExists(ctx, b.bucket)
	switch {
	case minio.ToErrorResponse(err).StatusCode == http.StatusForbidden:
		// The credentials may permit access to the objects without the right to list the
		// bucket.
	case err != nil:
		return nil, fmt.Errorf("%w: blob: s3 bucket %s: %w", ErrUnavailable, b.bucket, err)
	case !exists:
		return nil, fmt.Errorf("blob: s3 bucket %s does not exist", b.bucket)
	}
	return b, nil
}

// endpointOf splits an endpoint option into host and port, and whether it uses TLS.
func endpointOf(option string) (host string, secure bool) {
	if option == "" {
		return "s3.amazonaws.com", true
	}
	option = strings.TrimSuffix(option, "/")
	if plain, ok := strings.CutPrefix(option, "http://"); ok {
		return plain, false
	}
	return strings.TrimPrefix(option, "https://"), true
}

// Owner reads the object that Mark has written.
func (b *Bucket) Owner(ctx context.Context) (string, error) {
	call := begin(ctx, 0)
	defer call.end()
	object, err := b.client.GetObject(call, b.bucket, path.Join(b.prefix, ownerFile), minio.GetObjectOptions{})
	if err != nil {
		return "", b.failed("open", ownerFile, err)
	}
	id, err := readOwner(object)
	err = call.answered(err)
	if err = errors.Join(b.failed("open", ownerFile, err), object.Close()); errors.Is(err, ErrNotFound) {
		return "", nil
	}
	return id, err
}

// Mark writes an object of the bucket.
func (b *Bucket) Mark(ctx context.Context, id string) error {
	call := begin(ctx, 0)
	defer call.end()
	_, err := b.client.PutObject(call, b.bucket, path.Join(b.prefix, ownerFile), strings.NewReader(id), int64(len(id)), minio.PutObjectOptions{
		ContentType: "text/plain", DisableMultipart: true,
	})
	return b.failed("put", ownerFile, call.answered(err))
}

// Put stores the content of r, at most limit bytes.
func (b *Bucket) Put(ctx context.Context, r io.Reader, limit int64) (Ref, error) {
	return b.put(ctx, r, atMost(limit))
}

// PutWithNote stores the content of r after note has been called with its Ref.
func (b *Bucket) PutWithNote(ctx context.Context, r io.Reader, limit int64, note func(Ref) error) (Ref, error) {
	return b.put(ctx, r, expectation{limit: limit, note: note})
}

// PutExpect stores the content of r if it has the expected hash and length.
func (b *Bucket) PutExpect(ctx context.Context, r io.Reader, sha string, size int64) error {
	want, err := exactly(sha, size)
	if err != nil {
		return err
	}
	_, err = b.put(ctx, r, want)
	return err
}

// put spools first: the key is the hash, so the upload cannot start before the last byte
// has arrived.
func (b *Bucket) put(ctx context.Context, r io.Reader, want expectation) (ref Ref, err error) {
	spool, err := os.CreateTemp("", "vitrine-spool-")
	if err != nil {
		return Ref{}, wrapAway(fmt.Errorf("blob: %w", err))
	}
	defer func() { err = errors.Join(err, spool.Close()) }()
	// The unlinked file remains usable and disappears with the process.
	if err := os.Remove(spool.Name()); err != nil {
		return Ref{}, wrapAway(fmt.Errorf("blob: %w", err))
	}
	ref, err = want.take(ctx, spool, r)
	if err != nil {
		return Ref{}, err
	}
	if _, err := spool.Seek(0, io.SeekStart); err != nil {
		return Ref{}, wrapAway(fmt.Errorf("blob: %w", err))
	}
	call := begin(ctx, ref.Size)
	defer call.end()
	_, err = b.client.PutObject(call, b.bucket, b.key(ref.SHA256), spool, ref.Size, minio.PutObjectOptions{
		ContentType:      "application/octet-stream",
		DisableMultipart: true, // one PUT can be up to 5 GB, and leaves no parts behind if it fails
	})
	if err = call.answered(err); err != nil {
		return Ref{}, wrapAway(fmt.Errorf("blob: s3 put %s: %w", ref.SHA256, err))
	}
	return ref, nil
}

// Open requests the length and returns a reader that fetches from its current offset; a
// seek costs a new request at the next read.
func (b *Bucket) Open(ctx context.Context, sha string) (io.ReadSeekCloser, int64, error) {
	if err := CheckName(sha); err != nil {
		return nil, 0, err
	}
	call := begin(ctx, 0)
	object, err := b.client.GetObject(call, b.bucket, b.key(sha), minio.GetObjectOptions{})
	if err != nil {
		call.end()
		return nil, 0, b.failed("open", sha, err)
	}
	info, err := object.Stat()
	if err = call.answered(err); err != nil {
		defer call.end()
		return nil, 0, errors.Join(b.failed("open", sha, err), object.Close())
	}
	return fetched{object, call}, info.Size, nil
}

// fetched is an object that is read over the network.
type fetched struct {
	*minio.Object
	call *call
}

func (f fetched) Close() error {
	defer f.call.end()
	return f.Object.Close()
}

func (f fetched) Read(p []byte) (int, error) {
	n, err := f.Object.Read(p)
	if errors.Is(err, io.EOF) {
		return n, io.EOF
	}
	return n, wrapAway(err)
}

// ReadAll returns the whole object after verifying it.
func (b *Bucket) ReadAll(ctx context.Context, sha string, max int64) ([]byte, error) {
	return readAll(ctx, b, sha, max)
}

// Has requests the object's headers.
func (b *Bucket) Has(ctx context.Context, sha string) (bool, error) {
	if err := CheckName(sha); err != nil {
		return false, err
	}
	_, err := b.stat(ctx, sha)
	if errors.Is(err, ErrNotFound) {
		return false, nil
	}
	return err == nil, err
}

func (b *Bucket) stat(ctx context.Context, sha string) (minio.ObjectInfo, error) {
	call := begin(ctx, 0)
	defer call.end()
	info, err := b.client.StatObject(call, b.bucket, b.key(sha), minio.StatObjectOptions{})
	return info, b.failed("stat", sha, call.answered(err))
}

// Each lists the keys of a shard. Each page of the listing is a call.
func (b *Bucket) Each(ctx context.Context, shard string, visit func(sha string, put time.Time) error) error {
	call := begin(ctx, 0)
	defer call.end() // ends a listing that is not read to its end
	prefix := path.Join(b.prefix, "sha256", shard) + "/"
	for object := range b.client.ListObjects(call, b.bucket, minio.ListObjectsOptions{Prefix: prefix}) {
		if err := call.answered(object.Err); err != nil {
			return b.failed("list", shard, err)
		}
		if sha := path.Base(object.Key); CheckName(sha) == nil {
			if err := visit(sha, object.LastModified); err != nil {
				return err
			}
		}
		call.timer.Reset(callTime)
	}
	return call.answered(call.Err())
}

// Collect removes the version whose age it has checked. In a bucket without versioning
// there is only one, and a Put between the check and the removal would be lost; versioning
// closes that gap.
func (b *Bucket) Collect(ctx context.Context, sha string, before time.Time) (gone bool, err error) {
	if err := CheckName(sha); err != nil {
		return false, err
	}
	info, err := b.stat(ctx, sha)
	if errors.Is(err, ErrNotFound) {
		return false, nil
	}
	if err != nil || !info.LastModified.Before(before) {
		return false, err
	}
	call := begin(ctx, 0)
	defer call.end()
	err = b.failed("delete", sha, call.answered(b.client.RemoveObject(call, b.bucket, b.key(sha), minio.RemoveObjectOptions{VersionID: info.VersionID})))
	return err == nil, err
}

// RemoveStale does nothing: an object is written by one PUT, and a spool file is unlinked.
func (b *Bucket) RemoveStale(context.Context, time.Time) error { return nil }

func (b *Bucket) key(sha string) string { return path.Join(b.prefix, "sha256", sha[:2], sha) }

// failed wraps an S3 error; nil stays nil.
func (b *Bucket) failed(verb, sha string, err error) error {
	switch {
	case err == nil:
		return nil
	case minio.ToErrorResponse(err).Code == minio.NoSuchKey:
		return fmt.Errorf("%w: %s", ErrNotFound, sha)
	}
	return wrapAway(fmt.Errorf("blob: s3 %s %s: %w", verb, sha, err))
}
