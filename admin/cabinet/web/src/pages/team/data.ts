// The calls of the pages about the team.
import { answer, api, type Body, type Schemas } from "../../api/client";
import type { Role } from "../../frame/session";

export type Member = Schemas["StoreMember"];
export type Invitation = Schemas["StoreInvitation"];
export type MemberRole = Exclude<Role, "">;

export const roles: MemberRole[] = ["owner", "admin", "editor"];

// above reports whether a role has more rights than another one.
export const above = (role: MemberRole, other: Role) => other !== "" && roles.indexOf(role) < roles.indexOf(other);

export const invite = (body: Body<"post", "/v1/orgs/current/members">) => answer(api.POST("/v1/orgs/current/members", { body }));
