import { ActionIcon, Group, SegmentedControl, Skeleton, Text } from "@mantine/core";
import { useElementSize } from "@mantine/hooks";
import { IconDeviceDesktop, IconDeviceMobile, IconDeviceTablet, IconExternalLink } from "@tabler/icons-react";
import { useEffect, useRef, useState, type ReactNode } from "react";
import { useWords } from "../../words";
import { words } from "../../words/design";
import type { Section } from "./sections";

const widths = { computer: 1280, tablet: 768, phone: 390 } as const;
const icons = { computer: IconDeviceDesktop, tablet: IconDeviceTablet, phone: IconDeviceMobile };
const settled = 80; // ms after the last key

// Preview shows a page of the draft with the blocks as they are being edited. The page itself draws
// them; the two talk by messages.
export function Preview({ address, path, unsaved, version, at, children, onOpen }: { address: string; path: string; unsaved: Record<string, Section[]>; version: number; at: string; children?: ReactNode; onOpen: (place: string) => void }) {
  const { say } = useWords(words);
  const frame = useRef<HTMLIFrameElement>(null);
  const [device, setDevice] = useState<keyof typeof widths>("computer");
  const [ready, setReady] = useState(0);
  const [state, setState] = useState<{ took?: number; failed?: boolean }>({});
  const { ref, width, height } = useElementSize();
  const origin = new URL(address).origin;
  const open = useRef(onOpen);
  open.current = onOpen;
  const asked = useRef({ number: 0, since: 0 });

  useEffect(() => {
    function onMessage(event: MessageEvent) {
      if (event.source !== frame.current?.contentWindow || event.origin !== origin) return;
      const message = (event.data as { vitrine?: { ready?: string; open?: string; drawn?: number; failed?: number } } | null)?.vitrine;
      if (!message) return;
      if (message.ready) setReady((n) => n + 1);
      if (message.open && /^\d+-\d+$/.test(message.open)) open.current(message.open);
      if (message.drawn === asked.current.number) setState({ took: Math.round(performance.now() - asked.current.since) });
      if (message.failed === asked.current.number) setState({ failed: true });
    }
    window.addEventListener("message", onMessage);
    return () => window.removeEventListener("message", onMessage);
  }, [origin]);

  const key = JSON.stringify(unsaved);
  // A page shows what was saved when it was requested, which may be some time before it is ready.
  const requested = useRef(version);
  const drawn = useRef("");
  useEffect(() => {
    drawn.current = "{}" + (ready === 1 ? requested.current : version);
  }, [ready]);
  useEffect(() => {
    if (ready === 0 || drawn.current === key + version) return;
    const since = performance.now();
    const timer = setTimeout(() => {
      drawn.current = key + version;
      asked.current = { number: asked.current.number + 1, since };
      frame.current?.contentWindow?.postMessage({ vitrine: { draw: asked.current.number, blocks: JSON.parse(key) as unknown } }, origin);
    }, settled);
    return () => clearTimeout(timer);
  }, [key, version, ready, origin]);
  useEffect(() => {
    if (ready > 0) frame.current?.contentWindow?.postMessage({ vitrine: { show: at } }, origin);
  }, [at, ready, origin, state]);

  const scale = Math.min(1, (width || 1) / widths[device]);
  return (
    <section className="preview" aria-label={say("preview")}>
      <Group justify="space-between" gap="xs" wrap="nowrap" mb="xs">
        <SegmentedControl
          size="xs"
          aria-label={say("widthOf")}
          value={device}
          onChange={(v) => setDevice(v as keyof typeof widths)}
          data={(Object.keys(widths) as (keyof typeof widths)[]).map((d) => {
            const Icon = icons[d];
            return { value: d, label: <Icon size={18} aria-label={say(`box_${d}`)} role="img" style={{ display: "block" }} /> };
          })}
        />
        <Text size="xs" c={state.failed ? "red" : "dimmed"} role="status" data-took={state.took}>
          {state.failed ? say("previewFailed") : ""}
        </Text>
        <Group gap={4} wrap="nowrap">
          {children}
          <ActionIcon component="a" variant="default" href={`${address}?path=${encodeURIComponent(path)}`} target="_blank" rel="noreferrer" aria-label={say("openPreview")} title={say("openPreview")}>
            <IconExternalLink size={18} />
          </ActionIcon>
        </Group>
      </Group>
      <div ref={ref} className="preview-room">
        {ready === 0 && <Skeleton h="100%" pos="absolute" />}
        <iframe
          ref={frame}
          title={say("preview")}
          src={`${address}?path=${encodeURIComponent(path)}`}
          style={{ width: widths[device], height: (height || 600) / scale, transform: `scale(${scale})`, marginInlineStart: Math.max(0, (width - widths[device] * scale) / 2) }}
        />
      </div>
    </section>
  );
}
