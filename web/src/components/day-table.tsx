/** The counts of a chart as a table, for those who read instead. */
import { type BarDay, type BarPart, dayName } from '../text/day-counts.ts';

export function DayTable({
  label,
  parts,
  days,
  className,
}: {
  label: string;
  parts: readonly BarPart[];
  days: readonly BarDay[];
  className?: string;
}) {
  return (
    <table className={className}>
      <caption>{label}</caption>
      <thead>
        <tr>
          <th scope="col">Day</th>
          {parts.map(({ name, label: text = name }) => (
            <th key={name} scope="col">
              {text}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {days.map(({ day, counts }) => (
          <tr key={day}>
            <th scope="row">{`${dayName(day)}, ${day}`}</th>
            {parts.map(({ name }, at) => (
              <td key={name}>{counts[at]}</td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}
