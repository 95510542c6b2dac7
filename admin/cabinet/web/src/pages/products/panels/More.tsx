import { Attributes } from "./Attributes";
import { Combo } from "./Combo";
import { GroupsAndAds, MorePictures } from "./Links";
import { Seo } from "./Seo";

// More are the panels below those that every product needs. They are loaded after the page.
export default function More() {
  return (
    <>
      <Attributes />
      <Combo />
      <MorePictures />
      <GroupsAndAds />
      <Seo />
    </>
  );
}
