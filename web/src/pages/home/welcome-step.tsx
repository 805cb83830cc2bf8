import { Button } from '@mantine/core';
import { Link } from 'wouter';
import { pathOf } from '../../app/paths.ts';
import { useWorkspace } from '../../app/signed-in.tsx';
import { Icon } from '../../components/icon.tsx';
import type { SetupStep } from './setup-steps.ts';

/** `isNext`: the first that is not done and that this person may do, which is all that offers something. */
export function WelcomeStep({ step, number, isNext }: { step: SetupStep; number: number; isNext: boolean }) {
  const { slug } = useWorkspace();
  const { title, text, isDone, actions } = step;
  return (
    <li className={isNext ? 'welcome-next' : isDone ? 'home-done' : undefined}>
      {isDone ? (
        <span className="home-state tone-ok" role="img" aria-label="Done:">
          <Icon name="checkFilled" size={24} />
        </span>
      ) : (
        <span className="welcome-number">{number}</span>
      )}
      <div className="home-step-text">
        <div>{title}</div>
        <div className="welcome-text">{text}</div>
        {isNext && actions.length > 0 ? (
          <div className="welcome-actions">
            {actions.map(({ label, to, icon }, at) => (
              <Button
                key={label}
                component={Link}
                href={pathOf(slug, ...to)}
                size="xs"
                variant={at === 0 || icon !== undefined ? 'default' : 'subtle'}
                leftSection={icon === undefined ? undefined : <Icon name={icon} size={14} />}
              >
                {label}
              </Button>
            ))}
          </div>
        ) : null}
      </div>
    </li>
  );
}
