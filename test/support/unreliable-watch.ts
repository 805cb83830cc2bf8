/** A runtime whose hints are lost, repeated, late, or about somebody else, as a test decides. */
import type { Runtime } from '../../runtime/workload.ts';

/** When a hint is passed on, in milliseconds from now: never, once or several times. */
export type Fate = () => readonly number[];

/** The same runtime with an unreliable watch. */
export function withUnreliableWatch<Spec>(runtime: Runtime<Spec>, fate: Fate): Runtime<Spec> {
  const watch: Runtime<Spec>['watch'] = (onChange) => {
    const timers = new Set<NodeJS.Timeout>();
    const stop = runtime.watch((sessionId) => {
      for (const afterMs of fate()) {
        timers.add(setTimeout(() => onChange(sessionId), afterMs));
      }
    });
    return () => {
      stop();
      timers.forEach(clearTimeout);
    };
  };
  return Object.assign(Object.create(runtime), { watch });
}
