/** What an agent has of a sibling beside its process, as a form holds it. Pure. */
import type { Agent } from '../../api/types.ts';

type Sibling = Agent['siblings'][number];

export interface ReadyValues {
  type: 'none' | 'port' | 'command';
  command: string;
  args: string[];
  timeoutSeconds: number | '';
}

export interface ListeningValues {
  port: number | '';
  ready: ReadyValues;
}

const usualTimeoutSeconds = 60;

export const newListening: ListeningValues = {
  port: '',
  ready: { type: 'none', command: '', args: [], timeoutSeconds: usualTimeoutSeconds },
};

export function listeningValuesOf({ port, ready }: Pick<Sibling, 'port' | 'ready'>): ListeningValues {
  const none = newListening.ready;
  return {
    port: port ?? '',
    ready:
      ready === null
        ? none
        : {
            ...none,
            ...(ready.type === 'port' ? {} : { command: ready.command, args: ready.args }),
            type: ready.type,
            timeoutSeconds: ready.timeout_seconds,
          },
  };
}

export const listeningOf = ({ port, ready }: ListeningValues): Pick<Sibling, 'port' | 'ready'> => ({
  port: port === '' ? null : port,
  ready: readyOf(ready),
});

function readyOf({ type, command, args, timeoutSeconds }: ReadyValues): Sibling['ready'] {
  // Empty is not the default: the field says that it needs a number.
  const limit = { timeout_seconds: timeoutSeconds === '' ? 0 : timeoutSeconds };
  switch (type) {
    case 'none':
      return null;
    case 'port':
      return { type, ...limit };
    case 'command':
      return { type, command: command.trim(), args, ...limit };
  }
}
