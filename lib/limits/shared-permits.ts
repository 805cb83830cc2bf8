/**
 * Permits of a whole, of which each owner has a share at most: however much one asks
 * for, others have some left.
 */
import { createKeyedSemaphore, type PermitOwner, type Release } from './semaphore.ts';

export interface SharedPermitsSettings<Kind extends string> {
  /** Of all together. */
  whole: number;
  /** Of each owner of a kind; smaller than the whole. */
  shares: Readonly<Record<Kind, number>>;
}

/** Whose share was taken, or that the whole was. */
export interface Full<Kind extends string> {
  full: Kind | 'whole';
}

/**
 * Returns a function that takes a permit for one owner of each kind, without waiting, and returns how to give
 * it back, or what is full. An owner who is null has no share of that kind.
 */
export function createSharedPermits<Kind extends string>({
  whole,
  shares,
}: SharedPermitsSettings<Kind>): (owners: Readonly<Record<Kind, string | null>>) => Release | Full<Kind> {
  const semaphore = createKeyedSemaphore();
  return (owners) => {
    const taken: Release[] = [];
    const giveBack = () => {
      for (const release of taken) {
        release();
      }
    };
    const wanted: (Full<Kind> & PermitOwner)[] = [
      ...(Object.keys(shares) as Kind[])
        .filter((kind) => owners[kind] !== null)
        .map((kind) => ({ full: kind, key: `${kind} ${owners[kind]}`, permits: shares[kind] })),
      { full: 'whole', key: 'whole', permits: whole },
    ];
    for (const { full, key, permits } of wanted) {
      const release = semaphore.tryAcquire({ key, permits });
      if (release === null) {
        giveBack();
        return { full };
      }
      taken.push(release);
    }
    return giveBack;
  };
}
