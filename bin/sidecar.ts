/**
 * The sidecar of one session, or the gateway of one service preview. Its configuration holds keys. It
 * comes as one JSON line on standard input, which then stays open: its end means that the supervisor has
 * exited and this process has nothing left to guard. In a container it is `--boot-file <path>`, a file
 * that no other container sees.
 */
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { parseArgs } from 'node:util';
import pino from 'pino';
import { sidecarBoot } from '../contract/sidecar.ts';
import { startServiceGateway } from '../sidecar/service-gateway/start-gateway.ts';
import { startSidecar } from '../sidecar/start-sidecar.ts';

const logger = pino({ name: 'sidecar' }, pino.destination({ dest: 2, sync: true }));
const stopLimitMs = 8000;

const { values: options } = parseArgs({ options: { 'boot-file': { type: 'string' } } });
const bootFile = options['boot-file'];
const input = bootFile === undefined ? createInterface({ input: process.stdin, crlfDelay: Infinity }) : null;
const supervisorExited = new Promise<void>((resolve) => input?.once('close', resolve));

async function readBoot() {
  const text = bootFile === undefined ? await firstLine() : readFileSync(bootFile, 'utf8');
  const parsed = sidecarBoot.safeParse(JSON.parse(text));
  if (!parsed.success) {
    const paths = parsed.error.issues.map((issue) => issue.path.join('.') || '(top level)');
    throw new Error(`the configuration is not usable: ${paths.join(', ')}`);
  }
  return parsed.data;
}

function firstLine(): Promise<string> {
  return new Promise((resolve, reject) => {
    input?.once('line', resolve);
    input?.once('close', () => reject(new Error('standard input ended before the configuration')));
  });
}

try {
  const boot = await readBoot();
  process.chdir(boot.session_directory);
  const sidecar = await (boot.service === undefined ? startSidecar(boot, logger) : startServiceGateway(boot));
  logger.info({ session_id: boot.session_id, servers: boot.servers.length }, 'sidecar listens');

  const stop = async (why: string, exitCode: number) => {
    logger.info({ why }, 'sidecar stops');
    setTimeout(() => process.exit(1), stopLimitMs).unref();
    await sidecar.close();
    process.exit(exitCode);
  };
  process.once('SIGTERM', () => void stop('asked to', 0));
  process.once('SIGINT', () => void stop('asked to', 0));
  void supervisorExited.then(() => stop('its supervisor exited', 0));
  sidecar.ready.then(
    () => logger.info('the platform knows that this sidecar is ready'),
    (error: unknown) => {
      logger.error(
        { reason: error instanceof Error ? error.message : 'unknown' },
        'the platform refused this sidecar',
      );
      return stop('the platform refused it', 1);
    },
  );
  // One connection's error must not end the session's gate. The message is omitted: it may quote input.
  process.on('uncaughtException', ({ name, stack = '' }) => {
    const frames = stack.split('\n').filter((line) => line.startsWith('    at '));
    logger.error({ error: name, frames }, 'unexpected error');
  });
} catch (error) {
  logger.fatal({ reason: error instanceof Error ? error.message : 'unknown' }, 'sidecar cannot start');
  process.exit(1);
}
