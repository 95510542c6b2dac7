import { answer, api, currentShop, Refusal, refusal } from "./client";

const pictures = /\.(heic|heif|avif)$/i; // most systems do not know their types
const models = /\.(glb|gltf|usdz|obj|stl|fbx)$/i;

// kindOf is the kind of a file as the API names it.
function kindOf(file: File) {
  const [kind] = file.type.split("/");
  if (kind === "image" || kind === "video" || kind === "audio") return kind;
  if (pictures.test(file.name)) return "image";
  return models.test(file.name) ? "model" : "file";
}

// upload stores a file of the library, or new bytes of one that is there, and returns its id.
// progress is called with 0 to 1.
export async function upload(file: File, progress: (done: number) => void, signal: AbortSignal, replaced?: string): Promise<string> {
  const original_name = file.name.slice(0, 255);
  const begun = await answer(
    replaced
      ? api.POST("/v1/storages/files/{id}/replace", { params: { path: { id: replaced } }, body: { original_name }, signal })
      : api.POST("/v1/storages/files", { body: { file_type: kindOf(file), original_name, section: "content" }, signal }),
  );
  try {
    await put(begun.upload.url, file, progress, signal);
    await answer(api.POST("/v1/storages/files/{id}/done", { params: { path: { id: begun.upload.id } }, body: {}, signal }));
  } catch (fault) {
    // What was announced counts against the shop's storage until it expires.
    if (!replaced) void api.DELETE("/v1/storages/files/{id}", { params: { path: { id: begun.result.id } } }).catch(() => {});
    throw fault;
  }
  return begun.result.id;
}

// copied stores a copy of a picture on the web and returns its id.
export async function copied(address: string, signal: AbortSignal): Promise<string> {
  const { result } = await answer(api.POST("/v1/storages/files/from-url", { body: { source_url: address, file_type: "image", section: "content" }, signal }));
  return result.id;
}

// sendShop begins the import of a shop and returns the id of its job.
export async function sendShop(path: string, file: File, progress: (done: number) => void, signal: AbortSignal): Promise<string> {
  const begun = await send("POST", path, new Blob([file], { type: "application/zip" }), progress, signal);
  return (begun as { result: { id: string } }).result.id;
}

// sendZip makes a release from an archive; with null, from the one that the address names. at completes
// the path.
export async function sendZip(path: string, at: (path: string) => string, file: Blob | null, progress: (done: number) => void, signal: AbortSignal): Promise<string> {
  const made = await send("POST", at(path), new Blob(file ? [file] : [], { type: "application/zip" }), progress, signal);
  return (made as { release_id: string }).release_id;
}

// put sends the bytes of an announced file to its address.
export const put = (url: string, file: Blob, progress: (done: number) => void, signal: AbortSignal) => send("PUT", new URL(url, location.origin).pathname, file, progress, signal);

// send sends the bytes with XMLHttpRequest, because fetch reports no progress of uploads.
function send(method: "PUT" | "POST", path: string, file: Blob, progress: (done: number) => void, signal: AbortSignal): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open(method, path);
    if (currentShop()) request.setRequestHeader("X-Vitrine-Shop", currentShop());
    request.upload.onprogress = (e) => e.lengthComputable && progress(e.loaded / e.total);
    request.onload = () => {
      const body = parsed(request.responseText);
      if (request.status < 300) resolve(body);
      else reject(refusal(request.status, body));
    };
    request.onerror = () => reject(new Refusal(0, "OFFLINE", ""));
    request.onabort = () => reject(new DOMException("aborted", "AbortError"));
    signal.addEventListener("abort", () => request.abort());
    request.send(file);
  });
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
