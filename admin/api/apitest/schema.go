package apitest

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"vitrine/admin/api"
)

func newChecker(document []byte, table []api.Endpoint) (*checker, error) {
	parsed, err := jsonschema.UnmarshalJSON(bytes.NewReader(document))
	if err != nil {
		return nil, err
	}
	root, ok := parsed.(map[string]any)
	if !ok {
		return nil, fmt.Errorf("the OpenAPI document is not an object")
	}
	c := &checker{document: root, compiler: jsonschema.NewCompiler(), compiled: map[string]*jsonschema.Schema{}, valid: map[checked]bool{}}
	c.compiler.DefaultDraft(jsonschema.Draft2020)
	c.compiler.AssertFormat()
	seal(root)
	if err := c.compiler.AddResource(documentName, root); err != nil {
		return nil, err
	}
	for i := range table {
		c.rows = append(c.rows, checkedRowOf(&table[i]))
	}
	// A router prefers literal segments over named ones.
	slices.SortStableFunc(c.rows, func(x, y checkedRow) int { return y.fixed - x.fixed })
	return c, nil
}

// seal forbids unknown fields in every object of responses, that is, in all schemas except those
// of requests.
func seal(node any) {
	object, ok := node.(map[string]any)
	if !ok {
		if list, ok := node.([]any); ok {
			for _, item := range list {
				seal(item)
			}
		}
		return
	}
	if _, known := object["properties"].(map[string]any); known && object["type"] == "object" && object["additionalProperties"] == nil {
		object["additionalProperties"] = false
	}
	for name, child := range object {
		if name == "requestBody" || name == "example" || name == "examples" || strings.HasSuffix(name, "Input") {
			continue
		}
		seal(child)
	}
}

// response returns the response object of a status and its JSON pointer.
func (c *checker) response(row checkedRow, status int) (object map[string]any, pointer string) {
	pointer = row.pointer() + "/responses/" + strconv.Itoa(status)
	object = c.at(pointer)
	if ref, ok := object["$ref"].(string); ok {
		pointer = strings.TrimPrefix(ref, "#")
		object = c.at(pointer)
	}
	return object, pointer
}

func (c *checker) at(pointer string) map[string]any {
	node := c.document
	for name := range strings.SplitSeq(strings.TrimPrefix(pointer, "/"), "/") {
		node, _ = node[strings.NewReplacer("~1", "/", "~0", "~").Replace(name)].(map[string]any)
	}
	return node
}

func escape(name string) string { return strings.NewReplacer("~", "~0", "/", "~1").Replace(name) }

// large is the length from which a valid body is remembered. The OpenAPI document and the
// guides are the same for all calls, and take most of the time of all checks.
const large = 16 << 10

// validate checks a JSON text against the schema at a pointer of the document.
func (c *checker) validate(pointer string, body []byte) error {
	var sum checked
	if len(body) >= large {
		sum = checked{pointer, sha256.Sum256(body)}
	}
	c.mu.Lock()
	if c.valid[sum] {
		c.mu.Unlock()
		return nil
	}
	compiled, known := c.compiled[pointer]
	if !known {
		var err error
		if compiled, err = c.compiler.Compile(documentName + "#" + pointer); err != nil {
			c.mu.Unlock()
			return err
		}
		c.compiled[pointer] = compiled
	}
	c.mu.Unlock()
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(body))
	if err != nil {
		return err
	}
	if err := compiled.Validate(value); err != nil || len(body) < large {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.valid[sum] = true
	return nil
}
