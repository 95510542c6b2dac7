package secret

import "testing"

func TestCodeAndItsHash(t *testing.T) {
	for range 100 {
		if code := NewCode(); !IsCode(code) {
			t.Errorf("%q", code)
		}
	}
	for _, text := range []string{"", "12345", "1234567", "12345a", "+12345", "１２"} {
		if IsCode(text) {
			t.Errorf("%q is accepted as a code", text)
		}
	}
	a := CodeHash("000001", []byte("one"))
	if !Equal(a, CodeHash("000001", []byte("one"))) || Equal(a, CodeHash("000001", []byte("two"))) ||
		Equal(a, CodeHash("000002", []byte("one"))) {
		t.Error("the hash does not depend on exactly the code and the secret")
	}
}
