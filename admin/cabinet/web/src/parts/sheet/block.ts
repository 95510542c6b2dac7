// Blocks of cells as spreadsheets put them on the clipboard: tabs between columns, line ends
// between rows, and quotation marks around cells that contain either.
export function parseBlock(text: string): string[][] {
  const rows: string[][] = [[]];
  const cell = /(?:"((?:[^"]|"")*)"|([^\t\r\n]*))(\t|\r?\n|\r|$)/y;
  for (;;) {
    const found = cell.exec(text);
    if (!found) break;
    rows.at(-1)!.push(found[1] === undefined ? found[2]! : found[1].replaceAll('""', '"'));
    if (found[3] === "" || cell.lastIndex === text.length) break;
    if (found[3] !== "\t") rows.push([]);
  }
  return rows;
}
