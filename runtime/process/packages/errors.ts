/** Why packages could not be loaded, as a sentence for the operator. It holds no credential. */
export class PackagesError extends Error {
  override name = 'PackagesError';
  /** The registry gave nothing; else the packages themselves are at fault. */
  readonly isOfRegistry: boolean;

  constructor(message: string, { isOfRegistry = false }: { isOfRegistry?: boolean } = {}) {
    super(message);
    this.isOfRegistry = isOfRegistry;
  }
}
