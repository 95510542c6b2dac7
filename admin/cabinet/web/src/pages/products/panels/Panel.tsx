import { Card, Group, Stack, Title, UnstyledButton } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { IconChevronDown, IconChevronRight } from "@tabler/icons-react";
import type { ReactNode } from "react";

// Panel is a group of fields. With folds it begins closed unless one of the faults is of its fields, and
// what is in it is made when it is opened.
export function Panel({ title, folds, faults = {}, children }: { title?: string; folds?: boolean; faults?: Partial<Record<string, string>>; children: ReactNode }) {
  const [open, { toggle }] = useDisclosure(false);
  const shown = !folds || open || Object.values(faults).some(Boolean);
  const heading = title && (
    <Title order={2} size="h4">
      {title}
    </Title>
  );
  const Arrow = shown ? IconChevronDown : IconChevronRight;
  return (
    <Card withBorder>
      <Stack>
        {folds ? (
          <UnstyledButton onClick={toggle} aria-expanded={shown}>
            <Group gap={6} wrap="nowrap">
              <Arrow size={18} /> {heading}
            </Group>
          </UnstyledButton>
        ) : (
          heading
        )}
        {shown && children}
      </Stack>
    </Card>
  );
}
