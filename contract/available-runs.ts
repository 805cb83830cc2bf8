/**
 * What the platform's runtime cannot run: refused where it is saved, so that nobody learns it from a session that fails.
 */
import { z } from 'zod';
import type { Run } from './agent.ts';
import type { FieldProblem } from './errors.ts';

/** What sessions run on (design 12). API and worker are given the same. */
export const runtimeName = z.enum(['process', 'container', 'kubernetes']);
export type RuntimeName = z.infer<typeof runtimeName>;

/** Problems with paths such as `run.name`; empty when an agent can run like this. */
export function unavailableRunProblems(run: Run, runtime: RuntimeName): FieldProblem[] {
  if (run.type === 'image' && runtime === 'process') {
    const message =
      'images need a container engine or a cluster, and this platform runs sessions as processes; use a command, or the built-in scripted agent';
    return [{ path: 'run.type', code: 'not_available', message }];
  }
  if (run.type === 'builtin' && run.name !== 'scripted') {
    const message = `the built-in agent "${run.name}" is not available yet; use scripted, or a command that starts an agent of your own`;
    return [{ path: 'run.name', code: 'not_available', message }];
  }
  return [];
}
