package edge

import (
	"strconv"
	"testing"

	"vitrine/internal/shop"
)

// Many releases visited once do not evict one that is visited constantly.
func TestManifestInUseIsNotEvicted(t *testing.T) {
	files := map[string]File{}
	for i := range maxManifestFiles / 4 {
		files[strconv.Itoa(i)] = File{}
	}
	var s Server
	s.manifests.init()
	busy := programKey{company: 1}
	s.manifests.put(busy, &manifest{files: files})
	for id := range shop.CompanyID(50) {
		s.manifests.put(programKey{company: 2 + id}, &manifest{files: files})
		if s.manifests.find(busy) == nil {
			t.Fatalf("evicted after %d others", id+1)
		}
	}
	if s.manifests.find(programKey{company: 2}) != nil {
		t.Error("nothing was evicted")
	}
}
