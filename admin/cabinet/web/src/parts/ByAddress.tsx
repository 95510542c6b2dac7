import { Button, Group, Popover, TextInput } from "@mantine/core";
import { IconLink } from "@tabler/icons-react";
import { useState } from "react";
import { useWords } from "../words";
import { words } from "../words/pictures";

// ByAddress asks for the address of a picture on the web.
export function ByAddress({ onAdd }: { onAdd: (address: string) => void }) {
  const { say } = useWords(words);
  const [opened, setOpened] = useState(false);
  const [address, setAddress] = useState("");
  function submit() {
    if (!URL.canParse(address)) return;
    onAdd(address);
    setAddress("");
    setOpened(false);
  }
  return (
    <Popover opened={opened} onChange={setOpened} trapFocus withinPortal>
      <Popover.Target>
        <Button variant="default" size="xs" leftSection={<IconLink size={16} />} onClick={() => setOpened((o) => !o)}>
          {say("addAddress")}
        </Button>
      </Popover.Target>
      <Popover.Dropdown aria-label={say("addAddress")}>
        <Group gap="xs" align="flex-end" wrap="nowrap">
          <TextInput
            label={say("pictureAddress")}
            description={say("pictureAddressHint")}
            type="url"
            dir="ltr"
            maxLength={4000}
            value={address}
            onChange={(e) => setAddress(e.currentTarget.value.trim())}
            onKeyDown={(e) => {
              if (e.key !== "Enter") return;
              e.preventDefault(); // Enter in a form would save it
              submit();
            }}
          />
          <Button onClick={submit} disabled={!URL.canParse(address)}>
            {say("add")}
          </Button>
        </Group>
      </Popover.Dropdown>
    </Popover>
  );
}
