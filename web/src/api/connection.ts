/**
 * The platform's health, as this page's requests saw it last, and whether the page still matches the
 * person and the platform.
 */

export type Connection = 'ok' | 'slow' | 'unreachable';

interface State {
  connection: Connection;
  signedOut: boolean;
  /** Why, where the platform says it. */
  signedOutWhy: string | null;
  /** Another person signed in with this browser. */
  isOfSomebodyElse: boolean;
  /** The platform serves a newer UI than this page. */
  isOutdated: boolean;
}

let state: State = {
  connection: 'ok',
  signedOut: false,
  signedOutWhy: null,
  isOfSomebodyElse: false,
  isOutdated: false,
};
const listeners = new Set<() => void>();

function change(next: Partial<State>): void {
  const changed = { ...state, ...next };
  if (JSON.stringify(changed) !== JSON.stringify(state)) {
    state = changed;
    for (const listener of listeners) {
      listener();
    }
  }
}

export const reportAnswered = () => change({ connection: 'ok' });
export const reportUnreachable = () => change({ connection: 'unreachable' });
export const reportSlow = () => change(state.connection === 'ok' ? { connection: 'slow' } : {});
export const reportSignedOut = (why: string | null = null) =>
  change({ signedOut: true, ...(why === null ? {} : { signedOutWhy: why }) });
export const reportSignedIn = () => change({ signedOut: false, signedOutWhy: null });
export const reportSomebodyElse = () => change({ isOfSomebodyElse: true });
export const reportOutdated = () => change({ isOutdated: true });

/** Waits while the platform is unreachable; the banner polls it meanwhile. */
export async function untilAnswered(): Promise<void> {
  while (state.connection === 'unreachable') {
    await new Promise<void>((resolve) => {
      const unsubscribe = subscribeConnection(() => {
        unsubscribe();
        resolve();
      });
    });
  }
}

export const readConnection = (): State => state;
export function subscribeConnection(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
