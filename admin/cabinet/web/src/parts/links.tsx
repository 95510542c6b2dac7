// Mantine's components as links of the router, with checked addresses.
import { Anchor, Button, Card, NavLink, type AnchorProps, type ButtonProps, type CardProps, type NavLinkProps } from "@mantine/core";
import { createLink } from "@tanstack/react-router";
import type { AnchorHTMLAttributes, Ref } from "react";

type Link<P> = P & Omit<AnchorHTMLAttributes<HTMLAnchorElement>, keyof P | "color"> & { ref?: Ref<HTMLAnchorElement> };

export const AnchorLink = createLink((props: Link<AnchorProps>) => <Anchor {...props} />);
// ButtonAnchor leads out of the cabinet.
export const ButtonAnchor = (props: Link<ButtonProps>) => <Button component="a" {...props} />;
export const ButtonLink = createLink(ButtonAnchor);
export const CardLink = createLink((props: Link<CardProps>) => <Card component="a" {...props} />);
export const MenuLink = createLink((props: Link<NavLinkProps>) => <NavLink component="a" {...props} />);
