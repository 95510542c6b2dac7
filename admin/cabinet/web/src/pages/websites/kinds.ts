// The three kinds of uploaded websites have releases in the same way: each has the same calls at
// addresses of its own.
import { answer, api, type Body, type Schemas } from "../../api/client";
import { sendZip } from "../../api/upload";
import { addressOf, oneOf } from "../../parts/address";

export type Kind = "documents" | "folders" | "layouts";
export const kinds: Kind[] = ["documents", "folders", "layouts"];
export const kindOf = (v: string): Kind => oneOf(kinds, v) ?? "documents";

export type Limits = Schemas["SiteReleaseLimits"];
export type ReleaseRow = Schemas["SiteReleaseView"];
export type Release = Schemas["SiteReleaseDetails"];
export type Report = Schemas["ReleaseReport"];
export type Finding = Report["errors"][number];
export type Changes = Schemas["SiteDiffView"];
export type Manifest = Body<"post", "/html-documents/{id}/releases">;

export const isText = (mime: string) => /^text\/|javascript|json|xml/.test(mime);

type Progress = (done: number) => void;
const draft = { "X-Service-Contour": "dev" };
// zipAt is the address of an archive: the one in the body, or the one on the web that from names.
const zipAt = (path: string, id: string, base: string, from: string | undefined) => addressOf(path.replace("{id}", id), { base, source_url: from });
const at = (id: string) => ({ params: { path: { id } } });
const one = (id: string, rid: string) => ({ params: { path: { id, rid } } });

export const calls = {
  documents: {
    root: "/html-documents/{id}",
    releases: (id: string) => answer(api.GET("/html-documents/{id}/releases", at(id))),
    announce: (id: string, body: Manifest) => answer(api.POST("/html-documents/{id}/releases", { ...at(id), body })),
    zip: (id: string, base: string, file: Blob | null, from: string | undefined, progress: Progress, signal: AbortSignal) =>
      sendZip("/html-documents/{id}/releases/zip", (path) => zipAt(path, id, base, from), file, progress, signal),
    release: (id: string, rid: string) => answer(api.GET("/html-documents/{id}/releases/{rid}", one(id, rid))),
    file: (id: string, rid: string, path: string) => answer(api.GET("/html-documents/{id}/releases/{rid}/file", { params: { path: { id, rid }, query: { path } }, parseAs: "text" })),
    changes: (id: string, rid: string, to: string) => answer(api.GET("/html-documents/{id}/releases/{rid}/diff", { params: { path: { id, rid }, query: { to } } })),
    validate: (id: string, rid: string) => answer(api.POST("/html-documents/{id}/releases/{rid}/validate", one(id, rid))),
    publish: (id: string, rid: string, inDraft: boolean) => answer(api.POST("/html-documents/{id}/releases/{rid}/publish", { ...one(id, rid), body: {}, headers: inDraft ? draft : {} })),
    remove: (id: string, rid: string) => answer(api.DELETE("/html-documents/{id}/releases/{rid}", one(id, rid))),
    rollBack: (id: string, release_id: string) => answer(api.POST("/html-documents/{id}/rollback", { ...at(id), body: { release_id } })),
  },
  folders: {
    root: "/site-folders/{id}",
    releases: (id: string) => answer(api.GET("/site-folders/{id}/releases", at(id))),
    announce: (id: string, body: Manifest) => answer(api.POST("/site-folders/{id}/releases", { ...at(id), body })),
    zip: (id: string, base: string, file: Blob | null, from: string | undefined, progress: Progress, signal: AbortSignal) =>
      sendZip("/site-folders/{id}/releases/zip", (path) => zipAt(path, id, base, from), file, progress, signal),
    release: (id: string, rid: string) => answer(api.GET("/site-folders/{id}/releases/{rid}", one(id, rid))),
    file: (id: string, rid: string, path: string) => answer(api.GET("/site-folders/{id}/releases/{rid}/file", { params: { path: { id, rid }, query: { path } }, parseAs: "text" })),
    changes: (id: string, rid: string, to: string) => answer(api.GET("/site-folders/{id}/releases/{rid}/diff", { params: { path: { id, rid }, query: { to } } })),
    validate: (id: string, rid: string) => answer(api.POST("/site-folders/{id}/releases/{rid}/validate", one(id, rid))),
    publish: (id: string, rid: string, inDraft: boolean) => answer(api.POST("/site-folders/{id}/releases/{rid}/publish", { ...one(id, rid), body: {}, headers: inDraft ? draft : {} })),
    remove: (id: string, rid: string) => answer(api.DELETE("/site-folders/{id}/releases/{rid}", one(id, rid))),
    rollBack: (id: string, release_id: string) => answer(api.POST("/site-folders/{id}/rollback", { ...at(id), body: { release_id } })),
  },
  layouts: {
    root: "/themes/{id}/site",
    releases: (id: string) => answer(api.GET("/themes/{id}/site/releases", at(id))),
    announce: (id: string, body: Manifest) => answer(api.POST("/themes/{id}/site/releases", { ...at(id), body })),
    zip: (id: string, base: string, file: Blob | null, from: string | undefined, progress: Progress, signal: AbortSignal) =>
      sendZip("/themes/{id}/site/releases/zip", (path) => zipAt(path, id, base, from), file, progress, signal),
    release: (id: string, rid: string) => answer(api.GET("/themes/{id}/site/releases/{rid}", one(id, rid))),
    file: (id: string, rid: string, path: string) => answer(api.GET("/themes/{id}/site/releases/{rid}/file", { params: { path: { id, rid }, query: { path } }, parseAs: "text" })),
    changes: (id: string, rid: string, to: string) => answer(api.GET("/themes/{id}/site/releases/{rid}/diff", { params: { path: { id, rid }, query: { to } } })),
    validate: (id: string, rid: string) => answer(api.POST("/themes/{id}/site/releases/{rid}/validate", one(id, rid))),
    publish: (id: string, rid: string, inDraft: boolean) => answer(api.POST("/themes/{id}/site/releases/{rid}/publish", { ...one(id, rid), body: {}, headers: inDraft ? draft : {} })),
    remove: (id: string, rid: string) => answer(api.DELETE("/themes/{id}/site/releases/{rid}", one(id, rid))),
    rollBack: (id: string, release_id: string) => answer(api.POST("/themes/{id}/site/rollback", { ...at(id), body: { release_id } })),
  },
};
