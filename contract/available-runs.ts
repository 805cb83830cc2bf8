/**
 * What no runtime of the platform can run yet: refused where it is saved, so that nobody learns it from a session that
 * fails. A runtime that can takes its line away here.
 */
import type { Run } from './agent.ts';
import type { FieldProblem } from './errors.ts';

/** Problems with paths such as `run.name`; empty when an agent can run like this. */
export function unavailableRunProblems(run: Run): FieldProblem[] {
  if (run.type === 'image') {
    const message =
      'images need a container runtime, which this platform does not have yet; use a command, or the built-in scripted agent';
    return [{ path: 'run.type', code: 'not_available', message }];
  }
  if (run.type === 'builtin' && run.name !== 'scripted') {
    const message = `the built-in agent "${run.name}" is not available yet; use scripted, or a command that starts an agent of your own`;
    return [{ path: 'run.name', code: 'not_available', message }];
  }
  return [];
}
