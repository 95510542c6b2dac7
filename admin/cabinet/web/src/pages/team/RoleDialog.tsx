import { Alert, Modal } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { answer, api } from "../../api/client";
import { passportQuery, type Role } from "../../frame/session";
import { Form } from "../../parts/Form";
import { told } from "../../parts/notice";
import { membersQuery } from "../../parts/shop";
import { useWords } from "../../words";
import { words } from "../../words/team";
import { above, type Member } from "./data";
import { RoleChoice } from "./RoleChoice";

// RoleDialog changes the role of a member. The dialog follows the list: after a refusal it has the
// member as they are now.
export function RoleDialog({ shop, member, own, self, onClose }: { shop: string; member: Member; own: Role; self: boolean; onClose: () => void }) {
  const { say } = useWords(words);
  const queries = useQueryClient();
  const [role, setRole] = useState(member.role);
  const name = member.name || member.email;
  return (
    <Modal opened onClose={onClose} title={<span dir="auto">{say("changeRole") + ": " + name}</span>} closeButtonProps={{ "aria-label": say("close") }}>
      <Form
        submit={say("save")}
        fields={{ role }}
        onSubmit={async () => {
          try {
            await answer(api.PUT("/v1/orgs/current/members/{user_id}", { params: { path: { user_id: member.user_id } }, body: { role, expected_updated_at: member.updated_at } }));
          } finally {
            await queries.invalidateQueries({ queryKey: membersQuery(shop).queryKey });
          }
          told(say, say("roleChanged", { name, role: say(role) }));
          onClose();
          if (self) await queries.invalidateQueries({ queryKey: passportQuery(shop).queryKey });
        }}
      >
        {({ at }) => (
          <>
            <RoleChoice own={own} value={role} onChange={setRole} error={at("role")} />
            {above(member.role, role) && (
              <Alert variant="light" color="orange">
                {say(self ? "lowerSelf" : "lowerText")}
              </Alert>
            )}
          </>
        )}
      </Form>
    </Modal>
  );
}
