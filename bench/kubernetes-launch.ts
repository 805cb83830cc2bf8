/**
 * `npm run bench:kubernetes`: a session's launch on Kubernetes compared with a bare Pod,
 * all measured in one run.
 */
import { type Kind, kinds, openLaunches } from './kubernetes-launch/launches.ts';
import { readOptions } from './kubernetes-launch/options.ts';
import { openPlace } from './kubernetes-launch/place.ts';
import { isMet, reportOf } from './kubernetes-launch/report.ts';
import type { Timeline } from './kubernetes-launch/timeline.ts';
import { conclude } from './shared/harness.ts';

const warmUps = 3;

const options = readOptions(process.argv.slice(2));
const progress = (text: string) => console.error(`  ${text}`);

progress('a cluster, its images and a namespace');
const opening = openPlace(Boolean(process.env['KUBECONFIG']));
const stop = () => void opening.then(({ close }) => close()).finally(() => process.exit(130));
process.once('SIGINT', stop).once('SIGTERM', stop);
const place = await opening;

const measured: Record<Kind, Timeline[]> = { session: [], 'at once': [], bare: [] };
try {
  const launches = openLaunches(place, options.servers);
  for (let round = -warmUps; round < options.rounds; round += 1) {
    const took: string[] = [];
    // Alternates the order, so that the leftovers of one kind do not always burden the same other one.
    for (const kind of round % 2 === 0 ? kinds : kinds.toReversed()) {
      const timeline = await launches.launch(kind);
      took.push(`${kind} ${Math.round(timeline.launched ?? 0)} ms`);
      if (round >= 0) {
        measured[kind].push(timeline);
      }
    }
    progress(`${round < 0 ? 'warm-up' : `round ${round + 1}`}: ${took.join(', ')}`);
  }
  launches.close();
} finally {
  process.off('SIGINT', stop).off('SIGTERM', stop);
  await place.close();
}

console.log(`launch of a session with ${options.servers} MCP servers on Kubernetes\n\n${reportOf(measured)}`);
process.exitCode = conclude(options, { figures: measured, aims: [{ isMet: isMet(measured) }] });
