import { Attributes } from "./Attributes";
import { Combo } from "./Combo";
import { Links } from "./Links";
import { Seo } from "./Seo";

// More are the panels below those that every product needs. They are loaded after the page.
export default function More() {
  return (
    <>
      <Attributes />
      <Combo />
      <Links />
      <Seo />
    </>
  );
}
