import { useRef } from "react";
import { Refusal } from "../api/client";

// useOnce makes a call that must not happen twice. The same body keeps its key until the call was
// answered, so that a person may try again after an answer got lost.
export function useOnce() {
  const open = useRef({ body: "", key: "" });
  return async <B, T>(body: B, call: (body: B, header: { "Idempotency-Key": string }) => Promise<T>): Promise<T> => {
    const text = JSON.stringify(body);
    if (open.current.body !== text) open.current = { body: text, key: crypto.randomUUID() };
    try {
      const answered = await call(body, { "Idempotency-Key": open.current.key });
      open.current = { body: "", key: "" };
      return answered;
    } catch (error) {
      if (error instanceof Refusal && error.status >= 400 && error.status < 500) open.current = { body: "", key: "" };
      throw error;
    }
  };
}
