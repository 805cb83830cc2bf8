/** Notifications of the browser for those who turned them on, in this browser alone. */
import { useEffect, useRef, useSyncExternalStore } from 'react';
import { productName } from '../../../contract/product-name.ts';
import { announce } from '../components/toasts.tsx';
import { noticeOf } from './notice.ts';

const storedAs = 'notices of requests';
const listeners = new Set<() => void>();

/** Browsers offer them to pages that came over TLS, or from this machine. */
const isOffered = 'Notification' in window && window.isSecureContext;

const isOn = (): boolean =>
  isOffered && localStorage.getItem(storedAs) === 'on' && Notification.permission === 'granted';

function turn(on: boolean): void {
  localStorage.setItem(storedAs, on ? 'on' : 'off');
  for (const listener of listeners) {
    listener();
  }
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export interface NoticeSwitch {
  isOn: boolean;
  /** Asks the person through their browser, when it does not know yet. */
  toggle: () => Promise<void>;
}

/** Null where the browser offers none. */
export function useNoticeSwitch(): NoticeSwitch | null {
  const on = useSyncExternalStore(subscribe, isOn);
  if (!isOffered) {
    return null;
  }
  return {
    isOn: on,
    async toggle() {
      if (on) {
        turn(false);
        return;
      }
      if ((await Notification.requestPermission()) === 'granted') {
        turn(true);
        announce('You are notified of new requests');
      } else {
        announce('Your browser does not allow notifications of this page.', { tone: 'fail' });
      }
    },
  };
}

/** `waiting`: null until it is known. `tag`: the same for all windows of one workspace. */
export function useNotices(waiting: number | null, tag: string): void {
  const before = useRef<number | null>(null);
  useEffect(() => {
    if (waiting === null) {
      return;
    }
    const isAway = document.hidden || !document.hasFocus();
    const text = noticeOf({ before: before.current, now: waiting, isAway });
    before.current = waiting;
    if (text !== null && isOn()) {
      show(text, tag);
    }
  }, [waiting, tag]);
}

/** One for each tag: a later one takes the place of an earlier one. */
function show(text: string, tag: string): void {
  try {
    const notice = new Notification(productName, { body: text, tag });
    notice.onclick = () => {
      window.focus();
      notice.close();
    };
  } catch {
    // Some phones offer them to installed pages alone; the count in the title of the tab stays.
  }
}
