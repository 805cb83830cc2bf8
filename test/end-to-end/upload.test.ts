/**
 * The API is killed in the middle of an upload: no partial artifact is visible, and the agent uploads again.
 */
import { createHash } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { SessionEvent } from '../../contract/session-event.ts';
import type { Kit } from '../hostile/inside/kit.ts';
import { HostileSession } from '../hostile/session.ts';
import { eventually, untilFound } from '../support/eventually.ts';
import { FrontDoor } from '../support/front-door.ts';
import { type Platform, startPlatform } from '../support/platform.ts';
import { withPlatformDatabase } from '../support/platform-database.ts';

const pieces = 60;
const pieceBytes = 64 * 1024;

interface Answered {
  status: number;
  text: string;
}

/** An honest agent: it sends a file slowly, and resends it until it is accepted. */
const uploadUntilTaken = async (
  kit: Kit,
  _target: unknown,
  { pieces, pieceBytes }: { pieces: number; pieceBytes: number },
): Promise<{ cut: Answered; again: Answered }> => {
  const upload = (everyMs: number) =>
    new Promise<Answered>((resolve) => {
      const path = '/artifact?name=report&mime_type=x/y';
      const sent = kit.http.request({ socketPath: kit.sidecar, method: 'POST', path, agent: false });
      sent.on('error', (error) => resolve({ status: 0, text: kit.codeOf(error) }));
      sent.on('response', (response) => {
        let text = '';
        response.setEncoding('utf8');
        response.on('data', (chunk) => {
          text += chunk;
        });
        response.on('end', () => resolve({ status: response.statusCode ?? 0, text }));
      });
      const send = async () => {
        for (let piece = 0; piece < pieces && !sent.destroyed; piece += 1) {
          sent.write(Buffer.alloc(pieceBytes, piece));
          await kit.sleep(everyMs);
        }
        sent.end();
      };
      void send();
    });
  const cut = await upload(500);
  let again = await upload(0);
  for (let tries = 0; again.status !== 200 && tries < 120; tries += 1) {
    await kit.sleep(500);
    again = await upload(0);
  }
  return { cut, again };
};

let platform: Platform;
let ada: FrontDoor;
beforeAll(async () => {
  platform = await startPlatform({ usesRunServers: true, withoutDemoSession: true });
  ada = await FrontDoor.signIn(platform.url, 'ada@demo.test');
});
afterAll(() => platform?.stop());

it('leaves no data when the API is killed during it, and succeeds when resent', async () => {
  const session = await HostileSession.start(ada, { name: 'uploader', servers: [] });
  const contents = () =>
    withPlatformDatabase(platform, (db) => db('artifact_contents').where({ session_id: session.id }));
  const order = { name: 'upload', source: `(${uploadUntilTaken})`, argument: { pieces, pieceBytes } };
  const begun = await session.begin([order], {});
  const half = await untilFound('half an upload', async () => {
    const [content] = await contents();
    return content !== undefined && content.size_bytes > 0 ? content : null;
  });
  expect(half).toMatchObject({ completed_at: null });
  await platform.kill('api', session.id);
  await platform.healthy();

  const results = await session.resultsOf(begun);
  const { cut, again } = results['upload'] as Awaited<ReturnType<typeof uploadUntilTaken>>;
  expect(cut.status).toBe(503);
  expect(JSON.parse(cut.text)).toMatchObject({
    error: { code: 'unavailable', message: 'the artifact could not be sent to the platform' },
  });
  expect(again.status).toBe(200);

  const whole = Buffer.concat(Array.from({ length: pieces }, (_, piece) => Buffer.alloc(pieceBytes, piece)));
  const { artifacts } = await ada.ok<{ artifacts: { id: string; name: string; sha256: string }[] }>(
    'GET',
    `/api/sessions/${session.id}/artifacts?limit=20`,
  );
  const reports = artifacts.filter(({ name }) => name === 'report');
  expect(reports).toMatchObject([
    { size_bytes: whole.length, sha256: createHash('sha256').update(whole).digest('hex') },
  ]);
  const told = (await ada.events(session.id)).filter(
    ({ type, payload }: SessionEvent) => type === 'agent.artifact' && payload['name'] === 'report',
  );
  expect(told).toHaveLength(1);

  // The worker removes the rest of the first upload once it is old; each worker does so as soon as it starts.
  const halfOnes = async () => (await contents()).filter(({ completed_at }) => completed_at === null);
  expect(await halfOnes()).toMatchObject([{ id: half.id }]);
  await withPlatformDatabase(platform, (db) =>
    db('artifact_contents')
      .where({ id: half.id })
      .update({ touched_at: db.raw("now() - interval '1 hour'") }),
  );
  await platform.kill('worker', session.id);
  await eventually(async () => {
    expect(await halfOnes()).toEqual([]);
    const chunks = await withPlatformDatabase(platform, (db) =>
      db('artifact_chunks').where({ content_id: half.id }),
    );
    expect(chunks).toEqual([]);
  });
});
