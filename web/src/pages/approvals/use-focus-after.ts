/** Where the focus goes when the approval dialog closes, and when what had the focus in it is removed. */
import { type RefObject, useEffect, useLayoutEffect, useRef } from 'react';

/**
 * Marks what gets the focus when the dialog closes and what had it before was removed;
 * the first on the page wins.
 */
export const afterDialog = { 'data-after-dialog': true };

/** Elements that are removed with the dialog have lost the focus by then. */
const afterRemovalMs = 10;

/**
 * Gives the focus back to what had it when the dialog opened, else to what is marked with `afterDialog`,
 * else to the page. In place of Mantine's `returnFocus`, which notes what has the focus too late: the
 * heading in the dialog has it then.
 */
export function useFocusAfter(opened: boolean): void {
  const before = useRef<Element | null>(null);
  const wasOpened = useRef(false);
  useLayoutEffect(() => {
    if (opened) {
      before.current = document.activeElement;
      wasOpened.current = true;
    }
  }, [opened]);
  useEffect(() => {
    if (opened || !wasOpened.current) {
      return;
    }
    wasOpened.current = false;
    const timer = setTimeout(() => {
      if (isNowhere(document.activeElement)) {
        placeAfter(before.current)?.focus({ preventScroll: true });
      }
    }, afterRemovalMs);
    return () => clearTimeout(timer);
  }, [opened]);
}

function placeAfter(before: Element | null): HTMLElement | null {
  return before instanceof HTMLElement && before.isConnected && !isNowhere(before)
    ? before
    : (document.querySelector<HTMLElement>('[data-after-dialog]') ?? document.getElementById('main'));
}

/** Whether the page as a whole has the focus, or a disabled button. */
const isNowhere = (element: Element | null): boolean =>
  element === null || element === document.body || element.id === 'main' || element.matches(':disabled');

/**
 * While the dialog is open, keeps the focus in it: when the button that had it is removed or disabled, what
 * is marked with `data-autofocus` last gets it, which is the heading or the first field of what was opened.
 */
export function useFocusWithin(content: RefObject<HTMLElement | null>): void {
  useEffect(() => {
    const root = content.current;
    if (root === null) {
      return;
    }
    const keep = () => {
      if (isNowhere(document.activeElement)) {
        [...root.querySelectorAll<HTMLElement>('[data-autofocus]')].at(-1)?.focus({ preventScroll: true });
      }
    };
    const observer = new MutationObserver(keep);
    observer.observe(root, { subtree: true, childList: true, attributeFilter: ['disabled'] });
    return () => observer.disconnect();
  }, [content]);
}
