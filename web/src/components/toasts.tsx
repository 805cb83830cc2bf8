/** Says for a moment what was done. It is never the only trace: the page shows it as well. */
import { useEffect, useState, useSyncExternalStore } from 'react';
import { Icon } from './icon.tsx';

interface Toast {
  id: number;
  text: string;
}

/** Long enough to read it; longer under the pointer or with the focus in it. */
const shownMs = 6_000;
const mostShown = 3;

let toasts: readonly Toast[] = [];
let lastId = 0;
const listeners = new Set<() => void>();

function replace(next: readonly Toast[]): void {
  toasts = next;
  for (const listener of listeners) {
    listener();
  }
}

const dismiss = (id: number): void => replace(toasts.filter((toast) => toast.id !== id));

/** Shows what was done, in a few words without a name. */
export function announce(text: string): void {
  lastId += 1;
  replace([...toasts.slice(1 - mostShown), { id: lastId, text }]);
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Always rendered: screen readers announce what appears in it. */
export function Toasts() {
  const shown = useSyncExternalStore(subscribe, () => toasts);
  return (
    <div role="status" className="toasts">
      {shown.map((toast) => (
        <ToastView key={toast.id} toast={toast} />
      ))}
    </div>
  );
}

function ToastView({ toast: { id, text } }: { toast: Toast }) {
  const [isHeld, setHeld] = useState(false);
  useEffect(() => {
    const timer = isHeld ? undefined : setTimeout(() => dismiss(id), shownMs);
    return () => clearTimeout(timer);
  }, [id, isHeld]);
  const held = (is: boolean) => () => setHeld(is);
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: it only stays longer, and its button acts.
    <div
      className="toast tone-ok"
      onPointerEnter={held(true)}
      onPointerLeave={held(false)}
      onFocus={held(true)}
      onBlur={held(false)}
    >
      <Icon name="checkFilled" />
      <span>{text}</span>
      <button type="button" className="side-button" aria-label="Dismiss" onClick={() => dismiss(id)}>
        <Icon name="close" size={14} />
      </button>
    </div>
  );
}
