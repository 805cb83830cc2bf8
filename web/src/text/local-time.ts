/** Points in time between the API (UTC) and fields of a form, which show the reader's own time. */

const two = (part: number) => String(part).padStart(2, '0');

/** For `<input type="datetime-local">`; empty for what is no time. */
export function toLocalInput(iso: string): string {
  const at = new Date(iso);
  if (Number.isNaN(at.getTime())) {
    return '';
  }
  const date = `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}`;
  return `${date}T${two(at.getHours())}:${two(at.getMinutes())}`;
}

/** What such a field holds, as the API takes it; null for what is no time. */
export function fromLocalInput(text: string): string | null {
  const at = new Date(text);
  return text === '' || Number.isNaN(at.getTime()) ? null : at.toISOString();
}

/** Such as "Europe/Berlin". */
export const zoneName = (): string => new Intl.DateTimeFormat('en').resolvedOptions().timeZone;
