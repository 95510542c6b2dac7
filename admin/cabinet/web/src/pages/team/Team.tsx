import { ActionIcon, Alert, Badge, Button, Card, Group, Stack, Text } from "@mantine/core";
import { IconUserEdit, IconUserMinus, IconUserPlus } from "@tabler/icons-react";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useNavigate, useParams, useSearch } from "@tanstack/react-router";
import { useState } from "react";
import { answer, api } from "../../api/client";
import { useShownCall } from "../../frame/Call";
import { manages, meQuery, passportQuery, shopsQuery } from "../../frame/session";
import { roleWord } from "../../frame/Shops";
import { Ask } from "../../parts/Ask";
import { dateText } from "../../parts/dates";
import { List, Unbroken } from "../../parts/List";
import { failed, told } from "../../parts/notice";
import { SearchBox } from "../../parts/SearchBox";
import { membersQuery } from "../../parts/shop";
import { useWords } from "../../words";
import { words } from "../../words/team";
import { above, type Member } from "./data";
import { FactorRule } from "./FactorRule";
import { TeamHeading } from "./TeamHeading";
import { Invitations } from "./Invitations";
import { InviteDialog } from "./InviteDialog";
import { RoleDialog } from "./RoleDialog";
import { pageSize } from "./search";

// Team lists the members of the shop and who is invited.
export function Team() {
  const { shop } = useParams({ from: "/$shop/team" });
  const { q = "", page = 1 } = useSearch({ from: "/$shop/team" });
  const navigate = useNavigate({ from: "/$shop/team" });
  const { say, language } = useWords(words);
  const queries = useQueryClient();
  const { data: passport } = useQuery(passportQuery(shop));
  const { data: me } = useQuery(meQuery);
  const list = useQuery(membersQuery(shop));
  const [chosen, choose] = useState<{ id: number; act: "role" | "remove" }>();
  const [inviting, setInviting] = useState(false);
  useShownCall({ method: "GET", path: "/v1/orgs/current/members", session: true });

  const own = passport?.role ?? "";
  const manager = manages(passport);
  const zone = passport?.store.timezone ?? "UTC";
  const members = list.data?.result ?? [];
  const found = members.filter((m) => `${m.name}\n${m.email}`.toLowerCase().includes(q.toLowerCase()));
  const member = members.find((m) => m.user_id === chosen?.id);

  const remove = useMutation({
    mutationFn: (m: Member) => answer(api.DELETE("/v1/orgs/current/members/{user_id}", { params: { path: { user_id: m.user_id } } })),
    onSuccess: async (_, m) => {
      if (m.user_id === me?.id) {
        queries.setQueryData(shopsQuery.queryKey, (shops) => shops?.filter((s) => s.slug !== shop));
        await navigate({ to: "/", replace: true });
        queries.removeQueries({ queryKey: [shop] });
      } else await list.refetch();
      told(say, say(m.user_id === me?.id ? "left" : "removed", { name: nameOf(m) }));
    },
    onError: (error) => failed(say, error),
    onSettled: () => choose(undefined),
  });

  const badges = (m: Member) => (
    <Group gap={4}>
      {m.user_id === me?.id && (
        <Badge tt="none" variant="light">
          {say("you")}
        </Badge>
      )}
      {!m.proven && (
        <Badge tt="none" variant="light" color="orange">
          {say("notProven")}
        </Badge>
      )}
    </Group>
  );
  const person = (m: Member) => (
    <Stack gap={0} miw={0}>
      <Group gap="xs">
        <Text size="sm" fw={500} dir="auto">
          {nameOf(m)}
        </Text>
        {badges(m)}
      </Group>
      {m.name && (
        <Text size="sm" c="dimmed" dir="auto">
          {m.email}
        </Text>
      )}
    </Stack>
  );
  const acts = (m: Member) =>
    manager &&
    !above(m.role, own) && (
      <Group gap="xs" wrap="nowrap" justify="flex-end">
        <ActionIcon variant="default" size="lg" aria-label={`${say("changeRole")}: ${nameOf(m)}`} title={say("changeRole")} onClick={() => choose({ id: m.user_id, act: "role" })}>
          <IconUserEdit size={16} />
        </ActionIcon>
        <ActionIcon
          variant="default"
          size="lg"
          aria-label={`${say(m.user_id === me?.id ? "leave" : "removeMember")}: ${nameOf(m)}`}
          title={say(m.user_id === me?.id ? "leave" : "removeMember")}
          onClick={() => choose({ id: m.user_id, act: "remove" })}
        >
          <IconUserMinus size={16} />
        </ActionIcon>
      </Group>
    );
  const self = member?.user_id === me?.id;
  return (
    <Stack>
      <TeamHeading>
        {manager && (
          <Button leftSection={<IconUserPlus size={16} />} onClick={() => setInviting(true)}>
            {say("invite")}
          </Button>
        )}
      </TeamHeading>
      {passport && !manager && list.data && <Alert variant="light">{say("noRight")}</Alert>}
      {(members.length > 10 || q) && (
        <Group>
          <SearchBox key={shop} value={q} onSearch={(text) => void navigate({ search: { q: text || undefined }, replace: true })} />
        </Group>
      )}
      <List
        query={list}
        items={found.slice((page - 1) * pageSize, page * pageSize).map((m) => ({ ...m, id: m.user_id }))}
        total={found.length}
        size={pageSize}
        page={page}
        onPage={(next) => void navigate({ search: (old) => ({ ...old, page: next }) })}
        nameOf={nameOf}
        empty={say("noMembers")}
        count={say("membersCount", { n: found.length })}
        columns={[
          { key: "person", label: say("person"), cell: person },
          { key: "role", label: say("role"), cell: (m) => <Unbroken>{say(roleWord(m.role))}</Unbroken> },
          { key: "factor", label: say("factor"), cell: (m) => say(m.second_factor ? "yes" : "no") },
          { key: "since", label: say("since"), cell: (m) => <Unbroken>{dateText(m.created_at, zone, language)}</Unbroken> },
          { key: "acts", label: say("actions"), end: true, cell: acts },
        ]}
        card={(m) => (
          <Card withBorder padding="xs">
            <Group justify="space-between" wrap="nowrap" align="flex-start">
              <Stack gap={2} miw={0}>
                {person(m)}
                <Text size="sm" c="dimmed">
                  {say(roleWord(m.role))} · {say(m.second_factor ? "withFactor" : "withoutFactor")}
                </Text>
              </Stack>
              {acts(m)}
            </Group>
          </Card>
        )}
      />
      {list.data && <Invitations invitations={list.data.invitations} members={members} manager={manager} own={own} zone={zone} refresh={() => list.refetch()} />}
      {list.data && manager && <FactorRule shop={shop} members={members} />}
      {inviting && <InviteDialog own={own} onClose={() => setInviting(false)} refresh={() => list.refetch()} />}
      {member && chosen?.act === "role" && <RoleDialog shop={shop} member={member} own={own} self={self} onClose={() => choose(undefined)} />}
      {member && chosen?.act === "remove" && (
        <Ask
          title={say(self ? "leave" : "removeMember") + ": " + nameOf(member)}
          text={say(self ? "leaveText" : "removeText", { name: nameOf(member) })}
          yes={say(self ? "leave" : "removeMember")}
          doing={remove.isPending}
          onYes={() => remove.mutate(member)}
          onClose={() => choose(undefined)}
        />
      )}
    </Stack>
  );
}

const nameOf = (m: Member) => m.name || m.email;
