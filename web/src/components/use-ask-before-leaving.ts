/**
 * Asks before a link, Back, a reload or the closing of the tab drops input that must not be kept,
 * since it may hold secrets.
 */
import { useEffect } from 'react';

const question =
  'Leave this page? What you entered will be lost: it is not saved because it may contain secrets.';
/**
 * States of two entries of one page in the history: Back leads from the upper to the lower one,
 * on which the page can ask.
 */
const upper = 'asks before leaving';
const lower = 'is asked on';

/** How many forms hold something now. */
let typed = 0;

export function useAskBeforeLeaving(isTyped: boolean): void {
  useEffect(() => {
    if (!isTyped) {
      return;
    }
    typed += 1;
    standOnUpper();
    window.addEventListener('popstate', onBack);
    window.addEventListener('beforeunload', onUnload);
    document.addEventListener('click', onClick, { capture: true });
    return () => {
      typed -= 1;
      window.removeEventListener('beforeunload', onUnload);
      document.removeEventListener('click', onClick, { capture: true });
    };
  }, [isTyped]);
}

function standOnUpper(): void {
  if (window.history.state !== upper) {
    window.history.replaceState(lower, '');
    window.history.pushState(upper, '', window.location.href);
  }
}

/** Listens for as long as the page is open: once nothing is typed, Back skips the lower entry. */
function onBack(): void {
  if (window.history.state !== lower) {
    return;
  }
  if (typed === 0 || window.confirm(question)) {
    window.history.replaceState(null, '');
    window.history.back();
  } else {
    standOnUpper();
  }
}

const onUnload = (event: BeforeUnloadEvent) => event.preventDefault();

function onClick(event: MouseEvent): void {
  const link = event.target instanceof Element ? event.target.closest('a[href]') : null;
  const opensHere =
    link !== null && link.getAttribute('target') !== '_blank' && !event.ctrlKey && !event.metaKey;
  if (opensHere && !window.confirm(question)) {
    event.preventDefault();
    event.stopPropagation();
  }
}
