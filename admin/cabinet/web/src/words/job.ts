// Words about jobs, which go on by themselves.
import type { Phrases } from ".";

export const words = {
  jobWaits: ["Waits for its turn", "Ждёт очереди"],
  stopJob: ["Stop", "Остановить"],
} satisfies Phrases;
