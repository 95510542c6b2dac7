// The two forms of a text: plain paragraphs, or the small HTML of package richtext.

const tags = "p|div|hr|blockquote|pre|h[1-6]|ul|ol|li|table|thead|tbody|tfoot|tr|th|td|br|img|a|span|strong|em|b|i|u|s|sub|sup|code";
const tag = new RegExp(`</?(?:${tags})(?:\\s[^>]*)?/?>`, "i");

export const isHTML = (text: string) => tag.test(text);

const escaped = (text: string) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");

// asHTML returns a text as the editor reads it. Empty lines separate the paragraphs of a plain text.
export function asHTML(text: string): string {
  return isHTML(text) || text === "" ? text : plainAsHTML(text);
}

export function plainAsHTML(text: string): string {
  return text
    .split(/\n[ \t]*\n\s*/)
    .map((p) => `<p>${escaped(p).replaceAll("\n", "<br>")}</p>`)
    .join("");
}

const parsed = (html: string) => new DOMParser().parseFromString(html, "text/html").body;

// asTyped returns what the editor holds as a text of the same form as before: a plain text stays
// plain while it has only paragraphs.
export function asTyped(html: string, before: string): string {
  const body = parsed(html);
  if (!body.textContent?.trim() && !body.querySelector("img, hr")) return "";
  if (isHTML(before) || body.querySelector(":not(p, br)")) return html;
  for (const br of body.querySelectorAll("br")) br.replaceWith("\n");
  const plain = [...body.children].map((p) => p.textContent).join("\n\n");
  return isHTML(plain) ? html : plain;
}

const same: Record<string, string> = { B: "STRONG", I: "EM", DEL: "S", STRIKE: "S" };

// outline lists the elements and words of a text. What an editor drops shows as a difference.
function outline(html: string): string {
  const list: string[] = [];
  const walk = (node: Node) => {
    for (const child of node.childNodes) {
      if (child instanceof Text) list.push(child.data.replace(/\s+/g, ""));
      else if (child instanceof Element) {
        // The editor wraps the content of list items and drops empty paragraphs' line ends.
        if (child.tagName !== "P" && child.tagName !== "BR") list.push(`<${same[child.tagName] ?? child.tagName}>`);
        walk(child);
      }
    }
  };
  walk(parsed(html));
  return list.join("");
}

// keeps reports whether what the editor made of a text has everything that the text has.
export const keeps = (made: string, text: string) => outline(made) === outline(text);
