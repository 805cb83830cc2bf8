import { type ReactNode, type Ref, useId } from 'react';
import type { Tone } from '../text/tone.ts';
import { Icon, type IconName } from './icon.tsx';

const icons: Record<Tone, IconName> = {
  run: 'info',
  wait: 'warningFilled',
  ok: 'checkFilled',
  fail: 'alertFilled',
  refused: 'gate',
  denied: 'ban',
  idle: 'info',
};

/** What must be known or acted on, as wide as the content. `role="note"` for what was there all the time. */
export function Banner({
  tone = 'idle',
  title,
  role = 'alert',
  children,
  ref,
  ...rest
}: {
  tone?: Tone;
  title?: ReactNode;
  role?: 'alert' | 'status' | 'note' | 'region';
  children?: ReactNode;
  ref?: Ref<HTMLDivElement>;
  tabIndex?: number;
  className?: string;
  'aria-label'?: string;
}) {
  const id = useId();
  const { className = '', ...others } = rest;
  return (
    // biome-ignore lint/a11y/useAriaPropsSupportedByRole: each of the roles that it can have may be named.
    <div
      ref={ref}
      role={role}
      className={`banner tone-${tone} ${className}`}
      aria-labelledby={title === undefined ? undefined : `${id}-title`}
      aria-describedby={children === undefined ? undefined : `${id}-body`}
      {...others}
    >
      <Icon name={icons[tone]} />
      <div>
        {title === undefined ? null : (
          <div className="banner-title" id={`${id}-title`}>
            {title}
          </div>
        )}
        {children === undefined ? null : <div id={`${id}-body`}>{children}</div>}
      </div>
    </div>
  );
}
