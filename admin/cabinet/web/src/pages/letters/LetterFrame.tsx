import { nonce } from "../../frame/nonce";

// LetterFrame shows the page of a letter. The frame has no scripts, and the cabinet's policy holds in
// it: styles need the nonce, and pictures of the shop, which are on another origin, are left out.
export function LetterFrame({ html, title }: { html: string; title: string }) {
  return <iframe className="letter" title={title} sandbox="allow-same-origin allow-popups allow-popups-to-escape-sandbox" srcDoc={shown(html)} />;
}

// shown rewrites a letter for the frame: styles of single elements become rules. Even a parser of the
// page may not meet them as they are, so they are renamed before.
function shown(html: string): string {
  const renamed = html.replace(/<[a-z][^>]*>/gi, (tag) => tag.replace(/\s(style|on\w+)\s*=/gi, " data-$1=").replace(/^<style/i, `<style nonce="${nonce}"`));
  const page = new DOMParser().parseFromString(renamed, "text/html");
  page.querySelectorAll("script, link, base, meta[http-equiv], iframe, frame, object, embed").forEach((e) => e.remove());
  const rules: string[] = [];
  for (const e of page.querySelectorAll<HTMLElement>("*")) {
    for (const { name } of [...e.attributes]) {
      if (name.startsWith("on") || ["style", "src", "srcset", "background", "poster", "data", "action", "formaction"].includes(name)) e.removeAttribute(name);
    }
    if (e instanceof HTMLAnchorElement && !/^(https?|mailto|tel):/.test(e.protocol)) e.removeAttribute("href");
    if (e.dataset.style === undefined) continue;
    const parsed = document.createElement("p").style;
    parsed.cssText = e.dataset.style;
    e.dataset.style = String(rules.length);
    rules.push(`[data-style="${rules.length}"]{${parsed.cssText}}`);
  }
  const styles = page.createElement("style");
  styles.setAttribute("nonce", nonce);
  styles.textContent = rules.join("\n");
  page.head.prepend(styles);
  for (const e of page.querySelectorAll("style")) e.textContent = e.textContent.replace(/url\([^)]*\)|@import[^;]*;?/gi, "");
  const base = page.createElement("base");
  base.target = "_blank";
  page.head.prepend(base);
  return "<!doctype html>" + page.documentElement.outerHTML;
}
