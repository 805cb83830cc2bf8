/** Which keys move through the queue of requests, and where to. Pure. */

interface Press {
  key: string;
  repeat: boolean;
  isComposing: boolean;
  shiftKey: boolean;
  ctrlKey: boolean;
  metaKey: boolean;
  altKey: boolean;
}

interface Where {
  /** A letter is text there, or chooses something. */
  takesLetters: boolean;
  armed: boolean;
  /** A decision is on its way: whoever leaves it would not learn how it ends. */
  isPending: boolean;
}

/**
 * 1 for `j`, the next one, -1 for `k`, the one before; 0 for what moves nowhere: a key that is held or
 * belongs to a shortcut of the browser, text in a field, and what was typed before the request could be
 * looked at. With Caps Lock they are the same keys.
 */
export function stepOf(press: Press, { takesLetters, armed, isPending }: Where): 1 | -1 | 0 {
  const { repeat, isComposing, shiftKey, ctrlKey, metaKey, altKey } = press;
  const isShortcut = shiftKey || ctrlKey || metaKey || altKey;
  if (!armed || isPending || takesLetters || repeat || isComposing || isShortcut) {
    return 0;
  }
  const key = press.key.toLowerCase();
  return key === 'j' ? 1 : key === 'k' ? -1 : 0;
}

/**
 * The one after or before `at`; the first where nothing is chosen; null at the ends. Where `at` has left the
 * items, the nearest that is left of those that it stood among (`before`).
 */
export function movedTo<Item>(
  items: readonly Item[],
  at: Item | null,
  step: 1 | -1,
  before: readonly Item[] = items,
): Item | null {
  const among = at === null || items.includes(at) ? items : before;
  const index = at === null ? -1 : among.indexOf(at);
  if (index === -1) {
    return items[0] ?? null;
  }
  const onward = step === 1 ? among.slice(index + 1) : among.slice(0, index).toReversed();
  return onward.find((item) => items.includes(item)) ?? null;
}
