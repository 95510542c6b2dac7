import "@mantine/tiptap/styles.css";
import { Alert, Button, Stack, Textarea } from "@mantine/core";
import { RichTextEditor } from "@mantine/tiptap";
import { useEditor } from "@tiptap/react";
import StarterKit from "@tiptap/starter-kit";
import { useCallback, useEffect, useRef, useState } from "react";
import { nonce } from "../../frame/nonce";
import { useWords } from "../../words";
import { words } from "../../words/rich";
import type { RichTextProps } from "../RichText";
import { asHTML, asTyped, keeps } from "./html";

const extensions = [
  StarterKit.configure({
    heading: { levels: [2, 3, 4] },
    link: { openOnClick: false, protocols: ["form", "svc"], HTMLAttributes: { target: null, rel: null } },
  }),
];

// Editor edits a text as it will look. What it cannot show without a loss is edited as HTML.
export default function Editor({ label, value, onChange, error, disabled, maxLength }: RichTextProps) {
  const { say } = useWords(words);
  const typed = useRef(value);
  const [lossy, setLossy] = useState(false);
  const [source, setSource] = useState(false);
  const editor = useEditor({
    extensions,
    injectNonce: nonce,
    content: asHTML(value),
    editable: !disabled,
    immediatelyRender: true,
    editorProps: { attributes: { "aria-label": label, role: "textbox", "aria-multiline": "true", dir: "auto", ...(error ? { "aria-invalid": "true" } : {}) } },
    onCreate: ({ editor }) => setLossy(!keeps(editor.getHTML(), asHTML(value))),
    onUpdate: ({ editor }) => {
      typed.current = asTyped(editor.getHTML(), typed.current);
      onChange(typed.current);
    },
  });
  const load = useCallback(
    (text: string) => {
      typed.current = text;
      editor.commands.setContent(asHTML(text), { emitUpdate: false });
      setLossy(!keeps(editor.getHTML(), asHTML(text)));
    },
    [editor],
  );
  useEffect(() => {
    if (value !== typed.current) load(value);
  }, [load, value]);
  useEffect(() => void editor.setEditable(!disabled, false), [editor, disabled]);

  const toggle = (
    <Button
      variant="subtle"
      size="compact-sm"
      style={{ alignSelf: "flex-end" }}
      onClick={() => {
        if (source) load(value);
        setSource(!source);
      }}
    >
      {say(source ? "asText" : "asSource")}
    </Button>
  );
  if (source || lossy) {
    return (
      <Stack gap={4}>
        {lossy && <Alert variant="light">{say("lossy")}</Alert>}
        <Textarea
          aria-label={label}
          value={value}
          onChange={(e) => {
            typed.current = e.currentTarget.value;
            onChange(typed.current);
          }}
          autosize
          minRows={8}
          maxRows={24}
          maxLength={maxLength}
          readOnly={disabled}
          error={!!error}
          dir="auto"
          ff="monospace"
        />
        {!lossy && toggle}
      </Stack>
    );
  }
  return (
    <Stack gap={4}>
      <RichTextEditor
        editor={editor}
        labels={{
          boldControlLabel: say("bold"),
          italicControlLabel: say("italic"),
          underlineControlLabel: say("underline"),
          strikeControlLabel: say("strike"),
          h2ControlLabel: say("heading", { n: 2 }),
          h3ControlLabel: say("heading", { n: 3 }),
          bulletListControlLabel: say("bulletList"),
          orderedListControlLabel: say("orderedList"),
          blockquoteControlLabel: say("quote"),
          linkControlLabel: say("link"),
          unlinkControlLabel: say("unlink"),
          clearFormattingControlLabel: say("plain"),
          undoControlLabel: say("undo"),
          redoControlLabel: say("redo"),
          linkEditorInputLabel: say("linkAddress"),
          linkEditorInputPlaceholder: "https://",
          linkEditorSave: say("save"),
          linkEditorExternalLink: say("linkOutside"),
          linkEditorInternalLink: say("linkInside"),
        }}
      >
        {!disabled && (
          <RichTextEditor.Toolbar>
            <RichTextEditor.ControlsGroup>
              <RichTextEditor.Bold />
              <RichTextEditor.Italic />
              <RichTextEditor.Underline />
              <RichTextEditor.Strikethrough />
              <RichTextEditor.ClearFormatting />
            </RichTextEditor.ControlsGroup>
            <RichTextEditor.ControlsGroup>
              <RichTextEditor.H2 />
              <RichTextEditor.H3 />
              <RichTextEditor.BulletList />
              <RichTextEditor.OrderedList />
              <RichTextEditor.Blockquote />
            </RichTextEditor.ControlsGroup>
            <RichTextEditor.ControlsGroup>
              <RichTextEditor.Link />
              <RichTextEditor.Unlink />
            </RichTextEditor.ControlsGroup>
            <RichTextEditor.ControlsGroup>
              <RichTextEditor.Undo />
              <RichTextEditor.Redo />
            </RichTextEditor.ControlsGroup>
          </RichTextEditor.Toolbar>
        )}
        <RichTextEditor.Content className="rich-text" />
      </RichTextEditor>
      {!disabled && toggle}
    </Stack>
  );
}
