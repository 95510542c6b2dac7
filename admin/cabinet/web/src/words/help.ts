import type { Phrases } from ".";

export const words = {
  keyList: ["Keys", "Клавиши"],
  undoKey: ["Undo what the latest notice offers to, outside of fields", "Отменить то, что предлагает последнее уведомление, вне полей"],
} satisfies Phrases;
