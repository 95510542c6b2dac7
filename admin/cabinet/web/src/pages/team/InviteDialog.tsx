import { Modal, TextInput } from "@mantine/core";
import { useState } from "react";
import type { Role } from "../../frame/session";
import { Form } from "../../parts/Form";
import { told } from "../../parts/notice";
import { useWords } from "../../words";
import { words } from "../../words/team";
import { invite, type MemberRole } from "./data";
import { RoleChoice } from "./RoleChoice";

// InviteDialog sends an invitation to an address.
export function InviteDialog({ own, onClose, refresh }: { own: Role; onClose: () => void; refresh: () => Promise<unknown> }) {
  const { say } = useWords(words);
  const [email, setEmail] = useState("");
  const [role, setRole] = useState<MemberRole>("editor");
  return (
    <Modal opened onClose={onClose} title={say("invite")} closeButtonProps={{ "aria-label": say("close") }}>
      <Form
        submit={say("sendInvitation")}
        fields={{ email, role }}
        onSubmit={async () => {
          await invite({ email, role });
          told(say, say("invited", { email }));
          onClose();
          await refresh();
        }}
      >
        {({ at }) => (
          <>
            <TextInput
              label={say("email")}
              description={say("inviteText")}
              type="email"
              name="invited-email"
              autoComplete="off"
              required
              data-autofocus
              maxLength={254}
              value={email}
              onChange={(e) => setEmail(e.currentTarget.value)}
              error={at("email")}
            />
            <RoleChoice own={own} value={role} onChange={setRole} error={at("role")} />
          </>
        )}
      </Form>
    </Modal>
  );
}
