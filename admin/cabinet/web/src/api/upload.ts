import { answer, api } from "./client";

// upload stores a picture of the library and returns its id. progress is called with 0 to 1.
export async function upload(file: File, progress: (done: number) => void, signal: AbortSignal): Promise<string> {
  const begun = await answer(api.POST("/v1/storages/files", { body: { file_type: "image", original_name: file.name.slice(0, 255), section: "content" }, signal }));
  await send(begun.upload.url, file, progress, signal);
  await answer(api.POST("/v1/storages/files/{id}/done", { params: { path: { id: begun.result.id } }, body: {}, signal }));
  return begun.result.id;
}

// send puts the bytes with XMLHttpRequest, because fetch reports no progress of uploads.
function send(url: string, file: File, progress: (done: number) => void, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open("PUT", new URL(url, location.origin).pathname);
    request.upload.onprogress = (e) => e.lengthComputable && progress(e.loaded / e.total);
    request.onload = () => (request.status < 300 ? resolve() : reject(new Error(`${request.status} ${request.responseText.slice(0, 200)}`)));
    request.onerror = () => reject(new Error("upload"));
    request.onabort = () => reject(new DOMException("aborted", "AbortError"));
    signal.addEventListener("abort", () => request.abort());
    request.send(file);
  });
}
