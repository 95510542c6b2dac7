import { Accordion, Anchor, Card, Group, Progress, Text, ThemeIcon, Title } from "@mantine/core";
import { IconCheck, IconCircle } from "@tabler/icons-react";
import { useQueryClient } from "@tanstack/react-query";
import { useRef, useState, type ComponentType } from "react";
import type { Schemas } from "../../api/client";
import type { Passport } from "../../frame/session";
import { AnchorLink } from "../../parts/links";
import { told } from "../../parts/notice";
import { useWords } from "../../words";
import { words } from "../../words/setup";
import { Contacts, Design, FirstOrder, FirstProduct, Opening, Page } from "./forms";
import { Delivery, Domain, Payment } from "./trade";

type Step = Schemas["OverviewStep"];

export interface StepProps {
  shop: string;
  passport: Passport;
  onDone: () => Promise<void>;
}

// forms are the steps' own. Those of manage are for owners and administrators.
const forms: Record<Step["key"], { form: ComponentType<StepProps>; manage?: boolean }> = {
  contacts: { form: Contacts, manage: true },
  product: { form: FirstProduct },
  delivery: { form: Delivery, manage: true },
  payment: { form: Payment, manage: true },
  pages: { form: Page },
  design: { form: Design },
  domain: { form: Domain, manage: true },
  open: { form: Opening, manage: true },
  order: { form: FirstOrder },
};

// Setup shows the next step as a form. After it the list is asked again, and shows the one after.
export default function Setup({ shop, passport, steps }: { shop: string; passport: Passport; steps: Step[] }) {
  const { say } = useWords(words);
  const queries = useQueryClient();
  const list = useRef<HTMLDivElement>(null);
  const [chosen, choose] = useState<string | null>(); // undefined: the next one
  const next = steps.find((s) => !s.done)?.key ?? null;
  const done = steps.filter((s) => s.done).length;

  async function onDone() {
    await queries.invalidateQueries({ queryKey: [shop] });
    choose(undefined);
    told(say, say("saved"));
    requestAnimationFrame(() => {
      const lost = document.activeElement === document.body; // and not where the person types already
      if (lost) list.current?.querySelector<HTMLElement>('[aria-expanded="true"]')?.focus();
    });
  }

  return (
    <Card withBorder>
      <Group justify="space-between">
        <Title order={2} size="h4">
          {say("steps")}
        </Title>
        <Text size="sm" c="dimmed">
          {say("stepsDone", { n: done, all: steps.length })}
        </Text>
      </Group>
      <Progress value={(100 * done) / steps.length} my="sm" aria-label={say("steps")} />
      <Accordion ref={list} value={chosen === undefined ? next : chosen} onChange={choose} keepMounted={false}>
        {steps.map((s) => {
          const { form: Form, manage } = forms[s.key];
          return (
            <Accordion.Item key={s.key} value={s.key}>
              <Accordion.Control
                disabled={s.done}
                icon={
                  <ThemeIcon size={22} radius="xl" variant={s.done ? "filled" : "default"}>
                    {s.done ? <IconCheck size={14} /> : <IconCircle size={14} />}
                  </ThemeIcon>
                }
              >
                {say(`step_${s.key}`)}
                {s.done && <span className="skip">{say("stepDone")}</span>}
              </Accordion.Control>
              <Accordion.Panel>
                {manage && passport.role === "editor" ? <Text size="sm">{say("onlyManagers")}</Text> : <Form shop={shop} passport={passport} onDone={onDone} />}
              </Accordion.Panel>
            </Accordion.Item>
          );
        })}
      </Accordion>
      {passport.role !== "editor" && (
        <AnchorLink to="/$shop/transfer/move-in" params={{ shop }} size="sm" mt="sm" display="block">
          {say("moveIn")}
        </AnchorLink>
      )}
      <Anchor href="/docs/open-shop" target="_blank" rel="noreferrer" size="sm" mt="sm">
        {say("stepsHelp")}
      </Anchor>
    </Card>
  );
}
