/** Which presses of a key decide nothing. Pure. */

/**
 * Whether it would press a button only because the key is still held, perhaps for something else. `inField`:
 * where somebody types, a held key is text.
 */
export const isHeldPress = ({ key, repeat }: { key: string; repeat: boolean }, inField: boolean): boolean =>
  repeat && !inField && (key === 'Enter' || key === ' ');
