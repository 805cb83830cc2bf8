/** A workspace in which nothing has run yet: the example in one click, then the steps to one's own. */
import { Button, Title } from '@mantine/core';
import { useLocation } from 'wouter';
import { api, call } from '../../api/client.ts';
import { stale } from '../../api/stale.ts';
import type { WorkspaceHome } from '../../api/types.ts';
import { useApiMutation } from '../../api/use-api-mutation.ts';
import { pathOf } from '../../app/paths.ts';
import { useWorkspace } from '../../app/signed-in.tsx';
import { FailureAlert } from '../../components/failure-alert.tsx';
import { Icon } from '../../components/icon.tsx';
import { GateDiagram } from './gate-diagram.tsx';
import { setupSteps } from './setup-steps.ts';
import { WelcomeStep } from './welcome-step.tsx';

/** Those to the first gated agent; the others come with time. */
const stepsToAnAgent = 4;

export function Welcome({ home: { setup, example_refusal: refusal } }: { home: WorkspaceHome }) {
  const { isAdmin } = useWorkspace();
  const steps = setupSteps(setup, { isAdmin }).slice(0, stepsToAnAgent);
  const next = steps.find(({ isDone, actions }) => !isDone && actions.length > 0);
  return (
    <section className="welcome" aria-label="First steps">
      <Example refusal={refusal} />
      <div className="welcome-head">
        <Title order={2} size="h5">
          Or set up your own
        </Title>
        <span className="home-card-more">
          {steps.filter(({ isDone }) => isDone).length} of {steps.length}
        </span>
      </div>
      <ol className="welcome-steps">
        {steps.map((step, at) => (
          <WelcomeStep key={step.title} step={step} number={at + 1} isNext={step === next} />
        ))}
      </ol>
    </section>
  );
}

function Example({ refusal }: { refusal: string | null }) {
  const { slug } = useWorkspace();
  const [, navigate] = useLocation();
  const add = useApiMutation({
    send: () => call(api.POST('/api/workspaces/{slug}/example', { params: { path: { slug } } })),
    invalidates: stale.example(slug),
    onSuccess: ({ session }) => navigate(pathOf(slug, 'sessions', session.id)),
  });
  return (
    <section className="welcome-example" aria-label="Try a gated agent">
      <div>
        <div className="welcome-kicker">About one minute</div>
        <Title order={2} size="h3">
          Try a gated agent
        </Title>
        <p>
          Adds the server <b>files</b>, with four tools that need a grant, and the agent <b>scribe</b>, then
          starts it. Scribe reads freely; its first write waits for you.
        </p>
        {refusal === null ? (
          <div className="welcome-actions">
            <Button
              leftSection={<Icon name="sparkles" />}
              loading={add.isPending}
              onClick={() => add.mutate()}
            >
              Add the example and start it
            </Button>
            <span>Needs no secret and no network</span>
          </div>
        ) : (
          <p className="welcome-refusal">You cannot add it here: {refusal}.</p>
        )}
        <FailureAlert error={add.error} />
      </div>
      <GateDiagram />
    </section>
  );
}
