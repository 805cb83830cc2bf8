/** The one look of a state or a short mark; its meaning is its colour, its icon and its word. */
import type { HTMLAttributes } from 'react';
import type { Tone } from '../text/tone.ts';
import { Icon, type IconName } from './icon.tsx';

const icons: Record<Tone, IconName> = {
  run: 'running',
  wait: 'clockFilled',
  ok: 'check',
  fail: 'alertFilled',
  refused: 'gate',
  denied: 'ban',
  idle: 'stop',
};

/** A state: where it stands alone on a soft ground, in a table without one. */
export function Status({
  tone,
  icon,
  children,
  className = '',
  ...rest
}: { tone: Tone; icon?: IconName | undefined } & HTMLAttributes<HTMLSpanElement>) {
  return (
    <span {...rest} className={`pill status tone-${tone} ${className}`}>
      <Icon name={icon ?? icons[tone]} size={14} />
      <span>{children}</span>
    </span>
  );
}

/** A short mark without an icon: what kind something is. */
export function Pill({
  tone,
  className = '',
  children,
  ...rest
}: { tone: Tone } & HTMLAttributes<HTMLSpanElement>) {
  return (
    <span {...rest} className={`pill pill-plain tone-${tone} ${className}`}>
      {children}
    </span>
  );
}
