import { ActionIcon, Anchor, Badge, Box, Button, Group as Row, Stack, Text, Textarea, Title } from "@mantine/core";
import { IconCheck, IconFilter, IconX } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import type { Schemas } from "../../api/client";
import { passportQuery } from "../../frame/session";
import { dateText } from "../../parts/dates";
import { Form } from "../../parts/Form";
import { AnchorLink } from "../../parts/links";
import { told } from "../../parts/notice";
import { Picture } from "../../parts/Picture";
import { useTyped } from "../../parts/typed";
import { useWords } from "../../words";
import { words } from "../../words/reviews";
import { decide, type Kind, type Remark } from "./data";
import type { Status } from "./search";

const colors: Record<Status, string> = { pending: "orange", approved: "teal", rejected: "gray" };

interface Props {
  shop: string;
  kind: Kind;
  remark: Remark;
  product: Schemas["CatalogProductView"] | undefined; // undefined: deleted, or not known yet
  known: boolean; // whether the products are loaded
  current: boolean; // whether the keys act on it
  writes: boolean;
  onFocus: () => void;
  onDecide: (status: Status) => void;
  onProduct: (() => void) | undefined;
  onChanged: () => Promise<void>;
}

// RemarkCard is one review or question, to read, to decide and to answer.
export function RemarkCard({ shop, kind, remark: r, product, known, current, writes, onFocus, onDecide, onProduct, onChanged }: Props) {
  const { say, language } = useWords(words);
  const { data: passport } = useQuery(passportQuery(shop));
  const typed = useTyped(`${shop}/${kind}/${r.id}/answer`, { text: r.answer });
  const [answering, setAnswering] = useState(typed.kept);
  const status = r.status ?? "pending";
  const erased = r.user_id == null && !r.text && !r.author;
  const long = (text: string) => (
    <Text size="sm" dir="auto" style={{ whiteSpace: "pre-wrap" }}>
      {text}
    </Text>
  );
  return (
    <Box component="article" id={"remark-" + r.id} tabIndex={-1} onFocus={onFocus} p="xs" className="remark" data-current={current || undefined}>
      <Stack gap="xs">
        <Row gap="xs">
          {r.rating && (
            <Text component="span" role="img" aria-label={say("stars", { n: r.rating })} c="var(--mantine-color-orange-light-color)">
              {"★".repeat(r.rating) + "☆".repeat(5 - r.rating)}
            </Text>
          )}
          <Title order={2} size="sm" dir="auto">
            {r.author || say("noAuthor")}
          </Title>
          {r.verified && (
            <Badge variant="light" tt="none">
              {say("verified")}
            </Badge>
          )}
          <Badge variant="light" color={colors[status]} tt="none">
            {say(status)}
          </Badge>
          <Text size="sm" c="dimmed">
            {dateText(r.created_at, passport?.store.timezone ?? "UTC", language)}
          </Text>
          {r.helpful > 0 && (
            <Text size="sm" c="dimmed">
              {say("helpful", { n: r.helpful })}
            </Text>
          )}
        </Row>
        <Row gap="xs" wrap="nowrap">
          <Picture id={product?.preview?.id} size={32} />
          {product ? (
            <AnchorLink to="/$shop/products/$id" params={{ shop, id: String(product.id) }} size="sm" c="var(--mantine-color-text)" td="underline" dir="auto" lineClamp={2}>
              {product.name}
            </AnchorLink>
          ) : (
            known && <Text size="sm">{say("deletedProduct", { id: r.product_id })}</Text>
          )}
          {onProduct && (
            <ActionIcon variant="subtle" color="gray" aria-label={say("onlyProduct")} title={say("onlyProduct")} onClick={onProduct}>
              <IconFilter size={16} />
            </ActionIcon>
          )}
        </Row>
        {r.text ? long(r.text) : <Text size="sm">{say(erased ? "erasedText" : "noText")}</Text>}
        {(["pros", "cons"] as const).map(
          (side) =>
            r[side] && (
              <div key={side}>
                <Text size="sm" fw={600}>
                  {say(side)}
                </Text>
                {long(r[side])}
              </div>
            ),
        )}
        {r.file_ids.length > 0 && <Photos shop={shop} remark={r} />}
        {r.answer && !answering && (
          <Box pl="sm" className="answer">
            <Text size="sm" fw={600}>
              {say("yourAnswer")}
            </Text>
            {long(r.answer)}
          </Box>
        )}
        {answering ? (
          <Answer
            kind={kind}
            remark={r}
            typed={typed}
            onClose={() => {
              typed.forget();
              setAnswering(false);
            }}
            onChanged={onChanged}
            onSaved={() => {
              typed.forget();
              setAnswering(false);
              told(say, say("saved"));
            }}
          />
        ) : (
          writes && (
            <Row gap={6}>
              {status !== "approved" && (
                <Button size="xs" px="xs" leftSection={<IconCheck size={16} />} onClick={() => onDecide("approved")}>
                  {say("approve")}
                </Button>
              )}
              {status !== "rejected" && (
                <Button size="xs" px="xs" variant="light" color="red" leftSection={<IconX size={16} />} onClick={() => onDecide("rejected")}>
                  {say("reject")}
                </Button>
              )}
              <Button size="xs" px="xs" variant="default" onClick={() => setAnswering(true)}>
                {say(r.answer ? "changeAnswer" : "answer")}
              </Button>
            </Row>
          )
        )}
      </Stack>
    </Box>
  );
}

// Photos are the pictures of a review, which the shop deletes some time after it was rejected.
function Photos({ shop, remark }: { shop: string; remark: Remark }) {
  const { say } = useWords(words);
  const [gone, setGone] = useState<string[]>([]);
  const left = remark.file_ids.filter((id) => !gone.includes(id));
  if (left.length === 0) return <Text size="sm">{say("photosGone")}</Text>;
  return (
    <Row gap="xs">
      {left.map((id, i) => (
        <Anchor key={id} href={`/reviews/${remark.id}/files/${id}?shop=${shop}`} target="_blank" rel="noreferrer">
          <img className="picture" src={`/reviews/${remark.id}/files/${id}?shop=${shop}`} width={72} height={72} alt={say("photo", { n: i + 1 })} loading="lazy" decoding="async" onError={() => setGone((list) => [...list, id])} />
        </Anchor>
      ))}
    </Row>
  );
}

function Answer({ kind, remark, typed, onSaved, onChanged, onClose }: { kind: Kind; remark: Remark; typed: ReturnType<typeof useTyped<{ text: string }>>; onSaved: () => void; onChanged: () => Promise<void>; onClose: () => void }) {
  const { say } = useWords(words);
  const pending = remark.status === "pending";
  return (
    <Form
      submit={say(pending ? "answerAndApprove" : "save")}
      fields={{ answer: typed.values.text }}
      onSubmit={async () => {
        // A refusal may come from a change by somebody else, which is then shown above.
        await decide(kind, remark, { answer: typed.values.text, ...(pending ? { status: "approved" } : {}) }).finally(onChanged);
        onSaved();
      }}
      more={() => (
        <Button variant="subtle" style={{ alignSelf: "flex-start" }} onClick={onClose}>
          {say("cancel")}
        </Button>
      )}
    >
      {({ at }) => <Textarea label={say("yourAnswer")} description={say("answerHint")} {...typed.text("text")} error={at("answer")} maxLength={5000} autosize minRows={2} maxRows={12} autoFocus dir="auto" />}
    </Form>
  );
}
