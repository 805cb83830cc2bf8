/** Lines of a table as text. The first row is its head; the first column is text, the others are figures. */
export function table(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  const lines = rows.map((row) =>
    row
      .map((text, column) =>
        column === 0 ? text.padEnd(widths[0] ?? 0) : text.padStart(widths[column] ?? 0),
      )
      .join('  ')
      .trimEnd(),
  );
  return [lines[0], '-'.repeat(Math.max(...lines.map(({ length }) => length))), ...lines.slice(1)].join('\n');
}
