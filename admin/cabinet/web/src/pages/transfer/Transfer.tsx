import { Card, Stack, Text, Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useParams, useSearch } from "@tanstack/react-router";
import { passportQuery } from "../../frame/session";
import { ButtonLink } from "../../parts/links";
import { useWords } from "../../words";
import { words } from "../../words/transfer";
import { Exports } from "./Exports";
import { Import } from "./Import";
import { kinds } from "./kinds";
import { Whole } from "./Whole";

// Transfer is where tables come in and go out, and the whole shop goes out.
export function Transfer() {
  const { shop } = useParams({ from: "/$shop/transfer" });
  const { what } = useSearch({ from: "/$shop/transfer" });
  const { say } = useWords(words);
  const { data: passport } = useQuery(passportQuery(shop));
  if (!passport) return null;
  const may = (capability: string | undefined) => capability !== undefined && passport.capabilities[capability];
  const importable = kinds.filter((k) => may(k.writes));
  return (
    <Stack maw={960}>
      <Title order={1} size="h2">
        {say("transfer")}
      </Title>
      {may("catalog_write") && passport.role !== "editor" && (
        <Card component="section" withBorder>
          <Title order={2} size="h4" mb="xs">
            {say("moveInTitle")}
          </Title>
          <Text size="sm" c="dimmed" mb="sm">
            {say("moveInText")}
          </Text>
          <ButtonLink to="/$shop/transfer/move-in" params={{ shop }} variant="default">
            {say("moveInOpen")}
          </ButtonLink>
        </Card>
      )}
      {importable.length > 0 && <Import key={shop + what} shop={shop} kinds={importable} first={importable.find((k) => k.word === what) ?? importable[0]!} />}
      <Exports kinds={kinds.filter((k) => may(k.reads))} />
      {passport.role === "owner" && <Whole />}
    </Stack>
  );
}
