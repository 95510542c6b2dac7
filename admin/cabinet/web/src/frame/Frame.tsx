import { ActionIcon, Anchor, AppShell, Burger, Button, Group, Menu, ScrollArea, Select, Text, useMantineColorScheme } from "@mantine/core";
import { useDisclosure, useHotkeys } from "@mantine/hooks";
import { IconExternalLink, IconHelp, IconLogout, IconPalette, IconSearch, IconUserCircle, IconUserCog } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { lazy, Suspense, useEffect, useRef, useState } from "react";
import { Link, Outlet, useNavigate, useParams, useRouterState } from "@tanstack/react-router";
import { forbidden } from "../api/client";
import { MenuLink } from "../parts/links";
import { useWords } from "../words";
import { CallButton } from "./Call";
import { Failure } from "./Failure";
import { areas, groups } from "./areas";
import { meQuery, passportQuery, shopsQuery } from "./session";
import { useSignOut } from "./useSignOut";

const Finder = lazy(() => import("./Finder"));
const Help = lazy(() => import("./Help"));

// Frame is what all pages of a shop share: its menu, the choice of shops, search and account.
export function Frame() {
  const { shop } = useParams({ from: "/$shop" });
  const { say } = useWords();
  const [opened, { toggle, close }] = useDisclosure();
  const passport = useQuery(passportQuery(shop));
  const shops = useQuery(shopsQuery);
  const navigate = useNavigate();
  const [finding, setFinding] = useState(false);
  const [helping, help] = useDisclosure();
  const page = useRef<HTMLElement>(null);
  // The frame is drawn again with another page, not when a page asks for another list.
  const path = useRouterState({ select: (state) => state.location.pathname + "/" });
  const area = areas.find((a) => path.startsWith(a.to.replace("$shop", shop) + "/"));
  const openFinder = () => setFinding(true);
  // The menu of a narrow window is still there for keys when it is out of sight.
  const leaveMenu = () => {
    close();
    if (opened) page.current?.focus();
  };
  useHotkeys([["mod+K", openFinder]], []);
  const { refetch } = passport;
  useEffect(() => {
    const ask = (event: Event) => !String((event as CustomEvent).detail).endsWith("/v1/account/token") && void refetch();
    forbidden.addEventListener("call", ask);
    return () => forbidden.removeEventListener("call", ask);
  }, [refetch]);
  // What a person had typed stays on the page after they were removed from the shop.
  if (passport.isError && !passport.data) return <Failure error={passport.error} retry={() => void passport.refetch()} />;
  const seen = areas.filter((a) => !passport.data || a.needs.every((c) => passport.data.capabilities[c]));
  return (
    <AppShell header={{ height: 56 }} navbar={{ width: 232, breakpoint: "sm", collapsed: { mobile: !opened } }} aside={{ width: 420, breakpoint: "md", collapsed: { mobile: !helping, desktop: !helping } }} padding="md">
      <a className="skip" href="#page">
        {say("skip")}
      </a>
      <AppShell.Header>
        <Group h="100%" px="md" justify="space-between" wrap="nowrap" gap="xs">
          <Group gap="xs" wrap="nowrap" miw={0}>
            <Burger opened={opened} onClick={toggle} hiddenFrom="sm" size="sm" aria-label={say("menu")} />
            {shops.data && shops.data.length > 1 ? (
              <Select
                aria-label={say("shop")}
                data={shops.data.map((s) => ({ value: s.slug, label: s.name }))}
                value={shop}
                allowDeselect={false}
                variant="unstyled"
                fw={600}
                onChange={(slug) => slug && void navigate({ to: "/$shop/start", params: { shop: slug } })}
              />
            ) : (
              <Text fw={600} truncate dir="auto">
                {passport.data?.store.name}
              </Text>
            )}
          </Group>
          <Group gap="xs" wrap="nowrap">
            <Button variant="default" leftSection={<IconSearch size={16} />} rightSection={<Text size="xs">Ctrl K</Text>} onClick={openFinder} visibleFrom="sm">
              {say("search")}
            </Button>
            <ActionIcon variant="default" size="lg" aria-label={say("search")} onClick={openFinder} hiddenFrom="sm">
              <IconSearch size={18} />
            </ActionIcon>
            <CallButton />
            {area && (
              <ActionIcon variant="default" size="lg" aria-label={say("help")} title={say("help")} aria-expanded={helping} onClick={help.toggle}>
                <IconHelp size={18} />
              </ActionIcon>
            )}
            <AccountMenu />
          </Group>
        </Group>
      </AppShell.Header>
      <AppShell.Navbar p="xs" aria-label={say("menu")}>
        <AppShell.Section grow component={ScrollArea} type="scroll">
          {[undefined, ...groups].map((group) => {
            const links = seen.filter((a) => a.group === group);
            return (
              links.length > 0 && (
                <div key={group ?? ""} role="group" aria-labelledby={group && "group-" + group}>
                  {group && (
                    <Text id={"group-" + group} size="xs" fw={600} c="dimmed" px="sm" pt="sm" pb={4}>
                      {say(`group_${group}`)}
                    </Text>
                  )}
                  {links.map((a) => (
                    <MenuLink key={a.key} to={a.to} params={{ shop }} label={say(a.key)} leftSection={<a.icon size={18} />} py={6} onClick={leaveMenu} />
                  ))}
                </div>
              )
            );
          })}
        </AppShell.Section>
        {passport.data && (
          <Anchor href={passport.data.store.storefront_url} target="_blank" rel="noreferrer" size="sm" p="sm">
            <Group gap={6} wrap="nowrap">
              {say("storefront")} <IconExternalLink size={14} />
            </Group>
          </Anchor>
        )}
      </AppShell.Navbar>
      <AppShell.Main id="page" ref={page} tabIndex={-1}>
        <Outlet />
      </AppShell.Main>
      {helping && area && (
        <AppShell.Aside p="md" aria-label={say("help")}>
          <Suspense>
            <Help key={area.guide} guide={area.guide} onClose={help.close} />
          </Suspense>
        </AppShell.Aside>
      )}
      {finding && (
        <Suspense>
          <Finder shop={shop} areas={seen} onClose={() => setFinding(false)} />
        </Suspense>
      )}
    </AppShell>
  );
}

function AccountMenu() {
  const { say } = useWords();
  const { data: me } = useQuery(meQuery);
  const { setColorScheme } = useMantineColorScheme();
  const signOut = useSignOut();
  return (
    <Menu position="bottom-end" withinPortal={false} withInitialFocusPlaceholder={false}>
      <Menu.Target>
        <ActionIcon variant="default" size="lg" aria-label={say("account")}>
          <IconUserCircle size={20} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>{me?.email}</Menu.Label>
        <Menu.Item leftSection={<IconUserCog size={16} />} component={Link} to="/account">
          {say("toAccount")}
        </Menu.Item>
        {(["light", "dark", "auto"] as const).map((scheme) => (
          <Menu.Item key={scheme} leftSection={<IconPalette size={16} />} onClick={() => setColorScheme(scheme)}>
            {say(scheme)}
          </Menu.Item>
        ))}
        <Menu.Divider />
        <Menu.Item leftSection={<IconLogout size={16} />} onClick={() => void signOut()}>
          {say("signOut")}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
