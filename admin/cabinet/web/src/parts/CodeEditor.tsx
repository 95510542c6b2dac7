import { defaultKeymap, history, historyKeymap } from "@codemirror/commands";
import { HighlightStyle, syntaxHighlighting } from "@codemirror/language";
import { lintGutter, setDiagnostics } from "@codemirror/lint";
import { Compartment, EditorState } from "@codemirror/state";
import { drawSelection, EditorView, highlightActiveLine, highlightSpecialChars, keymap, lineNumbers } from "@codemirror/view";
import { tags } from "@lezer/highlight";
import { Input } from "@mantine/core";
import { useEffect, useId, useRef } from "react";
import { nonce } from "../frame/nonce";
import { templateLanguage } from "./templateLanguage";

export interface Problem {
  line: number; // 0: of no line
  message: string;
  error: boolean; // otherwise a warning
}

// Colours are those of either scheme on the background of the page.
const colours = HighlightStyle.define([
  { tag: tags.keyword, color: "light-dark(#862e9c, #e599f7)" },
  { tag: tags.brace, color: "light-dark(#a61e4d, #faa2c1)", fontWeight: "600" },
  { tag: tags.propertyName, color: "light-dark(#a0410d, #ffc078)" },
  { tag: tags.variableName, color: "light-dark(#0b6477, #66d9e8)" },
  { tag: tags.string, color: "light-dark(#1b6e30, #8ce99a)" },
  { tag: tags.number, color: "light-dark(#a0410d, #ffc078)" },
  { tag: tags.comment, color: "light-dark(#5c636a, #a6a7ab)", fontStyle: "italic" },
  { tag: tags.tagName, color: "light-dark(#1864ab, #74c0fc)" },
  { tag: tags.attributeName, color: "light-dark(#0b6477, #66d9e8)" },
]);

const theme = EditorView.theme({
  "&": { fontSize: "13px", border: "1px solid var(--mantine-color-default-border)", borderRadius: "var(--mantine-radius-sm)", background: "var(--mantine-color-body)", color: "var(--mantine-color-text)" },
  "&.cm-focused": { outline: "2px solid var(--mantine-primary-color-filled)", outlineOffset: "1px" },
  ".cm-scroller": { fontFamily: "var(--mantine-font-family-monospace)", maxHeight: "70vh", minHeight: "240px" },
  ".cm-content": { caretColor: "var(--mantine-color-text)" },
  ".cm-content:focus-visible": { outline: "none" },
  ".cm-cursor": { borderLeftColor: "var(--mantine-color-text)" },
  ".cm-gutters": { background: "var(--mantine-color-default-hover)", color: "var(--mantine-color-dimmed)", borderRight: "1px solid var(--mantine-color-default-border)" },
  ".cm-activeLine": { background: "light-dark(#0000000a, #ffffff0a)" },
  "&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground": { background: "light-dark(#b2f2e0, #0b5345)" },
  ".cm-tooltip": { background: "var(--mantine-color-body)", color: "var(--mantine-color-text)", border: "1px solid var(--mantine-color-default-border)", maxWidth: "min(480px, 90vw)" },
});

// replaceSelected replaces what is selected by what is typed. The browser itself would keep its style
// in an attribute, which the page's policy refuses.
function replaceSelected(event: InputEvent, view: EditorView): boolean {
  const { state } = view;
  if (event.inputType !== "insertText" || event.data === null || state.selection.main.empty || state.readOnly || view.compositionStarted) return false;
  event.preventDefault();
  view.dispatch(state.update(state.replaceSelection(event.data), { userEvent: "input.type", scrollIntoView: true }));
  return true;
}

// CodeEditor edits a template with its colours, and shows problems at their lines. goal leads to a
// line. It is loaded when it is needed.
export default function CodeEditor({
  label,
  value,
  onChange,
  readOnly,
  error,
  problems,
  goal,
}: {
  label: string;
  value: string;
  onChange: (value: string) => void;
  readOnly: boolean;
  error: string | undefined;
  problems: Problem[];
  goal: { line: number } | undefined;
}) {
  const id = useId();
  const place = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView>(undefined);
  const changing = useRef(onChange);
  changing.current = onChange;
  const locked = useRef(new Compartment());
  const attributes = useRef(new Compartment());
  // An editable element is in the order of Tab anyway; checkers of accessibility look for the index.
  const described = { id, tabindex: "0", "aria-label": label, "aria-readonly": String(readOnly), ...(error && { "aria-invalid": "true" }) };

  useEffect(() => {
    const v = new EditorView({
      parent: place.current!,
      state: EditorState.create({
        doc: value,
        extensions: [
          EditorView.cspNonce.of(nonce),
          lineNumbers(),
          lintGutter(),
          history(),
          drawSelection(),
          highlightActiveLine(),
          highlightSpecialChars(),
          EditorView.lineWrapping,
          keymap.of([...defaultKeymap, ...historyKeymap]), // Tab leads out of the editor
          templateLanguage,
          syntaxHighlighting(colours),
          theme,
          locked.current.of([]),
          attributes.current.of([]),
          EditorView.domEventHandlers({ beforeinput: replaceSelected }),
          EditorView.updateListener.of((u) => u.docChanged && changing.current(u.state.doc.toString())),
        ],
      }),
    });
    view.current = v;
    return () => v.destroy();
  }, []);

  useEffect(() => {
    view.current!.dispatch({ effects: [locked.current.reconfigure([EditorState.readOnly.of(readOnly)]), attributes.current.reconfigure(EditorView.contentAttributes.of(described))] });
  }, [readOnly, JSON.stringify(described)]);

  // What comes from elsewhere, such as another template, can be undone like what was typed.
  useEffect(() => {
    const { doc } = view.current!.state;
    if (doc.toString() !== value) view.current!.dispatch({ changes: { from: 0, to: doc.length, insert: value } });
  }, [value]);

  useEffect(() => {
    const { state } = view.current!;
    const shown = problems
      .filter((p) => p.line > 0 && p.line <= state.doc.lines)
      .map((p) => {
        const { from, to } = state.doc.line(p.line);
        return { from, to, severity: p.error ? ("error" as const) : ("warning" as const), message: p.message };
      });
    view.current!.dispatch(setDiagnostics(state, shown));
  }, [problems]);

  useEffect(() => {
    if (!goal) return;
    const v = view.current!;
    const at = v.state.doc.line(Math.min(Math.max(goal.line, 1), v.state.doc.lines)).from;
    v.dispatch({ selection: { anchor: at }, effects: EditorView.scrollIntoView(at, { y: "center" }) });
    v.focus();
  }, [goal]);

  return (
    <Input.Wrapper label={label} labelElement="div" error={error}>
      <div ref={place} dir="ltr" />
    </Input.Wrapper>
  );
}
