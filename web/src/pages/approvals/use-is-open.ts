import { type RefObject, useEffect, useRef } from 'react';

/** Whether the dialog is still open: once closed, no decision is sent. */
export function useIsOpen(): RefObject<boolean> {
  const isOpen = useRef(true);
  useEffect(() => {
    isOpen.current = true;
    return () => {
      isOpen.current = false;
    };
  }, []);
  return isOpen;
}
