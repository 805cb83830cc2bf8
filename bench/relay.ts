/**
 * `node --import tsx bench/relay.ts`: a round trip through the static relay beside the same
 * through `socat`, in turns.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { inTurns, machineLine, median, ratioOf, ratioText } from './shared/harness.ts';

const rounds = 7;
const tripsPerRound = 20_000;
const messageBytes = 300;

const directory = mkdtempSync(join(tmpdir(), 'relay-bench-'));
const socket = join(directory, 'echo.sock');
const address = `UNIX-CONNECT:${socket}`;
const relay = join(directory, 'relay');
const driver = join(directory, 'round-trip');
const build = (output: string, source: string) =>
  execFileSync('sh', [resolve('relay/static/build.sh'), output, resolve(source)]);

/** On one core, where a round trip does not depend on which cores the kernel chose. */
const commands: Record<string, readonly string[]> = {
  relay: [relay, '-', address],
  socat: ['socat', '-', address],
  node: [process.execPath, resolve('dist/relay.js'), '-', address],
};

function measure(command: readonly string[]) {
  const trip = [driver, socket, String(tripsPerRound), String(messageBytes), ...command];
  const [medianNs = 0, p99Ns = 0, memoryKib = 0] = execFileSync('taskset', ['-c', '0', ...trip])
    .toString()
    .split(' ')
    .map(Number);
  return { medianNs, p99Ns, memoryKib };
}

try {
  build(relay, 'relay/static');
  build(driver, 'bench/relay');
  const samples = await inTurns(
    { turns: rounds },
    Object.values(commands).map((command) => () => measure(command)),
  );
  console.log(`${messageBytes} bytes there and back, ${rounds} rounds of ${tripsPerRound} each, on one core`);
  for (const [index, name] of Object.keys(commands).entries()) {
    const of = (figure: keyof ReturnType<typeof measure>) =>
      median(samples[index]?.map((sample) => sample[figure]) ?? []);
    const [p50, p99] = [of('medianNs') / 1000, of('p99Ns') / 1000];
    const memory = `${of('memoryKib')} KiB`;
    console.log(`${name.padEnd(6)} p50 ${p50.toFixed(1)} us  p99 ${p99.toFixed(1)} us  resident ${memory}`);
  }
  const [own = [], socat = [], node = []] = samples.map((rounds) => rounds.map(({ medianNs }) => medianNs));
  console.log(
    `relay : socat = ${ratioText(ratioOf(own, socat))}, relay : node = ${ratioText(ratioOf(own, node))}`,
  );
  console.log(machineLine());
} finally {
  rmSync(directory, { recursive: true, force: true });
}
