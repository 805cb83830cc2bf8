/** What hostile code running as the agent finds, reported by the same probe on every runtime. */
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { expect, it } from '@jest/globals';
import * as z from 'zod';
import { serverNamed } from '../../support/frozen-configuration.ts';
import { type ContractSessions, node, secretVariable, speaksToServers, stays } from './driver-under-test.ts';

/** Servers run while it searches, so their memory and environment are there to be found. */
const probe = `${speaksToServers}
Promise.all(answers).then((answered) => {
if (!answered.every((line) => line.includes('"serverInfo"'))) {
  throw new Error(answered.join());
}
${readFileSync(new URL('./inside/probe.cjs', import.meta.url), 'utf8')}
});`;
const seen = z.object({
  /** How many entries it visited, and how many of them it read. */
  entries: z.number(),
  read: z.number(),
  /** False when it gave up before the end. */
  complete: z.boolean(),
  found: z.array(z.object({ value: z.string(), file: z.string() })),
  tokens: z.array(z.string()),
  /** By path, the outcome of a connection to it. */
  sockets: z.record(z.string(), z.string()),
  /** The same for the names in /proc/net/unix, or `abstract`; null where it did not try. */
  names: z.record(z.string(), z.string().nullable()),
});
type Seen = z.infer<typeof seen>;

const turnedRound = (text: string) => [...text].reverse().join('');
const value = (what: string) => `${what}-${randomBytes(16).toString('hex')}`;
const filesWith = ({ found }: Seen, name: string) =>
  found.filter((each) => each.value === name).map(({ file }) => file);

export function describeIsolation<Spec>(sessions: ContractSessions<Spec>): void {
  const { driver } = sessions;

  /** Runs the probe in a session with a server and, where supported, a sibling that have secrets. */
  async function look(own: Record<string, string> = {}): Promise<Seen> {
    const foreign = {
      server: value('server'),
      token: value('token'),
      key: value('key'),
      ...(driver.siblings ? { sibling: value('sibling') } : {}),
    };
    const turned = Object.entries(foreign).map(([name, text]) => [name, turnedRound(text)]);
    const agentEnv = { MINE: value('mine'), LOOK_FOR: JSON.stringify(Object.fromEntries(turned)), ...own };
    const env = Object.assign({}, ...Object.keys(agentEnv).map(secretVariable));
    const sibling = {
      ...{ name: 'peer', run: node(stays).run, env: secretVariable('ITS'), image: null },
      port: 5432,
    };
    const frozen = sessions.prepare({
      agent: { ...node(probe), env },
      servers: [serverNamed('one', { env: secretVariable('HIS') })],
      siblings: driver.siblings ? [sibling] : [],
    });
    const id = await sessions.start(frozen, {
      agentEnv,
      serverEnv: { one: { HIS: foreign.server } },
      siblingEnv: foreign.sibling === undefined ? {} : { peer: { ITS: foreign.sibling } },
      sidecar: { internal_token: foreign.token, control_key: foreign.key },
    });
    const log = await sessions.logged(id, 'agent', 'SEEN ');
    const [, line = ''] = /^SEEN (.*)$/m.exec(log) ?? [];
    return seen.parse(JSON.parse(line));
  }

  if (driver.isolates) {
    it('shows the agent its own sockets only, and no secret, key or token anywhere', async () => {
      const found = await look();
      expect(found).toMatchObject({ complete: true });
      expect(found.entries).toBeGreaterThan(1000);
      // Only what it put there itself.
      expect(filesWith(found, 'mine')).toEqual(
        expect.arrayContaining(['/proc/self/environ', '/workspace/control']),
      );
      expect(found.found.filter(({ value: name }) => name !== 'mine')).toEqual([]);
      expect(found.tokens).toEqual(['/workspace/control']);
      expect(found.sockets).toEqual({
        '/run/platform/agent/sidecar.sock': 'connected',
        '/run/platform/mcp/one.sock': 'connected',
        '/run/platform/mcp/platform.sock': 'connected',
        '/workspace/control.sock': 'connected',
        // In a container, process 1 reports how the agent ends; in a sandbox, the sandbox's creator does.
        ...(driver.reportsFromInside ? { '/run/platform-report/.report.sock': 'connected' } : {}),
        '/run/platform/siblings/peer.sock': 'connected',
      });
      const own = [...Object.keys(found.sockets), 'control.sock'];
      const others = Object.entries(found.names).filter(([name]) => !own.includes(name));
      expect(found.names).toMatchObject({ 'control.sock': 'connected' });
      expect(others.filter(([, result]) => result === 'connected' || result === 'abstract')).toEqual([]);
    });
  } else {
    // The operator was warned of this; it also proves that the probe finds what exists.
    it('exposes a server’s secret in the environment of its process', async () => {
      const found = await look({ LOOK_BELOW: '././.' });
      expect(found).toMatchObject({ complete: true });
      expect(filesWith(found, 'mine')).toEqual(expect.arrayContaining(['/proc/self/environ', 'control']));
      expect(filesWith(found, 'server')).toContainEqual(expect.stringMatching(/^\/proc\/\d+\/environ$/));
      expect(found.tokens).toContain('control');
      expect(found.sockets).toEqual({ 'control.sock': 'connected' });
    });
  }
}
