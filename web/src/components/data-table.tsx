/** The one table: names of columns, a row of 40 px for each thing, scrolled sideways where it is narrow. */
import { VisuallyHidden } from '@mantine/core';
import type { ReactNode } from 'react';

interface Column {
  name: string;
  /** Its name is for screen readers only. */
  isHidden?: boolean;
  /** Left out on phones; its cells have the class `wide-only`. */
  isWide?: boolean;
  /** Of the cells; a column with a width cuts what is longer. */
  width?: number | string;
  /** Numbers and times, which line up at the right. */
  isRight?: boolean;
}

/**
 * `columns`: null for one that this person does not get. `isFlush`: its rows reach both edges of the page.
 * `isStacked`: on a phone each row becomes lines, the first cell above the others.
 */
export function DataTable({
  label,
  columns,
  minWidth,
  isFlush = false,
  isStacked = false,
  className = '',
  children,
}: {
  label?: string;
  columns: readonly (string | Column | null)[];
  minWidth?: number;
  isFlush?: boolean;
  isStacked?: boolean;
  className?: string;
  children: ReactNode;
}) {
  const shown = columns.filter((column) => column !== null).map(asColumn);
  const isFixed = shown.some(({ width }) => width !== undefined);
  const kinds = [isFixed && 'table-fixed', isStacked && 'table-stacked', className].filter(Boolean).join(' ');
  return (
    <div className={isFlush ? 'wide-table table-flush' : 'wide-table'}>
      <table className={`table ${kinds}`} aria-label={label} style={isStacked ? undefined : { minWidth }}>
        <thead>
          <tr>
            {shown.map(({ name, isHidden, isWide, width, isRight }) => (
              <th
                key={name}
                scope="col"
                style={{ width }}
                className={isWide === true ? 'wide-only' : isRight === true ? 'right' : undefined}
              >
                {isHidden === true ? <VisuallyHidden>{name}</VisuallyHidden> : name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>{children}</tbody>
      </table>
    </div>
  );
}

const asColumn = (column: string | Column): Column =>
  typeof column === 'string' ? { name: column } : column;
