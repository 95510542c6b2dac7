import { Alert, Card, Checkbox, Skeleton, Stack, Text, Title } from "@mantine/core";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { answer, api, type Schemas } from "../../api/client";
import { Failure } from "../../frame/Failure";
import { Form } from "../../parts/Form";
import { AnchorLink } from "../../parts/links";
import { told } from "../../parts/notice";
import { settingsQuery } from "../../parts/shop";
import { useWords } from "../../words";
import { words } from "../../words/team";
import { roles, type Member } from "./data";

interface Props {
  shop: string;
  members: Member[];
}

// FactorRule says whose members need a second factor in the shop.
export function FactorRule(props: Props) {
  const { say } = useWords(words);
  const settings = useQuery(settingsQuery(props.shop));
  return (
    <Card withBorder component="section" aria-label={say("factor")}>
      <Title order={2} size="h4" mb="sm">
        {say("factor")}
      </Title>
      {settings.isError && !settings.data ? (
        <Failure error={settings.error} retry={() => void settings.refetch()} />
      ) : settings.data ? (
        <Rule key={settings.data.updated_at} {...props} settings={settings.data} />
      ) : (
        <Skeleton h={120} />
      )}
    </Card>
  );
}

function Rule({ shop, members, settings }: Props & { settings: Schemas["SettingSettingsView"] }) {
  const { say } = useWords(words);
  const queries = useQueryClient();
  const [chosen, choose] = useState<string[]>(settings.members_need_second_factor);
  const [refused, refuse] = useState(false);
  const shut = members.filter((m) => chosen.includes(m.role) && !m.second_factor).length;
  return (
    <Form
      submit={say("save")}
      meaning={(refusal) => {
        if (refusal.code !== "SECOND_FACTOR_MISSING") return undefined;
        refuse(true);
        return null;
      }}
      onSubmit={async () => {
        refuse(false);
        const members_need_second_factor = roles.filter((role) => chosen.includes(role));
        const { result } = await answer(api.PUT("/v1/shop/settings", { body: { members_need_second_factor, expected_updated_at: settings.updated_at } }));
        queries.setQueryData(settingsQuery(shop).queryKey, result);
        told(say, say("saved"));
      }}
    >
      {() => (
        <>
          <Text size="sm">{say("factorText")}</Text>
          {refused && (
            <Alert role="alert" color="red" variant="light">
              {say("ownFactorFirst")}{" "}
              <AnchorLink to="/account" size="sm">
                {say("toAccount")}
              </AnchorLink>
            </Alert>
          )}
          <Checkbox.Group label={say("factorFor")} value={chosen} onChange={choose}>
            <Stack gap="xs" mt={4}>
              {roles.map((role) => (
                <Checkbox key={role} value={role} label={say(role)} />
              ))}
            </Stack>
          </Checkbox.Group>
          {shut > 0 && (
            <Text size="sm" role="status">
              {say("withoutFactorCount", { n: shut })}
            </Text>
          )}
        </>
      )}
    </Form>
  );
}
