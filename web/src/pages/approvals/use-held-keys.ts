import { type RefObject, useEffect } from 'react';
import { isField } from '../../components/is-field.ts';
import { isHeldPress } from './held-key.ts';

/**
 * A key that is held presses no button of a request. No letter leads to one either: whoever goes on typing
 * when the dialog appears would press it with the next space or line break.
 */
export function useHeldKeys(content: RefObject<HTMLElement | null>): void {
  useEffect(() => {
    const dialog = content.current?.closest<HTMLElement>('[role=dialog]');
    const press = (event: KeyboardEvent) => {
      if (isHeldPress(event, isField(event.target))) {
        event.preventDefault();
      }
    };
    dialog?.addEventListener('keydown', press);
    return () => dialog?.removeEventListener('keydown', press);
  }, [content]);
}
