/**
 * What stands before a name: round for a person, square for an agent. The tint tells names apart, not states.
 * The letters are drawn, and no part of the text.
 */
import type { ReactNode } from 'react';

const tints = 6;

function tintOf(name: string): string {
  let sum = 0;
  for (const character of name) {
    sum = (sum * 31 + (character.codePointAt(0) ?? 0)) % 1_000_003;
  }
  return `tint-${sum % tints}`;
}

const firstOf = (word: string | undefined) => [...(word ?? '')][0] ?? '';

/** The first letters of the first and the last word. */
function initialsOf(name: string): string {
  const words = name.trim().split(/\s+/);
  return (firstOf(words[0]) + (words.length > 1 ? firstOf(words.at(-1)) : '')).toUpperCase();
}

/** A person or an agent by name, which ends in dots where it has no room. */
export function Named({
  avatar,
  title,
  children,
}: {
  avatar: ReactNode;
  title: string;
  children: ReactNode;
}) {
  return (
    <span className="named">
      {avatar}
      <span className="cut" title={title}>
        {children}
      </span>
    </span>
  );
}

export function PersonAvatar({ name, isLarge = false }: { name: string; isLarge?: boolean }) {
  return (
    <span
      className={`avatar avatar-person ${isLarge ? 'avatar-large ' : ''}${tintOf(name)}`}
      data-letters={initialsOf(name)}
      aria-hidden="true"
    />
  );
}

export function AgentAvatar({ name }: { name: string }) {
  return (
    <span
      className={`avatar ${tintOf(name)}`}
      data-letters={firstOf(name).toLowerCase()}
      aria-hidden="true"
    />
  );
}
