package gate

import (
	"net"
	"strings"
	"testing"
)

// recorder is a connection that records writes.
type recorder struct {
	net.Conn
	writes []string
}

func (r *recorder) Write(p []byte) (int, error) {
	r.writes = append(r.writes, string(p))
	return len(p), nil
}

func TestJoinedWritesAreSentTogether(t *testing.T) {
	r := &recorder{}
	c := &Conn{Conn: r}
	buffer := []byte("head")
	write := func(p []byte, want int) {
		t.Helper()
		if n, err := c.Write(p); n != want || err != nil {
			t.Fatalf("Write: %d, %v", n, err)
		}
	}
	c.Join()
	write(buffer, 4)
	if len(r.writes) != 0 {
		t.Fatal("the first half was sent separately")
	}
	copy(buffer, "XXXX") // bufio reuses its buffer
	write([]byte("body"), 4)
	write([]byte("next"), 4)
	if got := strings.Join(r.writes, "|"); got != "head|body|next" {
		t.Errorf("%s", got)
	}
}
