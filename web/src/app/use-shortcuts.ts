import { useEffect, useRef } from 'react';
import { takesLetters } from '../components/is-field.ts';
import { hasSingleKeys } from './kept-choice.ts';
import { type Shortcut, shortcutOf } from './shortcuts.ts';

/** How long `g` waits for the key after it. */
const waitsMs = 1_500;

/** Calls `act` for the keys of `shortcuts.ts`. */
export function useShortcuts(act: (shortcut: Shortcut) => void): void {
  const current = useRef(act);
  useEffect(() => {
    current.current = act;
  });
  useEffect(() => {
    let pressedGAt = Number.NEGATIVE_INFINITY;
    const press = (event: KeyboardEvent) => {
      if (event.defaultPrevented || /^(Shift|Control|Meta|Alt)$/.test(event.key)) {
        return;
      }
      const found = shortcutOf(event, {
        takesLetters: takesLetters(event.target),
        hasDialog: document.querySelector('[role=dialog], [role=menu]') !== null,
        hasSingleKeys: hasSingleKeys(),
        afterG: event.timeStamp - pressedGAt < waitsMs,
      });
      pressedGAt = found === 'g' ? event.timeStamp : Number.NEGATIVE_INFINITY;
      if (found !== null && found !== 'g') {
        event.preventDefault();
        current.current(found);
      }
    };
    document.addEventListener('keydown', press);
    return () => document.removeEventListener('keydown', press);
  }, []);
}
