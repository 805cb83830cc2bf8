/**
 * Whether the person writes in a text field now: it has the focus, and holds text. A field that is marked `aria-busy` holds what
 * was just sent, which nobody is writing now.
 */
export function isTyping(): boolean {
  const field = document.activeElement;
  return (
    (field instanceof HTMLTextAreaElement || field instanceof HTMLInputElement) &&
    field.matches(':read-write:not([aria-busy=true])') &&
    field.value !== ''
  );
}
