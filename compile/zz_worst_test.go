package compile
import ("testing";"fmt";"time";"vitrine/compile/redirect")
func TestWorst(t *testing.T) {
	sets := map[string]func() []redirect.Rule{
		"one key": func() (l []redirect.Rule) { for i := range 20000 { r := rule(i, redirect.Exact, "/index.php", fmt.Sprintf("/t%d", i%100)); r.QueryMatch = fmt.Sprintf("id=%d", i); l = append(l, r) }; return },
		"onto one key": func() (l []redirect.Rule) { for i := range 10000 { r := rule(i, redirect.Exact, "/index.php", fmt.Sprintf("/t%d", i%100)); r.QueryMatch = fmt.Sprintf("id=%d", i); l = append(l, r); l = append(l, rule(10000+i, redirect.Exact, fmt.Sprintf("/x%d", i), "/index.php")) }; return },
		"meeting": func() (l []redirect.Rule) { for i := range 200 { l = append(l, rule(i, redirect.Pattern, fmt.Sprintf("/*/a%d*", i), fmt.Sprintf("/$1/x/$2/%d", i))) }; return },
	}
	for name, f := range sets {
		in := fullSize(); in.Rules = f()
		s := New(in)
		at := time.Now()
		err := s.CheckLoops(s)
		t.Log(name, time.Since(at), err, len(probes(s)))
		at = time.Now()
		err = s.CheckLoops(nil)
		t.Logf("%s nil %v %.200v", name, time.Since(at), err)
	}
}
