import { type RefObject, useEffect } from 'react';
import { effectOf } from './decision-keys.ts';

/** Of the buttons: the key that leads there, which is drawn beside its words. */
export const approveKey = { 'data-key': 'A', 'data-leads': 'focus-approve' };
export const denyKey = { 'data-key': 'D', 'data-leads': 'open-denial' };

/**
 * Keys of an open request, while the focus is in it and in no field. They do nothing before the buttons work,
 * and a key that is held presses no button.
 */
export function useDecisionKeys(content: RefObject<HTMLElement | null>): void {
  useEffect(() => {
    const dialog = content.current?.closest<HTMLElement>('[role=dialog]');
    const press = (event: KeyboardEvent) => {
      const effect = effectOf(event, isField(event.target));
      if (effect === null) {
        return;
      }
      event.preventDefault();
      const button = dialog?.querySelector<HTMLButtonElement>(`button[data-leads=${effect}]:enabled`);
      if (effect === 'open-denial') {
        button?.click();
      } else {
        button?.focus();
      }
    };
    dialog?.addEventListener('keydown', press);
    return () => dialog?.removeEventListener('keydown', press);
  }, [content]);
}

const isField = (target: EventTarget | null): boolean =>
  target instanceof Element && target.matches('textarea, select, input:not([type=radio], [type=checkbox])');
