package compose

import (
	"encoding/json"
	"reflect"
	"testing"

	"vitrine/internal/shop"
)

func TestAnInvalidPropDoesNotAffectOthers(t *testing.T) {
	whole := propsOf(json.RawMessage(`{"html": {"documentId": "7", "boxed": true}, "kit": {"top": [5], "bottom": "6"},
		"widgets": [1, "2"], "text": "hi", "hideSiteHeader": true, "cells": [{"widgets": [4]}, 5]}`))
	if whole.HTML.DocumentID != 7 || !whole.HTML.Boxed || len(whole.Kit.Top) != 1 || len(whole.Kit.Bottom) != 0 || len(whole.Widgets) != 2 ||
		len(whole.Cells) != 2 ||
		!whole.HideSiteHeader {
		t.Fatalf("%+v", whole)
	}
	for text, want := range map[string]func(*props){
		`{"text": 5, "html": {"documentId": 7}}`:                         func(p *props) { p.HTML.DocumentID = 7 },
		`{"html": {"documentId": "x", "boxed": true}}`:                   func(p *props) { p.HTML.Boxed = true },
		`{"html": [], "hideSiteFooter": "yes", "hideSystemBlock": true}`: func(p *props) { p.HideSystemBlock = true },
		`{"widgets": [1, {}], "text": "hi"}`:                             func(p *props) { p.Text = "hi" },
		`{"kit": {"top": [[]], "bottom": [6]}}`:                          func(p *props) { p.Kit.Bottom = []shop.BlockID{6} },
		`{"cells": {}, "kit": null, "text": "hi"}`:                       func(p *props) { p.Text = "hi" },
		`[]`: func(*props) {}, `null`: func(*props) {}, ``: func(*props) {}, `"html"`: func(*props) {},
	} {
		var expected props
		want(&expected)
		if got := propsOf(json.RawMessage(text)); !reflect.DeepEqual(got, expected) {
			t.Errorf("%s: %+v", text, got)
		}
	}
}

func TestAnInvalidMemberOfASectionIsIgnored(t *testing.T) {
	s := sectionOf(json.RawMessage(`{"type": 7, "payload": {"kind": "html", "text": [], "props": {"html": {"documentId": 7}}}}`))
	if s.Type != "" || s.Payload.Kind != "html" || s.Payload.Text != "" || propsOf(s.Payload.Props).HTML.DocumentID != 7 {
		t.Errorf("%+v", s)
	}
	if s := sectionOf(json.RawMessage(`[1]`)); s.Type != "" || s.Payload.Kind != "" {
		t.Errorf("%+v", s)
	}
}
