package shop

import "testing"

func TestPagesShowAFirstNameAndAnInitial(t *testing.T) {
	for name, want := range map[string]string{
		"": "", "  ": "", "Ann": "Ann", "Ann Baker": "Ann B.", " ann  maria \n baker ": "ann B.", "Анна Петровна ёлкина": "Анна Ё.",
		"\u202eAnn\x00 B\u200baker": "Ann B.", "李 小龙": "李 小.", "Ann \U0001F600": "Ann \U0001F600.",
	} {
		if got := PublicName(name); got != want {
			t.Errorf("%q is shown as %q, want %q", name, got, want)
		}
	}
}
