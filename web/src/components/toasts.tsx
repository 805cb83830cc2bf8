/** Says for a moment what was done. It is never the only trace: the page shows it as well. */
import { useEffect, useRef, useState, useSyncExternalStore } from 'react';
import { createPortal } from 'react-dom';
import { Icon } from './icon.tsx';
import { VisibleText } from './visible-text.tsx';

/** What can be done about it at once. */
interface ToastAction {
  label: string;
  run: () => void;
}

interface Toast {
  id: number;
  text: string;
  /** The name of what was done something with. */
  about: string | null;
  tone: 'ok' | 'fail';
  action: ToastAction | null;
}

/** Long enough to read it; longer under the pointer or with the focus in it. */
const shownMs = 6_000;
/** Long enough to get to its button by the keyboard, too. */
const shownWithActionMs = 15_000;
const mostShown = 3;

let toasts: readonly Toast[] = [];
/** In a modal dialog, which keeps the focus to itself; null while none has a place for them. */
let inside: HTMLElement | null = null;
let lastId = 0;
const listeners = new Set<() => void>();

function tell(): void {
  for (const listener of listeners) {
    listener();
  }
}

function replace(next: readonly Toast[]): void {
  toasts = next;
  tell();
}

const dismiss = (id: number): void => replace(toasts.filter((toast) => toast.id !== id));

/** Shows what was done, in a few words without a name, and the way back where there is one. */
export function announce(
  text: string,
  { tone = 'ok', about = null, action = null }: Partial<Pick<Toast, 'tone' | 'about' | 'action'>> = {},
): void {
  lastId += 1;
  replace([...toasts.slice(1 - mostShown), { id: lastId, text, about, tone, action }]);
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Always rendered: screen readers announce what appears in it. */
export function Toasts() {
  const shown = useSyncExternalStore(subscribe, () => toasts);
  const place = useSyncExternalStore(subscribe, () => inside);
  const views = shown.map((toast) => <ToastView key={toast.id} toast={toast} />);
  return (
    <>
      <div role="status" className="toasts">
        {place === null ? views : null}
      </div>
      {place === null ? null : createPortal(views, place)}
    </>
  );
}

/** Where they are shown while a modal dialog is open, within reach of its keyboard. */
export function ToastPlace() {
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    inside = place.current;
    tell();
    return () => {
      inside = null;
      tell();
    };
  }, []);
  return <div role="status" className="toasts-inside" ref={place} />;
}

function ToastView({ toast: { id, text, about, tone, action } }: { toast: Toast }) {
  const [isHeld, setHeld] = useState(false);
  const forMs = action === null ? shownMs : shownWithActionMs;
  useEffect(() => {
    const timer = isHeld ? undefined : setTimeout(() => dismiss(id), forMs);
    return () => clearTimeout(timer);
  }, [id, forMs, isHeld]);
  const held = (is: boolean) => () => setHeld(is);
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: it only stays longer, and its button acts.
    <div
      className={`toast tone-${tone}`}
      onPointerEnter={held(true)}
      onPointerLeave={held(false)}
      onFocus={held(true)}
      onBlur={held(false)}
    >
      <Icon name={tone === 'ok' ? 'checkFilled' : 'alertFilled'} />
      <span>
        {text}
        {about === null ? null : (
          <>
            {' '}
            (<VisibleText text={about} />)
          </>
        )}
      </span>
      {action === null ? null : (
        <button
          type="button"
          className="toast-action"
          onClick={() => {
            dismiss(id);
            action.run();
          }}
        >
          {action.label}
        </button>
      )}
      <button type="button" className="side-button" aria-label="Dismiss" onClick={() => dismiss(id)}>
        <Icon name="close" size={14} />
      </button>
    </div>
  );
}
