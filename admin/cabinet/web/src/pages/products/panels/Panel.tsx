import { Card, Group, Stack, Title, UnstyledButton } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { IconChevronDown, IconChevronRight } from "@tabler/icons-react";
import type { ReactNode } from "react";
import type { Field } from "../fields";
import { useForm } from "../form";

// Panel is a group of fields. With folds, which are its fields, it begins closed unless one of them
// has a fault, and what is in it is made when it is opened.
export function Panel({ title, folds, children }: { title?: string; folds?: readonly Field[] | undefined; children: ReactNode }) {
  const { faults } = useForm();
  const [open, { toggle }] = useDisclosure(false);
  const shown = !folds || open || folds.some((name) => faults[name]);
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
