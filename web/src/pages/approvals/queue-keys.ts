/** Which keys move through the queue of requests, and where to. Pure. */

interface Press {
  key: string;
  repeat: boolean;
  isComposing: boolean;
  ctrlKey: boolean;
  metaKey: boolean;
  altKey: boolean;
}

/**
 * 1 for `j`, the next one, -1 for `k`, the one before; 0 for what moves nowhere: a key that is held or
 * belongs to a shortcut of the browser, text in a field, and what was typed before the request could be
 * looked at.
 */
export function stepOf(press: Press, { inField, armed }: { inField: boolean; armed: boolean }): 1 | -1 | 0 {
  const { key, repeat, isComposing, ctrlKey, metaKey, altKey } = press;
  if (!armed || inField || repeat || isComposing || ctrlKey || metaKey || altKey) {
    return 0;
  }
  return key === 'j' ? 1 : key === 'k' ? -1 : 0;
}

/** The one after or before `at`; the first where nothing is chosen; null at the ends. */
export function movedTo<Item>(items: readonly Item[], at: Item | null, step: 1 | -1): Item | null {
  const index = at === null ? -1 : items.indexOf(at);
  return (index === -1 ? items[0] : items[index + step]) ?? null;
}
