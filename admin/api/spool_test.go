package api

import (
	"bytes"
	"context"
	"errors"
	"io"
	"testing"

	"vitrine/internal/await"
)

var errSpoolLarge = errors.New("too large")

// spoolOf starts a response; what it writes is released step by step.
func spoolOf(t *testing.T, ctx context.Context, write func(context.Context, io.Writer) error) (*spooled, int, error) {
	t.Helper()
	s, length, err := spool(ctx, 4*spoolHead, errSpoolLarge, write, func(err error) { t.Log("cut off:", err) })
	if err == nil {
		t.Cleanup(func() { _ = s.Close() })
	}
	return s, length, err
}

func TestALongResponseBeginsBeforeItsEndIsWritten(t *testing.T) {
	head, rest, more := bytes.Repeat([]byte("a"), spoolHead), bytes.Repeat([]byte("b"), spoolHead), make(chan struct{})
	s, length, err := spoolOf(t, t.Context(), func(_ context.Context, to io.Writer) error {
		if _, err := to.Write(head); err != nil {
			return err
		}
		<-more
		_, err := to.Write(rest)
		return err
	})
	if err != nil || length != -1 {
		t.Fatal(length, err)
	}
	got := make([]byte, spoolHead)
	if _, err := io.ReadFull(s, got); err != nil || !bytes.Equal(got, head) {
		t.Fatal(err)
	}
	close(more)
	if got, err := io.ReadAll(s); err != nil || !bytes.Equal(got, rest) {
		t.Fatal(len(got), err)
	}
}

func TestAShortResponseHasALengthOrIsRefused(t *testing.T) {
	s, length, err := spoolOf(t, t.Context(), func(_ context.Context, to io.Writer) error {
		_, err := to.Write([]byte("short"))
		return err
	})
	if err != nil || length != 5 {
		t.Fatal(length, err)
	}
	if got, err := io.ReadAll(s); err != nil || string(got) != "short" {
		t.Fatal(string(got), err)
	}
	broken := errors.New("broken")
	if _, _, err := spoolOf(t, t.Context(), func(context.Context, io.Writer) error { return broken }); !errors.Is(err, broken) {
		t.Error(err)
	}
	if _, _, err := spoolOf(t, t.Context(), func(context.Context, io.Writer) error { panic("no") }); err == nil {
		t.Error("a panic is not an error")
	}
}

func TestALongResponseThatFailsIsNotComplete(t *testing.T) {
	begun := make(chan struct{})
	s, _, err := spoolOf(t, t.Context(), func(_ context.Context, to io.Writer) (err error) {
		for err == nil {
			_, err = to.Write(make([]byte, spoolHead))
			<-begun
		}
		return err
	})
	close(begun)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := io.ReadAll(s); !errors.Is(err, errSpoolLarge) || len(got) != 4*spoolHead {
		t.Error(len(got), err)
	}
}

func TestAClosedResponseEndsItsWriter(t *testing.T) {
	ended := make(chan struct{})
	writes := func(ctx context.Context, to io.Writer) error {
		defer close(ended)
		_, err := to.Write(make([]byte, spoolHead))
		<-ctx.Done()
		return errors.Join(err, ctx.Err())
	}
	call, cancel := context.WithCancel(t.Context())
	s, _, err := spoolOf(t, call, writes)
	if err != nil {
		t.Fatal(err)
	}
	cancel() // the call has returned; its response is still sent
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	await.Next(t, ended)
}

func TestACallThatEndsBeforeItsResponseBeginsEndsTheWriter(t *testing.T) {
	call, cancel := context.WithCancel(t.Context())
	_, _, err := spoolOf(t, call, func(ctx context.Context, _ io.Writer) error {
		cancel()
		<-ctx.Done()
		return ctx.Err()
	})
	if !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}
