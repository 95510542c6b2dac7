import { Combobox, createTheme, MantineProvider, Modal, Popover, SegmentedControl, type CSSVariablesResolver } from "@mantine/core";
import { Notifications } from "@mantine/notifications";
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { RouterProvider } from "@tanstack/react-router";
import { useMemo, useState } from "react";
import { Refusal } from "../api/client";
import { LanguageContext, preferredLanguage, type Language } from "../words";
import { nonce } from "./nonce";
import { Proof } from "./Proof";
import { router } from "./router";

const theme = createTheme({
  primaryColor: "teal",
  primaryShade: 9,
  autoContrast: true,
  defaultRadius: "md",
  fontFamily: "system-ui, -apple-system, 'Segoe UI', Roboto, sans-serif",
  headings: { fontWeight: "650" },
  cursorType: "pointer",
  components: {
    // The header of a dialog is none of the page. Messages at the top do not cover it in the centre.
    Modal: Modal.extend({ defaultProps: { centered: true, attributes: { header: { role: "none" } } } }),
    // Its texts stay readable while the colours of the page change.
    SegmentedControl: SegmentedControl.extend({ defaultProps: { transitionDuration: 0 } }),
    // A list as wide as its field needs no moving to the side, and one that closes when the page is touched
    // neither hides with its field nor holds its place: each of these lays the page out once more as it opens.
    Combobox: Combobox.extend({ defaultProps: { middlewares: { flip: true, shift: false }, hideDetached: false, preventPositionChangeWhenVisible: false } }),
    // Lists that fields open belong to the page, also for screen readers.
    Popover: Popover.extend({ defaultProps: { portalProps: { target: "main" } } }),
  },
});

// Texts that are paler in Mantine than everybody can read.
const variables: CSSVariablesResolver = () => ({
  variables: {},
  light: {
    "--mantine-color-dimmed": "var(--mantine-color-gray-7)",
    "--mantine-color-placeholder": "var(--mantine-color-gray-7)",
    "--mantine-color-teal-light-color": "#06664a",
    "--mantine-color-orange-light-color": "#a33607",
    "--mantine-color-red-light-color": "#b02525",
    "--mantine-color-error": "var(--mantine-color-red-9)",
  },
  dark: { "--mantine-color-dimmed": "var(--mantine-color-dark-1)", "--mantine-color-placeholder": "var(--mantine-color-dark-1)", "--mantine-color-error": "var(--mantine-color-red-4)" },
});

const queries = new QueryClient({
  defaultOptions: {
    // A browser that believes to be offline may be wrong: each call is tried, and fails at once.
    mutations: { networkMode: "always" },
    queries: {
      networkMode: "always",
      refetchOnReconnect: true,
      staleTime: 5_000,
      retry: (tries, error) => error instanceof Refusal && (error.status === 0 || error.status >= 500) && tries < 2,
    },
  },
});

export function App() {
  const [language, choose] = useState<Language>(() => preferredLanguage(localStorage.getItem("language") ?? ""));
  const words = useMemo(() => {
    document.documentElement.lang = language;
    return {
      language,
      choose: (l: Language) => {
        localStorage.setItem("language", l);
        choose(l);
      },
    };
  }, [language]);
  return (
    <MantineProvider theme={theme} defaultColorScheme="auto" cssVariablesResolver={variables} getStyleNonce={() => nonce}>
      <LanguageContext value={words}>
        <QueryClientProvider client={queries}>
          <Notifications position="top-right" limit={3} mt={56} /> {/* below the header */}
          <Proof />
          <RouterProvider router={router} />
        </QueryClientProvider>
      </LanguageContext>
    </MantineProvider>
  );
}
