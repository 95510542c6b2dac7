package movein_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"vitrine/compile/movein"
	"vitrine/internal/golden"
)

var update = flag.Bool("update", false, "write the plans of testdata/movein")

// Exports with the columns of each system become the plan beside them.
func TestExportsBecomeTheirPlan(t *testing.T) {
	const root = "../../testdata/movein"
	systems, err := os.ReadDir(root)
	if err != nil || len(systems) < 16 {
		t.Fatalf("%d systems, %v", len(systems), err)
	}
	for _, system := range systems {
		t.Run(system.Name(), func(t *testing.T) {
			folder := filepath.Join(root, system.Name())
			entries, err := os.ReadDir(folder)
			if err != nil {
				t.Fatal(err)
			}
			var files []movein.File
			for _, entry := range entries {
				if entry.Name() == "plan.txt" {
					continue
				}
				files = append(files, movein.File{Name: entry.Name(), Open: func() (io.ReadCloser, error) { return os.Open(filepath.Join(folder, entry.Name())) }})
			}
			plan, err := loaded(movein.Read(files, eur, map[string]string{"address": "https://old.example"}, newSpool()))
			if err != nil {
				t.Fatal(err)
			}
			text := written(t, plan)
			file := filepath.Join(folder, "plan.txt")
			if *update {
				if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			golden.File(t, file, text)
		})
	}
}

// written writes a plan, one object a line.
func written(t *testing.T, plan *movein.Plan) string {
	var b strings.Builder
	put := func(kind, key string, object any) {
		text, err := json.Marshal(object)
		if err != nil {
			t.Fatal(err)
		}
		var fields map[string]any
		if err := json.Unmarshal(text, &fields); err != nil {
			t.Fatal(err)
		}
		var out bytes.Buffer
		encoder := json.NewEncoder(&out)
		encoder.SetEscapeHTML(false)
		if err := encoder.Encode(shown(fields)); err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&b, "%s %s: %s", kind, key, out.String())
	}
	put("plan", string(plan.System), plan.Counts())
	for _, one := range plan.Sections {
		put("section", one.Key, one)
	}
	for _, one := range plan.Products {
		put("product", one.Key, one)
	}
	for _, one := range plan.Customers {
		put("customer", one.Key, one)
	}
	for _, one := range plan.Articles {
		put("article", one.Key, one)
	}
	for _, one := range plan.Pages {
		put("page", one.Key, one)
	}
	for _, one := range plan.Redirects {
		put("redirect", one.From, one)
	}
	for _, one := range plan.Losses {
		put("loss", one.What, one)
	}
	for _, one := range plan.Questions {
		put("question", one.Key, one)
	}
	for i, one := range plan.Rows {
		put("row", fmt.Sprint(i+1), one)
	}
	return b.String()
}

// shown leaves out what is empty.
func shown(value any) any {
	switch v := value.(type) {
	case map[string]any:
		for key, one := range v {
			if one = shown(one); one == nil || one == "" || one == 0.0 {
				delete(v, key)
			} else {
				v[key] = one
			}
		}
		if len(v) == 0 {
			return nil
		}
	case []any:
		if len(v) == 0 {
			return nil
		}
		for i := range v {
			if one := shown(v[i]); one != nil {
				v[i] = one
			}
		}
	}
	return value
}
