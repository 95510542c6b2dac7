import "uplot/dist/uPlot.min.css";
import { useElementSize } from "@mantine/hooks";
import { useComputedColorScheme } from "@mantine/core";
import { useEffect, useRef } from "react";
import UPlot from "uplot";

// Chart draws one value per day, and beside it what there was before. Its table is for readers of
// the screen.
export default function Chart({
  label,
  days,
  values,
  format,
  before,
}: {
  label: string;
  days: string[];
  values: number[];
  format: (v: number) => string;
  before?: { label: string; values: (number | null)[] } | undefined;
}) {
  const { ref, width } = useElementSize();
  const holder = useRef<HTMLDivElement>(null);
  const scheme = useComputedColorScheme();
  const key = JSON.stringify([days, values, before]);
  useEffect(() => {
    if (!holder.current || width === 0) return;
    const style = getComputedStyle(document.documentElement);
    const axis = { stroke: style.getPropertyValue("--mantine-color-dimmed"), grid: { stroke: style.getPropertyValue("--mantine-color-default-border"), width: 1 }, ticks: { show: false } };
    const color = style.getPropertyValue("--mantine-primary-color-filled");
    const plot = new UPlot(
      {
        width,
        height: 220,
        legend: { show: before !== undefined, live: false },
        cursor: { y: false },
        axes: [
          { ...axis, space: 60 },
          { ...axis, size: 70, values: (_, ticks) => ticks.map(format) },
        ],
        scales: { y: { range: (_, __, max) => [0, Math.max(1, max * 1.1)] } },
        series: [{}, { label, stroke: color, width: 2, fill: color + "22" }, ...(before ? [{ label: before.label, stroke: axis.stroke, width: 1, dash: [4, 4] }] : [])],
      },
      [days.map((d) => new Date(d + "T12:00:00").getTime() / 1000), values, ...(before ? [before.values] : [])],
      holder.current,
    );
    return () => plot.destroy();
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, [key, width, label, scheme]);
  return (
    <div ref={ref} style={{ minHeight: 220, overflow: "hidden" }}>
      <div ref={holder} aria-hidden />
      <table className="skip">
        <caption>{label}</caption>
        {before && (
          <thead>
            <tr>
              <td />
              <th scope="col">{label}</th>
              <th scope="col">{before.label}</th>
            </tr>
          </thead>
        )}
        <tbody>
          {days.map((d, i) => (
            <tr key={d}>
              <th scope="row">{d}</th>
              <td>{format(values[i] ?? 0)}</td>
              {before && <td>{format(before.values[i] ?? 0)}</td>}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
