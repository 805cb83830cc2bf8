/** The steps of a new workspace, as far as this person can see and do them. Pure. */
import type { WorkspaceHome } from '../../api/types.ts';
import type { SectionPath } from '../../app/paths.ts';

export interface SetupStep {
  title: string;
  text: string;
  isDone: boolean;
  /** Null for who may not do it. */
  action: { label: string; to: [section: SectionPath, ...rest: string[]] } | null;
}

const adminDoes = 'A workspace admin does it.';

export function setupSteps(
  { server, gate, agent, session, channel, people }: WorkspaceHome['setup'],
  { isAdmin }: { isAdmin: boolean },
): SetupStep[] {
  const forAdmin = (label: string, ...to: NonNullable<SetupStep['action']>['to']) =>
    isAdmin ? { label, to } : null;
  const steps: SetupStep[] = [
    {
      title: 'Add an MCP server',
      text: isAdmin ? 'It holds the credentials and offers tools.' : adminDoes,
      isDone: server,
      action: forAdmin('Add', 'catalog'),
    },
    {
      title: 'Decide which tools need a human',
      text: isAdmin ? 'A check lists them and suggests what to gate.' : adminDoes,
      isDone: gate,
      action: server ? forAdmin('Choose', 'catalog') : null,
    },
    {
      title: 'Create an agent',
      text: 'A program, an image or a list of steps.',
      isDone: agent,
      action: { label: 'Create', to: ['agents', 'new'] },
    },
    {
      title: 'Start a session',
      text: 'You see each gated call before it may pass.',
      isDone: session,
      action: agent ? { label: 'Start', to: ['sessions', 'new'] } : null,
    },
  ];
  return channel === null
    ? steps
    : [
        ...steps,
        {
          title: 'Tell people when agents ask',
          text: 'In a channel.',
          isDone: channel,
          action: forAdmin('Set up', 'channels'),
        },
        {
          title: 'Add the people who decide',
          text: 'You are the only member so far.',
          isDone: people,
          action: forAdmin('Add', 'members'),
        },
      ];
}
