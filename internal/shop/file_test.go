package shop

import "testing"

func TestFilePathReversesFileURL(t *testing.T) {
	for path, address := range map[string]string{"pics/tea.png": "/files/pics/tea.png", "": "/files/", "/files/x": "/files//files/x"} {
		if got := FileURL(path); got != address {
			t.Errorf("%q has the address %q", path, got)
		}
		if got, ours := FilePath(address); got != path || !ours {
			t.Errorf("%q has the path %q %t", address, got, ours)
		}
	}
	for _, other := range []string{"", "/files", "files/x", "/Files/x", "/w/640/webp/x", "https://a.example/files/x"} {
		if got, ours := FilePath(other); ours {
			t.Errorf("%q was accepted as a file: %q", other, got)
		}
	}
}
