/** Says for a moment what was done. It is never the only trace: the page shows it as well. */
import { useEffect, useState, useSyncExternalStore } from 'react';
import { Icon } from './icon.tsx';

/** What can be done about it at once. */
interface ToastAction {
  label: string;
  run: () => void;
}

interface Toast {
  id: number;
  text: string;
  tone: 'ok' | 'fail';
  action: ToastAction | null;
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

/** Shows what was done, in a few words without a name, and the way back where there is one. */
export function announce(
  text: string,
  { tone = 'ok', action = null }: { tone?: Toast['tone']; action?: ToastAction | null } = {},
): void {
  lastId += 1;
  replace([...toasts.slice(1 - mostShown), { id: lastId, text, tone, action }]);
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

function ToastView({ toast: { id, text, tone, action } }: { toast: Toast }) {
  const [isHeld, setHeld] = useState(false);
  useEffect(() => {
    const timer = isHeld ? undefined : setTimeout(() => dismiss(id), shownMs);
    return () => clearTimeout(timer);
  }, [id, isHeld]);
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
      <span>{text}</span>
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
