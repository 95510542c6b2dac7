import { Modal, SimpleGrid, Text, UnstyledButton } from "@mantine/core";
import { useMediaQuery } from "@mantine/hooks";
import {
  IconArticle, IconCards, IconChevronsRight, IconCode, IconColumns, IconForms, IconHeading, IconHelpCircle, IconLayoutBottombar, IconLayoutGrid, IconLayoutNavbar, 
  IconList, IconListNumbers, IconMenu2, IconPhoto, IconShoppingBag, IconSpeakerphone, IconSquare, IconStars, IconTags, IconTypography, IconVideo, type TablerIcon,
} from "@tabler/icons-react";
import { useWords } from "../../words";
import { kinds, words } from "../../words/design";
import type { Entry, Reference } from "./reference";

const icons: Record<string, TablerIcon> = {
  breadcrumbs: IconChevronsRight, pageHeading: IconHeading, html: IconCode, productListing: IconLayoutGrid, productCard: IconShoppingBag, form: IconForms, columns: IconColumns, cta: IconSpeakerphone,
  slideshow: IconPhoto, reels: IconVideo, cards: IconCards, steps: IconListNumbers, faq: IconHelpCircle, features: IconStars, articleGrid: IconArticle, articleHeader: IconHeading,
  articleListing: IconList, articleRubrics: IconTags, siteHeader: IconLayoutNavbar, siteMenu: IconMenu2, siteFooter: IconLayoutBottombar, text: IconTypography,
};

// Palette is all kinds of blocks that may be added at a place.
export default function Palette({ reference, chrome, onChoose, onClose }: { reference: Reference; chrome: boolean; onChoose: (entry: Entry) => void; onClose: () => void }) {
  const { say, language } = useWords(words);
  const narrow = useMediaQuery("(max-width: 48em)");
  const offered = [...reference.structural.filter((e) => e.kind === "text"), ...reference.widgets].filter((e) => e.drawn && (chrome || e.placement === "page"));
  offered.sort((a, b) => Number(b.placement === "chrome") - Number(a.placement === "chrome"));
  return (
    <Modal opened onClose={onClose} title={say("addBlock")} size="xl" fullScreen={narrow ?? false} closeButtonProps={{ "aria-label": say("close") }}>
      <SimpleGrid cols={{ base: 1, xs: 2, sm: 3 }} spacing="xs">
        {offered.map((e) => {
          const Icon = icons[e.kind] ?? IconSquare;
          const about = kinds[e.kind]?.[language === "ru" ? 1 : 0];
          return (
            <UnstyledButton key={e.kind} className="tile offered" onClick={() => onChoose(e)}>
              <Icon size={28} stroke={1.4} aria-hidden />
              <Text size="sm" fw={500} component="span" display="block">
                {e.label[language]}
              </Text>
              <Text size="xs" c="dimmed" component="span" display="block">
                {about}
              </Text>
            </UnstyledButton>
          );
        })}
      </SimpleGrid>
    </Modal>
  );
}
