/** Loads the file of a page, waiting while the platform is unreachable. */
import { reportUnreachable, untilAnswered } from '../api/connection.ts';
import { checkOutdated } from '../api/upgrade.ts';

/**
 * The page's file cannot be had: the platform serves a newer UI (`isOutdated`), or
 * something is wrong with the file.
 */
export class PageNotLoaded extends Error {
  override name = 'PageNotLoaded';
  readonly isOutdated: boolean;

  constructor(isOutdated: boolean) {
    super('the file of this page could not be loaded');
    this.isOutdated = isOutdated;
  }
}

const maxAttempts = 3;

/**
 * Waits for a platform that does not answer. Rejects with PageNotLoaded when it answers
 * and the file is not there.
 */
export async function loadPage<Module>(load: () => Promise<Module>): Promise<Module> {
  for (let attempt = 1; ; ) {
    try {
      return await load();
    } catch {
      const isOutdated = await checkOutdated().catch(() => null);
      if (isOutdated === null) {
        reportUnreachable();
        await untilAnswered();
      } else if (isOutdated || attempt >= maxAttempts) {
        throw new PageNotLoaded(isOutdated);
      } else {
        attempt += 1;
      }
    }
  }
}
