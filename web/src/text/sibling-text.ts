/** A sibling in words: where it is reached, and whether its agent waits for it. Pure. */
import type { Agent } from '../api/types.ts';

type Sibling = Agent['siblings'][number];

/**
 * "listens on port 5432, starts the agent when that takes connections (within 60
 * seconds)"; empty for neither.
 */
export function listeningText({ port, ready }: Partial<Pick<Sibling, 'port' | 'ready'>>): string {
  const listens = port == null ? [] : [`listens on port ${port}`];
  if (ready == null) {
    return listens.join(', ');
  }
  const when = ready.type === 'port' ? 'its port takes connections' : `“${ready.command}” succeeds`;
  return [...listens, `the agent starts when ${when}, within ${ready.timeout_seconds} seconds`].join(', ');
}
