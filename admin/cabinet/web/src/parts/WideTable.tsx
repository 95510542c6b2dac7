import { Table } from "@mantine/core";
import type { ReactNode } from "react";

// WideTable is a table of texts that scrolls in a narrow window, with the keyboard too.
export function WideTable({ label, minWidth, children }: { label: string; minWidth: number; children: ReactNode }) {
  return (
    <Table.ScrollContainer minWidth={minWidth} scrollAreaProps={{ viewportProps: { tabIndex: 0, role: "region", "aria-label": label } }}>
      {children}
    </Table.ScrollContainer>
  );
}
