/** How the platform does, as the requests of this page saw it last, and whether the person is still signed in. */

export type Connection = 'ok' | 'slow' | 'unreachable';

interface State {
  connection: Connection;
  signedOut: boolean;
}

let state: State = { connection: 'ok', signedOut: false };
const listeners = new Set<() => void>();

function change(next: Partial<State>): void {
  const changed = { ...state, ...next };
  if (changed.connection !== state.connection || changed.signedOut !== state.signedOut) {
    state = changed;
    for (const listener of listeners) {
      listener();
    }
  }
}

export const reportAnswered = () => change({ connection: 'ok' });
export const reportUnreachable = () => change({ connection: 'unreachable' });
export const reportSlow = () => change(state.connection === 'ok' ? { connection: 'slow' } : {});
export const reportSignedOut = () => change({ signedOut: true });
export const reportSignedIn = () => change({ signedOut: false });

export const readConnection = (): State => state;
export function subscribeConnection(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
