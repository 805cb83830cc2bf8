/** What a new workspace still needs, until all of it is there. */
import { Button } from '@mantine/core';
import { Link } from 'wouter';
import type { WorkspaceHome } from '../../api/types.ts';
import { pathOf } from '../../app/paths.ts';
import { useWorkspace } from '../../app/signed-in.tsx';
import { Icon } from '../../components/icon.tsx';
import { HomeCard } from './home-card.tsx';
import { type SetupStep, setupSteps } from './setup-steps.ts';

export function SetupPart({ setup }: { setup: WorkspaceHome['setup'] }) {
  const { slug, name, isAdmin } = useWorkspace();
  const steps = setupSteps(setup, { isAdmin });
  const done = steps.filter(({ isDone }) => isDone).length;
  if (done === steps.length) {
    return null;
  }
  return (
    <HomeCard title={`Set up ${name}`} aside={`${done} of ${steps.length}`}>
      <progress className="home-progress" max={steps.length} value={done} aria-label="Steps done" />
      <ol className="home-steps">
        {steps.map((step) => (
          <Step key={step.title} slug={slug} step={step} />
        ))}
      </ol>
    </HomeCard>
  );
}

function Step({ slug, step: { title, text, isDone, actions } }: { slug: string; step: SetupStep }) {
  const [action] = actions;
  return (
    <li className={isDone ? 'home-done' : undefined}>
      {isDone ? (
        <span className="home-state tone-ok" role="img" aria-label="Done:">
          <Icon name="checkFilled" size={18} />
        </span>
      ) : (
        <span className="home-open-step" />
      )}
      <div className="home-step-text">
        <div>{title}</div>
        {isDone ? null : <div className="home-need-about">{text}</div>}
      </div>
      {isDone || action === undefined ? null : (
        <Button component={Link} href={pathOf(slug, ...action.to)} size="xs" variant="default">
          {action.label}
        </Button>
      )}
    </li>
  );
}
