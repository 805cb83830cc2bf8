/** What was measured, as text: figures, ratios beside the aim, and where the time goes. */
import { machineLine, median, quantile, table } from '../shared/harness.ts';
import { type Kind, kinds } from './launches.ts';
import { type Milestone, milestones, type Timeline } from './timeline.ts';

export type Measured = Readonly<Record<Kind, readonly Timeline[]>>;

const aim = 1.2;

/** The aim is about a whole launch: its last end. */
export const isMet = (measured: Measured) => ratioOf(measured, 'launched', 'session') <= aim;

const ends = ['launched', 'containers run', 'sidecar ready', 'agent speaks'] as const satisfies Milestone[];

export function reportOf(measured: Measured): string {
  return [
    endsTable(measured),
    `aim: launched, session / bare, at most ${aim}: ${isMet(measured) ? 'met' : 'missed'}`,
    milestonesTable(measured),
    machineLine(),
  ].join('\n\n');
}

function endsTable(measured: Measured): string {
  return table([
    ['', ...kinds.flatMap((kind) => [`${kind} p50`, 'p95']), 'session / bare', 'at once / bare'],
    ...ends.map((end) => [
      end,
      ...kinds.flatMap((kind) => {
        const times = timesOf(measured[kind], end);
        return [time(median(times)), time(quantile(times, 0.95))];
      }),
      ratioOf(measured, end, 'session').toFixed(2),
      ratioOf(measured, end, 'at once').toFixed(2),
    ]),
  ]);
}

function milestonesTable(measured: Measured): string {
  return table([
    [`p50 of ${measured.session.length}, since the first request`, ...kinds],
    ...milestones.map((milestone) => [
      milestone,
      ...kinds.map((kind) => time(median(timesOf(measured[kind], milestone)))),
    ]),
  ]);
}

const timesOf = (timelines: readonly Timeline[], milestone: Milestone) =>
  timelines.flatMap((timeline) => timeline[milestone] ?? []);

function ratioOf(measured: Measured, end: Milestone, kind: Kind): number {
  return median(timesOf(measured[kind], end)) / median(timesOf(measured.bare, end));
}

const time = (ms: number) => (Number.isNaN(ms) ? '' : `${Math.round(ms)} ms`);
