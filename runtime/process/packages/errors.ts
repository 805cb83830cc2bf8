import type { PackagesCause } from '../../../contract/session-process.ts';

/**
 * Why packages could not be loaded, as a sentence for the operator. It holds no credential, and nothing that
 * a package manager wrote.
 */
export class PackagesError extends Error {
  override name = 'PackagesError';
  /** As the session shows it. */
  readonly shownAs: PackagesCause;
  /** The end of what the package manager wrote: for admins, as the server's output; never for a log. */
  readonly written: string;

  constructor(
    message: string,
    { shownAs = 'packages_not_loaded', written = '' }: { shownAs?: PackagesCause; written?: string } = {},
  ) {
    super(message);
    this.shownAs = shownAs;
    this.written = written;
  }
}
