/** Whether the platform serves a newer UI than this page, so that this page's files no longer exist. */
import { reportOutdated } from './connection.ts';
import { unreachable } from './failure.ts';

const entryOf = (page: string) => /<script type="module"[^>]* src="([^"]+)"/.exec(page)?.[1];

const ownEntry = () => document.querySelector('script[type=module][src]')?.getAttribute('src');

/** Reports an outdated page. Rejects when there is no answer, or only a proxy's. */
export async function checkOutdated(): Promise<boolean> {
  const answer = await fetch('/app/', { cache: 'no-store', credentials: 'same-origin' });
  if (answer.status >= 502) {
    throw unreachable();
  }
  const entry = answer.ok ? entryOf(await answer.text()) : undefined;
  const isOutdated = entry !== undefined && entry !== ownEntry();
  if (isOutdated) {
    reportOutdated();
  }
  return isOutdated;
}
