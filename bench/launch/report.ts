/** Everything that was measured, as text, with the aims. */
import { type Aim, aimsTable, atMost, machineLine, median, table } from '../shared/harness.ts';
import type { LaunchTimes } from './launch-target.ts';
import type { SessionMemory } from './session-memory.ts';

/** Each in the order of its turns. */
export interface Pairs {
  platform: LaunchTimes[];
  bare: LaunchTimes[];
}

export interface Results {
  pairs: Pairs;
  atOnce: { count: number; rounds: Pairs };
  memory: SessionMemory | null;
}

const megabyte = 1_000_000;

export function aimsOf({ pairs, atOnce: { count, rounds }, memory }: Results): Aim[] {
  return [
    ...(pairs.platform.length > 0 ? [atMost('a launch / the bare programs', 1.5, ratioOf(pairs))] : []),
    ...(rounds.platform.length > 0
      ? [
          atMost(`${count} launches at once / ${count} times the bare programs`, 1.5, ratioOf(rounds)),
          atMost(`of ${count} launches at once, failed`, 0, failedOf(rounds.platform)),
        ]
      : []),
    ...(memory === null
      ? []
      : [atMost('memory of an idle session with two servers, MB', 120, platformBytes(memory) / megabyte)]),
  ];
}

export function reportOf(results: Results): string {
  const { pairs, atOnce, memory } = results;
  return [
    ...launchTable('session launch, create to running', pairs),
    ...launchTable(`${atOnce.count} at once, until the last one runs`, atOnce.rounds),
    ...(memory === null ? [] : [memoryTable(memory)]),
    aimsTable(aimsOf(results)),
    machineLine(),
  ].join('\n\n');
}

function launchTable(title: string, { platform, bare }: Pairs): string[] {
  const row = (name: string, all: readonly LaunchTimes[]) => {
    const times = all.map(({ tookMs }) => tookMs);
    const figures = [Math.min(...times), median(times), Math.max(...times)];
    return [name, String(all.length), ...figures.map((ms) => `${Math.round(ms)} ms`), String(failedOf(all))];
  };
  const rows = [row('platform', platform), row('bare', bare)];
  return platform.length === 0 ? [] : [table([[title, 'n', 'min', 'median', 'max', 'failed'], ...rows])];
}

function memoryTable(memory: SessionMemory): string {
  const row = (name: string, processes: string, bytes: number) => [
    name,
    processes,
    `${(bytes / megabyte).toFixed(1)} MB`,
  ];
  return table([
    ['idle session with two servers', 'processes', 'PSS'],
    ...Object.entries(memory).map(([kind, { processes, pssBytes }]) =>
      row(kind === 'own' ? "agent's and servers' own programs" : kind, String(processes), pssBytes),
    ),
    row('all but those of agent and servers', '', platformBytes(memory)),
  ]);
}

const ratioOf = ({ platform, bare }: Pairs) =>
  median(platform.map(({ tookMs }) => tookMs)) / median(bare.map(({ tookMs }) => tookMs));

const failedOf = (all: readonly LaunchTimes[]) => all.reduce((sum, { failed }) => sum + failed, 0);

const platformBytes = ({ own: _, ...ofPlatform }: SessionMemory) =>
  Object.values(ofPlatform).reduce((sum, { pssBytes }) => sum + pssBytes, 0);
