/** What a check does, step by step, and how long each takes. Pure. */
import type { McpCheck } from '../../../api/types.ts';
import type { Step } from '../../../components/step-list.tsx';

/** `nowMs`: by the clock of the platform. */
export function checkSteps(
  { created_at, started_at, ended_at, process, listing }: McpCheck,
  nowMs: number,
): Step[] {
  const created = Date.parse(created_at);
  const started = started_at === null ? null : Date.parse(started_at);
  const isOver = ended_at !== null;
  const untilMs = isOver ? Date.parse(ended_at) : nowMs;
  const answered = process?.handshake_ms ?? null;
  const since = (from: number | null) => (from === null ? null : Math.max(0, untilMs - from));
  const stateOf = (isReached: boolean, isDone: boolean): Step['state'] =>
    isDone ? 'done' : isReached ? (isOver ? 'failed' : 'current') : 'ahead';
  return [
    {
      label: 'Start the sandbox',
      state: stateOf(true, started !== null),
      durationMs: started === null ? since(created) : started - created,
    },
    {
      label: 'Start the server and get its first answer',
      state: stateOf(started !== null, answered !== null),
      durationMs: answered ?? since(started),
    },
    {
      label: 'List its tools',
      state: stateOf(answered !== null, listing?.outcome === 'listed'),
      durationMs: listing?.list_ms ?? null,
    },
  ];
}
