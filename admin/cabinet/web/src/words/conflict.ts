// Words of the choice between two changes of the same field.
import type { Phrases } from ".";

export const words = {
  mine: ["Mine", "Моё"],
  theirs: ["Theirs", "Чужое"],
  keepChosen: ["Save what is chosen", "Сохранить выбранное"],
} satisfies Phrases;
