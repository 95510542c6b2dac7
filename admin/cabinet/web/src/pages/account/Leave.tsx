import { Button, Group, Modal, Radio, Skeleton, Stack, Text } from "@mantine/core";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { answer, api } from "../../api/client";
import { Failure } from "../../frame/Failure";
import { shopsQuery } from "../../frame/session";
import { roleWord } from "../../frame/Shops";
import { Form } from "../../parts/Form";
import { told } from "../../parts/notice";
import { Panel } from "../../parts/Panel";
import { useWords } from "../../words";
import { words } from "../../words/team";

// Leave ends the membership of the person in one of their shops, whatever their role is there.
export function Leave({ me }: { me: number }) {
  const { say } = useWords(words);
  const [opened, setOpened] = useState(false);
  return (
    <Panel title={say("yourShops")}>
      <Group>
        <Button variant="light" color="red" onClick={() => setOpened(true)}>
          {say("leaveShop")}
        </Button>
      </Group>
      <Modal opened={opened} onClose={() => setOpened(false)} title={say("leaveShop")} closeButtonProps={{ "aria-label": say("close") }}>
        <Choice me={me} onDone={() => setOpened(false)} />
      </Modal>
    </Panel>
  );
}

function Choice({ me, onDone }: { me: number; onDone: () => void }) {
  const { say } = useWords(words);
  const queries = useQueryClient();
  const shops = useQuery(shopsQuery);
  const [chosen, choose] = useState("");
  if (shops.isError) return <Failure error={shops.error} retry={() => void shops.refetch()} />;
  if (!shops.data) return <Skeleton h={120} />;
  const open = shops.data.filter((s) => !s.restorable_until);
  const slug = chosen || (open.length === 1 ? open[0]!.slug : "");
  if (open.length === 0) return <Text size="sm">{say("noShops")}</Text>;
  return (
    <Form
      submit={say("leave")}
      onSubmit={async () => {
        await answer(api.DELETE("/v1/orgs/current/members/{user_id}", { params: { path: { user_id: me }, header: { "X-Vitrine-Shop": slug } } }));
        queries.removeQueries({ queryKey: [slug] });
        await shops.refetch();
        told(say, say("left"));
        onDone();
      }}
    >
      {() => (
        <>
          <Text size="sm">{say("leaveText")}</Text>
          <Radio.Group label={say("shop")} name="left-shop" required value={slug} onChange={choose}>
            <Stack gap="xs" mt="xs">
              {open.map((s) => (
                <Radio key={s.id} value={s.slug} label={<span dir="auto">{s.name}</span>} description={`${s.slug} · ${say(roleWord(s.role))}`} required />
              ))}
            </Stack>
          </Radio.Group>
        </>
      )}
    </Form>
  );
}
