/** The steps of a new workspace, as far as this person can see and do them. Pure. */
import type { WorkspaceHome } from '../../api/types.ts';
import type { SectionPath } from '../../app/paths.ts';
import type { IconName } from '../../components/icon.tsx';

interface StepAction {
  label: string;
  to: [section: SectionPath, ...rest: string[]];
  icon?: IconName;
}

export interface SetupStep {
  title: string;
  text: string;
  isDone: boolean;
  /** None for who may not do it; the first is the usual one. */
  actions: StepAction[];
}

const adminDoes = 'A workspace admin does it.';

export function setupSteps(
  { server, gate, agent, session, channel, people }: WorkspaceHome['setup'],
  { isAdmin }: { isAdmin: boolean },
): SetupStep[] {
  const forAdmin = (...actions: StepAction[]) => (isAdmin ? actions : []);
  const steps: SetupStep[] = [
    {
      title: 'Add an MCP server',
      text: isAdmin
        ? 'It holds the credentials and offers tools. Pick one, or paste the configuration of a desktop client.'
        : adminDoes,
      isDone: server,
      actions: forAdmin(
        { label: 'Open gallery', to: ['catalog', '_', 'gallery'], icon: 'grid' },
        { label: 'Import configuration', to: ['catalog', '_', 'import'], icon: 'import' },
        { label: 'Enter by hand', to: ['catalog', '_', 'new'] },
      ),
    },
    {
      title: 'Decide which tools need a human',
      text: isAdmin ? 'A check runs the server once, lists its tools and suggests what to gate.' : adminDoes,
      isDone: gate,
      actions: server ? forAdmin({ label: 'Choose tools', to: ['catalog'] }) : [],
    },
    {
      title: 'Create an agent',
      text: 'A program, a container image or a list of steps.',
      isDone: agent,
      actions: [{ label: 'Create', to: ['agents', 'new'] }],
    },
    {
      title: 'Start a session',
      text: 'When it asks, you see the very call before it may pass.',
      isDone: session,
      actions: agent ? [{ label: 'Start', to: ['sessions', 'new'] }] : [],
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
          actions: forAdmin({ label: 'Set up', to: ['channels'] }),
        },
        {
          title: 'Add the people who decide',
          text: 'You are the only member so far.',
          isDone: people,
          actions: forAdmin({ label: 'Add', to: ['members'] }),
        },
      ];
}
