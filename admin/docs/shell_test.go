package docs_test

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"vitrine/admin/api/apitest"
)

// shell runs the examples of guides without a real shell. It supports assignments, curl with the
// options -s -H -X -d -T -F -b -c, and a pipe into jq. Anything else is a failure, so that guides
// only use what is tested.
type shell struct {
	t     *testing.T
	api   *apitest.API
	docs  harness // serves the endpoints of this package
	vars  map[string]string
	files map[string]string
}

var assignment = regexp.MustCompile(`^([A-Z]+)=\$\((.*)\)$`)

// run executes the lines of a fenced block.
func (s *shell) run(script string) {
	s.t.Helper()
	begun := ""
	for line := range strings.Lines(strings.NewReplacer("'\\\n'", "", "\\\n", " ").Replace(script)) {
		if begun += line; !strings.HasPrefix(begun, "#") && strings.Count(begun, "'")%2 == 1 {
			continue // a quoted text goes on in the next line
		}
		line, begun = strings.TrimSpace(begun), ""
		m := assignment.FindStringSubmatch(line)
		switch {
		case line == "", strings.HasPrefix(line, "#"), strings.HasPrefix(line, "export "), strings.HasPrefix(line, "bin/vitrine "):
		case m != nil:
			if s.vars[m[1]] = s.pipe(m[2]); s.vars[m[1]] == "" || s.vars[m[1]] == "null" {
				s.t.Errorf("%s has an empty result", line)
			}
		default:
			s.pipe(line)
		}
	}
}

// pipe runs commands one after another, each with the output of the previous one as input.
func (s *shell) pipe(line string) (out string) {
	s.t.Helper()
	var commands [][]string
	words := s.words(line)
	for start, i := 0, 0; i <= len(words); i++ {
		if i == len(words) || words[i] == "|" {
			commands = append(commands, words[start:i])
			start = i + 1
		}
	}
	for _, c := range commands {
		out = s.command(line, c, out)
	}
	return out
}

func (s *shell) command(line string, words []string, in string) string {
	s.t.Helper()
	switch {
	case words[0] == "curl":
		return s.curl(line, words[1:])
	case words[0] == "jq" && len(words) == 3 && words[1] == "-r":
		return s.jq(words[2], in)
	case words[0] == "echo" && len(words) == 2:
		return words[1]
	case strings.Join(words[:2], " ") == "sha256sum <":
		sum := sha256.Sum256([]byte(s.files[words[2]]))
		return hex.EncodeToString(sum[:]) + "  -"
	case strings.Join(words, " ") == "cut -c1-64":
		return in[:64]
	case strings.Join(words[:3], " ") == "wc -c <":
		return strconv.Itoa(len(s.files[words[3]]))
	}
	s.t.Fatalf("no such command: %s", line)
	return ""
}

// words splits a line like a shell: quotes, variables, adjacent pieces.
func (s *shell) words(line string) (list []string) {
	var word strings.Builder
	begun := false
	for i := 0; i < len(line); i++ {
		switch c := line[i]; c {
		case ' ':
			if begun {
				list = append(list, word.String())
				word.Reset()
			}
			begun = false
		case '\'', '"':
			end := i + 1 + strings.IndexByte(line[i+1:], c)
			if end <= i {
				s.t.Fatalf("unterminated quote: %s", line)
			}
			text := line[i+1 : end]
			if c == '"' {
				text = s.expand(text)
			}
			word.WriteString(text)
			begun, i = true, end
		case '$':
			end := i + 1
			for end < len(line) && (line[end] == '_' || line[end] >= 'A' && line[end] <= 'Z') {
				end++
			}
			word.WriteString(s.expand(line[i:end]))
			begun, i = true, end-1
		default:
			word.WriteByte(c)
			begun = true
		}
	}
	if begun {
		list = append(list, word.String())
	}
	return list
}

var variable = regexp.MustCompile(`\$[A-Z]+`)

func (s *shell) expand(text string) string {
	return variable.ReplaceAllStringFunc(text, func(name string) string {
		value, known := s.vars[name[1:]]
		if !known {
			s.t.Errorf("%s is not set", name)
		}
		return value
	})
}

func (s *shell) curl(line string, words []string) string {
	s.t.Helper()
	r := apitest.Request{Method: "GET", Header: map[string]string{}}
	method, jar := "", ""
	for i := 0; i < len(words); i++ {
		option := words[i]
		if strings.HasPrefix(option, "-") && option != "-s" {
			i++
		}
		switch option {
		case "-s":
		case "-H":
			name, value, _ := strings.Cut(words[i], ": ")
			r.Header[name] = value
		case "-X":
			method = words[i]
		case "-d":
			r.Method, r.Body = "POST", words[i]
			if !json.Valid([]byte(words[i])) {
				s.t.Errorf("no JSON: %s", words[i])
			}
		case "-T":
			r.Method, r.Body = "PUT", s.files[words[i]]
		case "-b":
			r.Header["Cookie"] = s.files[words[i]]
		case "-c":
			jar = words[i]
		case "-F":
			r.Method, r.Body = "POST", s.form(words[i], r.Header)
		default:
			r.Path = option
		}
	}
	if method != "" {
		r.Method = method
	}
	if path, own := strings.CutPrefix(r.Path, adminURL+"/docs/"); own {
		body, _ := r.Body.(string)
		a := s.docs.call(r.Method, "/docs/"+path, "", body)
		if a.status != 200 {
			s.t.Errorf("%s\n%d %s", line, a.status, a.body)
		}
		return a.body
	}
	if _, path, host := strings.Cut(r.Path, ".shops.test/"); host {
		r.Path = "/" + strings.TrimPrefix(path, "api/")
		maps.Copy(r.Header, s.api.ThroughStorefront())
	}
	s.api.Clock.Advance(1e9)
	a := s.api.Send(r)
	if jar != "" {
		s.files[jar], _, _ = strings.Cut(a.Header.Get("Set-Cookie"), ";")
	}
	if a.Status >= 300 || a.Status < 200 {
		s.t.Errorf("%s\n%d %s", line, a.Status, a.Body)
	}
	return string(a.Body)
}

// form returns a multipart body with one file, given as "file=@name".
func (s *shell) form(field string, header map[string]string) string {
	name, file, _ := strings.Cut(field, "=@")
	header["Content-Type"] = "multipart/form-data; boundary=b"
	return "--b\r\nContent-Disposition: form-data; name=\"" + name + "\"; filename=\"" + file + "\"\r\n\r\n" + s.files[file] + "\r\n--b--\r\n"
}

var jqStep = regexp.MustCompile(`\.([a-z_]+)|\[(\d+)\]`)

func (s *shell) jq(path, in string) string {
	s.t.Helper()
	var value any
	if err := json.Unmarshal([]byte(in), &value); err != nil {
		s.t.Errorf("jq %s: %v: %.200s", path, err, in)
		return ""
	}
	for _, step := range jqStep.FindAllStringSubmatch(path, -1) {
		if object, ok := value.(map[string]any); ok && step[1] != "" {
			value = object[step[1]]
		} else if list, ok := value.([]any); ok && step[2] == "0" && len(list) > 0 {
			value = list[0]
		} else {
			s.t.Errorf("jq %s: no such value: %.200s", path, in)
			return ""
		}
	}
	if n, ok := value.(float64); ok {
		return strconv.FormatFloat(n, 'f', -1, 64)
	}
	return fmt.Sprint(value)
}
