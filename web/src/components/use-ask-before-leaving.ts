/** For what must not be kept, since it may hold secrets: asks before a link, a reload or the closing of the tab drops it. */
import { useEffect } from 'react';

const question = 'What you typed here is not kept, since it may hold secrets. Leave the page?';

export function useAskBeforeLeaving(isTyped: boolean): void {
  useEffect(() => {
    if (!isTyped) {
      return;
    }
    const onUnload = (event: BeforeUnloadEvent) => event.preventDefault();
    const onClick = (event: MouseEvent) => {
      const link = event.target instanceof Element ? event.target.closest('a[href]') : null;
      const opensHere =
        link !== null && link.getAttribute('target') !== '_blank' && !event.ctrlKey && !event.metaKey;
      if (opensHere && !window.confirm(question)) {
        event.preventDefault();
        event.stopPropagation();
      }
    };
    window.addEventListener('beforeunload', onUnload);
    document.addEventListener('click', onClick, { capture: true });
    return () => {
      window.removeEventListener('beforeunload', onUnload);
      document.removeEventListener('click', onClick, { capture: true });
    };
  }, [isTyped]);
}
