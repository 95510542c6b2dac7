// Words of tables to type in.
import type { Phrases } from ".";

export const words = {
  fillDown: ["Fill down", "Заполнить вниз"],
  sheetHint: ["Type, paste from a spreadsheet, or drag a corner down", "Вводите, вставляйте из таблицы или тяните угол вниз"],
} satisfies Phrases;
