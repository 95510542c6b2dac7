// Words of saved filters of lists.
import type { Phrases } from ".";

export const words = {
  viewName: ["Save these filters as", "Сохранить эти фильтры как"],
  noViews: ["No saved views yet.", "Сохранённых видов ещё нет."],
  viewRemoved: ["The view {name} is removed.", "Вид «{name}» удалён."],
} satisfies Phrases;
