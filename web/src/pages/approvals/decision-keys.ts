/** Which keys lead to the buttons of a request. None of them decides. Pure. */

export interface PressedKey {
  key: string;
  /** The key is held, and was perhaps pressed for something else. */
  repeat: boolean;
  ctrlKey: boolean;
  metaKey: boolean;
  altKey: boolean;
}

/** `nothing`: the press must have no effect; null: it is left to what has the focus. */
export type KeyEffect = 'focus-approve' | 'open-denial' | 'nothing' | null;

/** `inField`: where somebody types, a key is a letter. */
export function effectOf({ key, repeat, ...modifiers }: PressedKey, inField: boolean): KeyEffect {
  if (inField || modifiers.ctrlKey || modifiers.metaKey || modifiers.altKey) {
    return null;
  }
  if (repeat) {
    return key === 'Enter' || key === ' ' ? 'nothing' : null;
  }
  return key === 'a' ? 'focus-approve' : key === 'd' ? 'open-denial' : null;
}
