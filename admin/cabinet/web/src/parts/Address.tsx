import { Text, type TextProps } from "@mantine/core";

// Address is an address of any length, which is cut after two lines.
export function Address({ text, ...props }: { text: string } & TextProps) {
  return (
    <Text size="sm" lineClamp={2} dir="ltr" title={text} style={{ wordBreak: "break-all" }} {...props}>
      {text}
    </Text>
  );
}
