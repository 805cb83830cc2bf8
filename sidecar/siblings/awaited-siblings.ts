import type { SidecarBoot } from '../../contract/sidecar.ts';

export interface AwaitedSibling {
  name: string;
  limitMs: number;
}

/** Those that the agent waits for. */
export const awaitedSiblings = ({ sibling_access }: Pick<SidecarBoot, 'sibling_access'>): AwaitedSibling[] =>
  sibling_access.flatMap(({ name, ready_seconds }) =>
    ready_seconds === null ? [] : [{ name, limitMs: ready_seconds * 1000 }],
  );
