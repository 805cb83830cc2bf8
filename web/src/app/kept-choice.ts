/** Choices about the UI that this browser keeps. None is a secret, and none decides what is allowed. */
import { useSyncExternalStore } from 'react';

const prefix = 'choice ';
const personal = 'of ';
const listeners = new Set<() => void>();

/** Null where nothing was chosen, and where the browser keeps nothing. */
function readChoice(name: string): string | null {
  try {
    return localStorage.getItem(prefix + name);
  } catch {
    return null;
  }
}

function writeChoice(name: string, value: string | null): void {
  try {
    if (value === null) {
      localStorage.removeItem(prefix + name);
    } else {
      localStorage.setItem(prefix + name, value);
    }
  } catch {
    // A browser without room or permission keeps none.
  }
  for (const listener of listeners) {
    listener();
  }
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  window.addEventListener('storage', listener);
  return () => {
    listeners.delete(listener);
    window.removeEventListener('storage', listener);
  };
}

/** The choice of this name, and how to make another one; null takes it back. */
export function useKeptChoice(name: string): [string | null, (value: string | null) => void] {
  const value = useSyncExternalStore(subscribe, () => readChoice(name));
  return [value, (next) => writeChoice(name, next)];
}

interface Place {
  userId: string;
  slug: string;
}

const personalIn = ({ userId, slug }: Place) => `${personal}${userId} ${slug} `;

/** As `useKeptChoice`, of one person in one workspace: signing out and leaving the workspace drop it. */
export const usePersonalChoice = (place: Place, name: string) => useKeptChoice(personalIn(place) + name);

/** Those of one workspace, or all. */
export function forgetPersonalChoices(place?: Place): void {
  const start = prefix + (place === undefined ? personal : personalIn(place));
  try {
    for (const key of Object.keys(localStorage).filter((name) => name.startsWith(start))) {
      writeChoice(key.slice(prefix.length), null);
    }
  } catch {
    // There are none, then.
  }
}

const singleKeys = 'single keys';

/** Whether a key alone does something outside of fields; whoever speaks to their computer turns it off. */
export const hasSingleKeys = (): boolean => readChoice(singleKeys) !== 'off';

export function useSingleKeys(): [isOn: boolean, turn: (on: boolean) => void] {
  const [value, choose] = useKeptChoice(singleKeys);
  return [value !== 'off', (on) => choose(on ? null : 'off')];
}
