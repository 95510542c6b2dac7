const browsers = [
  [/Edg/, "Edge"],
  [/OPR\//, "Opera"],
  [/YaBrowser/, "Yandex"],
  [/Firefox|FxiOS/, "Firefox"],
  [/Chrome|CriOS/, "Chrome"],
  [/Safari/, "Safari"],
] as const;
const systems = [
  [/iPhone|iPad/, "iOS"],
  [/Android/, "Android"],
  [/Windows/, "Windows"],
  [/Mac OS/, "macOS"],
  [/CrOS/, "ChromeOS"],
  [/Linux/, "Linux"],
] as const;

// deviceOf names browser and system as a person knows them, and other programs as they name
// themselves.
export function deviceOf(agent: string): string {
  const found = [browsers, systems].map((list) => list.find(([pattern]) => pattern.test(agent))?.[1]);
  return found.filter(Boolean).join(", ") || agent.slice(0, 60);
}
