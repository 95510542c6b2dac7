// Downloads are made by fetch: a navigation would not be signed in.
import { asked } from "./client";

// download saves the answer of a call as a file.
export async function download(path: string, name: string) {
  save(await (await asked(path)).blob(), name);
}

// save offers a file of the page.
export function save(content: Blob, name: string) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(content);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}

// firstLine reads the names of the columns of an export, and no more of it.
export async function firstLine(path: string): Promise<string> {
  const stop = new AbortController();
  const reader = (await asked(path, stop.signal)).body!.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  for (;;) {
    const { done, value } = await reader.read();
    text += value ?? "";
    if (!done && !text.includes("\n")) continue;
    stop.abort();
    return text.split("\n", 1)[0] + "\n";
  }
}
