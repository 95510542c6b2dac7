package render

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"
)

// The files of the storefront's script are joined into one module, where a name that two
// of them declare ends all of it.
func TestNoNameOfTheScriptIsDeclaredTwice(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("assets/script/*.js")
	if err != nil || len(files) < 2 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	declared := map[string]string{}
	names := regexp.MustCompile(`(?m)^(?:async )?(?:function\*?|const|let|var|class) +([A-Za-z_$][\w$]*)`)
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, found := range names.FindAllStringSubmatch(string(text), -1) {
			if other := declared[found[1]]; other != "" {
				t.Errorf("%s and %s both declare %s", other, file, found[1])
			}
			declared[found[1]] = file
		}
	}
}
