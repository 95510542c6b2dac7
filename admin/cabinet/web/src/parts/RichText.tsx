import { Input, Skeleton } from "@mantine/core";
import { lazy, Suspense } from "react";

export interface RichTextProps {
  label: string;
  value: string;
  onChange: (text: string) => void;
  error?: string | undefined;
  disabled?: boolean;
  maxLength?: number;
}

const Editor = lazy(() => import("./rich/Editor"));

// RichText is a field for a text with headings, lists and links. Its editor is loaded when it is shown.
export function RichText(props: RichTextProps) {
  return (
    <Input.Wrapper label={props.label} error={props.error} labelElement="div">
      <Suspense fallback={<Skeleton h={180} />}>
        <Editor {...props} />
      </Suspense>
    </Input.Wrapper>
  );
}
